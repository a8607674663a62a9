#include "collective/direct/arena.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "collective/direct/block_pages.hpp"

namespace peal::direct {

namespace {

constexpr std::size_t step = std::size_t{64} << 10;  // reserved at a time

constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

arena::arena(node_segment& segment, std::size_t begin, std::size_t bytes) noexcept
    : segment_{&segment},
      reserved_{begin},
      end_{begin + bytes},
      most_for_large_{bytes / 2},
      free_{{begin, bytes}} {}

std::size_t arena::take(int ranks, std::size_t area, std::span<const std::uint16_t> numas) {
  const std::size_t bytes = rounded(block_bytes(ranks, area), alignof(block));
  const bool large = area > area_bytes;
  if (large && in_large_blocks() + bytes > most_for_large_) {
    collect();
    if (in_large_blocks() + bytes > most_for_large_) return 0;
  }
  std::size_t offset = cut(bytes);
  if (offset == 0 || offset + bytes > reserved_) {
    // Before more memory is reserved, blocks that all ranks have left are taken back.
    if (offset != 0) free({offset, bytes});
    collect();
    offset = cut(bytes);
  }
  if (offset == 0) return 0;
  bool reserved = true;
  for (const placed_pages& each : pages_of_block(offset, area, numas))
    reserved = reserved && reserve(std::min(each.end, end_), each.numa);
  if (const std::size_t end = offset + bytes; reserved && end > reserved_)
    reserved = reserve(std::min(rounded(end, step), end_));
  if (!reserved) {
    free({offset, bytes});
    return 0;
  }
  taken_.push_back({{offset, bytes}, ranks, large});
  block& made = *segment_->at<block>(offset);
  made.left.store(0, std::memory_order_relaxed);
  for (int rank = 0; rank != ranks; ++rank)
    for (line& each : slot_of(made, rank, area).lines)
      each.stamp.store(0, std::memory_order_relaxed);
  return offset;
}

std::size_t arena::in_large_blocks() const noexcept {
  std::size_t sum = 0;
  for (const held& each : taken_)
    if (each.large) sum += each.place.bytes;
  return sum;
}

std::size_t arena::cut(std::size_t bytes) noexcept {
  const auto found =
      std::ranges::find_if(free_, [&](const range& each) { return each.bytes >= bytes; });
  if (found == free_.end()) return 0;
  const std::size_t offset = found->offset;
  found->offset += bytes;
  found->bytes -= bytes;
  if (found->bytes == 0) free_.erase(found);
  return offset;
}

bool arena::reserve(std::size_t upto, int numa) noexcept {
  if (upto <= reserved_) return true;
  // Full is seldom for a moment only, and each communicator would ask again.
  if (refused_) return false;
  if (const int error = segment_->commit(reserved_, upto - reserved_, numa); error != 0) {
    refused_ = true;
    log_warning("collectives inside the node go a slower way: {}",
                segment_->shortage(upto - reserved_, error));
    return false;
  }
  reserved_ = upto;
  return true;
}

void arena::put_back(std::size_t offset) noexcept {
  const auto found =
      std::ranges::find(taken_, offset, [](const held& each) { return each.place.offset; });
  free(found->place);
  taken_.erase(found);
}

void arena::leave_to_others(std::size_t offset) noexcept {
  std::ranges::find(taken_, offset, [](const held& each) { return each.place.offset; })->left =
      true;
}

/// Takes back the blocks that all ranks have left.
void arena::collect() noexcept {
  std::erase_if(taken_, [this](const held& each) {
    if (!each.left) return false;
    // acquire: pairs with the release of the rank that leaves; what it has read may be written
    // over.
    if (segment_->at<block>(each.place.offset)->left.load(std::memory_order_acquire) !=
        static_cast<std::uint32_t>(each.ranks))
      return false;
    free(each.place);
    return true;
  });
}

void arena::free(range gone) noexcept {
  auto after = std::ranges::lower_bound(free_, gone.offset, {}, &range::offset);
  if (after != free_.begin() && (after - 1)->offset + (after - 1)->bytes == gone.offset) {
    --after;
    after->bytes += gone.bytes;
  } else {
    after = free_.insert(after, gone);
  }
  const auto next = after + 1;
  if (next == free_.end() || after->offset + after->bytes != next->offset) return;
  after->bytes += next->bytes;
  free_.erase(next);
}

}  // namespace peal::direct
