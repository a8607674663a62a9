#include "transport/shm/fetcher.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "peal/error.hpp"
#include "transport/shm/inbox.hpp"

namespace peal::shm {
namespace {

/// Below this the receiver copies alone and at once: waking the sender's interest costs two lines between the cores and an atomic each way.
constexpr std::size_t alone_limit = 32 * 1024;
/// What one step copies at most, so that a small message does not wait long behind a large one.
constexpr std::size_t largest_chunk = 256 * 1024;
constexpr std::size_t smallest_chunk = 16 * 1024;
/// Chunks that a transfer is cut into if its size allows: half a chunk is what one side waits for the other at the end.
constexpr std::size_t pieces = 16;

constexpr std::uint64_t in_segment = 1;

std::size_t chunk_for(std::size_t bytes) {
  const std::size_t even = (bytes / pieces + 4095) / 4096 * 4096;
  return std::clamp(even, smallest_chunk, largest_chunk);
}

}  // namespace

struct fetcher::progress {
  transfer* record;        // null: alone
  std::uint64_t chunk;     // bytes
  std::uint32_t chunks;
  std::uint32_t own;       // chunks copied by this process; alone and staged: the next one
  std::int32_t from;
  transfer_mode mode;
  bool waiting;            // staged, and no record was to be had yet
  bool abandoned;          // the kernel refused: goes on staged when the sender has left
};

fetcher::progress& fetcher::of(fetch& f) noexcept {
  static_assert(sizeof(progress) <= sizeof f.scratch && alignof(progress) <= alignof(std::uint64_t));
  return *std::launder(reinterpret_cast<progress*>(f.scratch.data()));
}

fetcher::fetcher(node_segment& segment, direct_copy& direct)
    : segment_{&segment}, direct_{&direct}, failed_(static_cast<std::size_t>(segment.count())) {
  auto& own = *segment.at<front>(segment.front(segment.index()).offset);
  for (transfer& each : own.fetches) records_.push_back({&each, -1, false});
}

remote_region fetcher::describe(const void* data, std::size_t bytes) const noexcept {
  if (segment_->contains(data, bytes)) return {{segment_->offset_of(data), bytes, in_segment, 0}};
  return {{reinterpret_cast<std::uintptr_t>(data), bytes, 0, 0}};
}

void fetcher::start(fetch& f, int from) noexcept {
  f.next = nullptr;
  if (failed_[static_cast<std::size_t>(from)]) return f.done(f, errc::peer_failed);
  const bool straight = (f.where.words[2] & in_segment) != 0 || segment_->contains(f.into, f.bytes) || direct_->reaches(from);
  progress& p = *new (f.scratch.data()) progress{};
  p.from = from;
  p.mode = straight ? transfer_mode::claims : transfer_mode::staged;
  p.chunk = chunk_for(f.bytes);
  p.chunks = static_cast<std::uint32_t>((f.bytes + p.chunk - 1) / p.chunk);
  if (f.bytes <= alone_limit && readable(f)) {
    const int error = copy(f, 0, f.bytes);
    if (error == 0) return f.done(f, {});
    (void)refused(f, error);
  } else {
    open(f);
  }
  if (first_ == nullptr)
    first_ = &f;
  else
    last_->next = &f;
  last_ = &f;
}

/// Whether this process can copy without the sender.
bool fetcher::readable(fetch& f) noexcept { return (f.where.words[2] & in_segment) != 0 || direct_->reaches(of(f).from); }

transfer* fetcher::take_record(int from) noexcept {
  // A sender that does not poll keeps records; it may not keep all of them from the others.
  const auto held = std::count_if(records_.begin(), records_.end(), [&](const record_use& each) { return each.peer == from; });
  if (held >= static_cast<std::ptrdiff_t>(transfers / 4)) {
    if (std::none_of(records_.begin(), records_.end(), [&](const record_use& each) {
          return each.peer == from && !each.in_use && each.record->left.load(std::memory_order_acquire) != 0;
        }))
      return nullptr;
  }
  for (record_use& each : records_) {
    if (each.in_use) continue;
    if (each.peer >= 0 && each.record->left.load(std::memory_order_acquire) == 0) continue;  // pairs with the release in helper::leave
    each.peer = from;
    each.in_use = true;
    return each.record;
  }
  return nullptr;
}

void fetcher::let_go(transfer* record) noexcept {
  if (record == nullptr) return;
  for (record_use& each : records_)
    if (each.record == record) each.in_use = false;
}

/// Asks the sender to take part.
void fetcher::open(fetch& f) noexcept {
  progress& p = of(f);
  p.record = take_record(p.from);
  const bool needed = p.mode == transfer_mode::staged || !readable(f);
  p.waiting = needed && p.record == nullptr;
  if (p.record == nullptr) return;
  transfer& record = *p.record;
  record.link.kind = note_kind::transfer;
  record.link.from = static_cast<std::uint32_t>(segment_->index());
  record.source = f.where.words[0];
  record.source_in_segment = (f.where.words[2] & in_segment) != 0;
  record.destination_in_segment = segment_->contains(f.into, f.bytes);
  record.destination = record.destination_in_segment ? segment_->offset_of(f.into) : reinterpret_cast<std::uintptr_t>(f.into);
  record.bytes = f.bytes;
  record.chunk = static_cast<std::uint32_t>(p.chunk);
  record.mode = p.mode;
  record.claimed.store(0, std::memory_order_relaxed);
  record.helped.store(0, std::memory_order_relaxed);
  record.left.store(0, std::memory_order_relaxed);
  record.returned = 0;
  record.emptied.store(0, std::memory_order_relaxed);
  push(*segment_, segment_->at<front>(segment_->front(p.from).offset)->inbox, record.link);
}

bool fetcher::step() noexcept {
  fetch* before = nullptr;
  for (fetch* each = first_; each != nullptr; before = each, each = each->next) {
    const outcome result = advance(*each);
    if (result == outcome::nothing) continue;
    if (result == outcome::worked) return true;
    (before != nullptr ? before->next : first_) = each->next;
    if (last_ == each) last_ = before;
    let_go(of(*each).record);
    const std::error_code error = of(*each).chunks == 0 ? make_error_code(errc::peer_failed) : std::error_code{};
    each->next = nullptr;
    each->done(*each, error);  // may start others, and may end the fetch's life
    return true;
  }
  return false;
}

fetcher::outcome fetcher::advance(fetch& f) noexcept {
  progress& p = of(f);
  if (p.chunks == 0) return outcome::finished;  // failed
  if (p.waiting) {
    open(f);
    return p.waiting ? outcome::nothing : outcome::worked;
  }
  return p.mode == transfer_mode::claims ? advance_claims(f) : advance_staged(f);
}

fetcher::outcome fetcher::advance_claims(fetch& f) noexcept {
  progress& p = of(f);
  if (p.record == nullptr) {
    const outcome result = copy_chunk(f, p.own);
    return result == outcome::worked && p.own == p.chunks ? outcome::finished : result;
  }
  transfer& record = *p.record;
  const bool alone_too = !p.abandoned && readable(f);
  if (alone_too) {
    const std::uint64_t before = record.claimed.load(std::memory_order_relaxed);
    const auto taken = [](std::uint64_t both) { return (both & 0xffffffff) + (both >> 32); };
    if (taken(before) < p.chunks) {
      const std::uint64_t claim = record.claimed.fetch_add(1, std::memory_order_relaxed);
      if (taken(claim) < p.chunks) {
        const outcome result = copy_chunk(f, static_cast<std::uint32_t>(claim));
        if (result == outcome::worked && p.own + record.helped.load(std::memory_order_acquire) == p.chunks) return outcome::finished;
        return result;
      }
    }
  }
  // What is left is the sender's.
  const bool left = record.left.load(std::memory_order_acquire) != 0;
  if (p.own + record.helped.load(std::memory_order_acquire) == p.chunks) return outcome::finished;  // pairs with the release in helper
  if (!left) return outcome::nothing;
  if (!alone_too) {
    // The kernel refused in the middle. The sender is out of the buffers; all of it again, by way of the ring.
    let_go(p.record);
    p.mode = transfer_mode::staged;
    p.abandoned = false;
    p.own = 0;
    open(f);
    return outcome::worked;
  }
  if (record.returned != 0) {
    const std::uint32_t chunk = record.returned - 1;
    record.returned = 0;
    const outcome result = copy_chunk(f, chunk);
    return result == outcome::worked && p.own + record.helped.load(std::memory_order_relaxed) == p.chunks ? outcome::finished : result;
  }
  return outcome::nothing;
}

fetcher::outcome fetcher::copy_chunk(fetch& f, std::uint32_t chunk) noexcept {
  progress& p = of(f);
  const std::size_t at = chunk * p.chunk;
  if (const int error = copy(f, at, std::min<std::size_t>(p.chunk, f.bytes - at)); error != 0) return refused(f, error);
  ++p.own;
  return outcome::worked;
}

int fetcher::copy(fetch& f, std::size_t at, std::size_t bytes) noexcept {
  std::byte* const to = static_cast<std::byte*>(f.into) + at;
  if ((f.where.words[2] & in_segment) == 0) return direct_->read(of(f).from, f.where.words[0] + at, to, bytes);
  std::memcpy(to, segment_->at(f.where.words[0] + at), bytes);
  return 0;
}

fetcher::outcome fetcher::refused(fetch& f, int error) noexcept {
  progress& p = of(f);
  if (error == ESRCH) {
    p.chunks = 0;
    return outcome::finished;
  }
  if (error != EFAULT) direct_->give_up(p.from);
  if (p.record == nullptr) {
    p.mode = transfer_mode::staged;
    p.own = 0;
    open(f);
  } else {
    p.abandoned = true;
    p.record->claimed.fetch_add(std::uint64_t{p.chunks}, std::memory_order_relaxed);  // nothing more to claim: the sender leaves
  }
  return outcome::worked;
}

fetcher::outcome fetcher::advance_staged(fetch& f) noexcept {
  progress& p = of(f);
  transfer& record = *p.record;
  if (record.helped.load(std::memory_order_acquire) == p.own) return outcome::nothing;  // pairs with the release in helper: slot and numbers
  const std::size_t slot = record.slot_bytes;
  const std::size_t at = p.own * slot;
  const std::size_t bytes = std::min(slot, f.bytes - at);
  std::memcpy(static_cast<std::byte*>(f.into) + at, segment_->at(record.ring + p.own % record.slots * slot), bytes);
  record.emptied.store(++p.own, std::memory_order_release);  // pairs with the acquire in helper: the slot may be written over
  return at + bytes == f.bytes ? outcome::finished : outcome::worked;
}

void fetcher::peer_failed(int index) noexcept {
  failed_[static_cast<std::size_t>(index)] = true;
  for (fetch* each = first_; each != nullptr; each = each->next)
    if (of(*each).from == index) of(*each).chunks = 0;  // step ends it
  for (record_use& each : records_)
    if (each.peer == index) each.peer = -1;  // it writes there no more
}

}  // namespace peal::shm
