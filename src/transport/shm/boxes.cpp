#include "transport/shm/boxes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace peal::shm {
namespace {

/// A sender without room tries to grow its box at every attempt to send. Where memory was refused,
/// most attempts are spared the system call.
constexpr std::uint32_t attempts_between_refusals = 64;

constexpr std::size_t bytes_with(std::uint32_t units) { return offsetof(box, data) + units * unit; }

}  // namespace

boxes::boxes(node_segment& segment, const parts& own, std::uint32_t most)
    : segment_{&segment}, begin_{own.boxes}, states_(std::min(own.box_count, most)) {}

bool boxes::commit(std::byte* from, std::size_t bytes) noexcept {
  const int error = segment_->commit(segment_->offset_of(from), bytes);
  if (error != 0) {
    if (!said_full_)
      log_warning("messages inside the node go a slower way: {}", segment_->shortage(bytes, error));
    said_full_ = true;
    return false;
  }
#ifdef MADV_POPULATE_WRITE
  // Page faults now, rather than one by one between messages.
  madvise(from, bytes, MADV_POPULATE_WRITE);
#endif
  bytes_ += bytes;
  most_bytes_ = std::max(most_bytes_, bytes_);
  return true;
}

int boxes::take() noexcept {
  // One that has memory first.
  for (const use wanted : {use::free, use::untouched})
    for (std::size_t each = 0; each < states_.size(); ++each) {
      state& found = states_[each];
      if (found.now != wanted) continue;
      const int number = static_cast<int>(each);
      if (found.units == 0) {
        if (!commit(reinterpret_cast<std::byte*>(&at(number)), bytes_with(first_units))) return -1;
        found.units = first_units;
      }
      found.now = use::open;
      return number;
    }
  return -1;
}

bool boxes::grow(int number) noexcept {
  state& growing = of(number);
  if (growing.units == units_per_box) return false;
  if (refusals_ > 0) {
    const std::uint32_t before = refusals_++;
    if (before % attempts_between_refusals != 0) return false;
  }
  if (!commit(at(number).data + growing.units * unit, growing.units * unit)) {
    refusals_ = 1;
    return false;
  }
  refusals_ = 0;
  growing.units *= 2;
  return true;
}

void boxes::closing(int number, bool idle) noexcept {
  of(number).now = idle ? use::closing_idle : use::closing;
}

void boxes::put_back(int number) noexcept {
  state& put = of(number);
  const bool idle = put.now == use::closing_idle;
  put.now = use::free;
  put.looked_at = false;
  if (idle) give_memory_back(number);
}

void boxes::look_for_unused() noexcept {
  for (std::size_t each = 0; each < states_.size(); ++each) {
    state& found = states_[each];
    if (found.now == use::free && std::exchange(found.looked_at, true))
      give_memory_back(static_cast<int>(each));
  }
}

void boxes::give_memory_back(int number) noexcept {
  state& unused = of(number);
  const std::size_t bytes = bytes_with(unused.units);
  // Positions begin with 0 when the box is used again, and no stamp is left that could look new.
  segment_->give_back(segment_->offset_of(&at(number)), bytes);
  bytes_ -= bytes;
  unused = {};
}

}  // namespace peal::shm
