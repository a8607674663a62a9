#include "transport/shm/bulk/staging.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "transport/shm/parts.hpp"

namespace peal::shm {
namespace {

constexpr std::uint32_t least_ring_bytes = 1 << 20;
/// Each piece costs a cache line to and fro, about 0.2 µs, which is hidden as long as its copy
/// takes longer.
constexpr std::uint32_t least_piece = 16 << 10;
constexpr std::uint32_t least_packed_piece = 4 << 10;
/// Which of both is faster is learnt: copy_choice.hpp. Through a ring always, streams of 2 to 8 MiB
/// between two cores of an EPYC 9004 are 1.07 to 1.12 times as fast by large ones, and one way
/// takes 0.86 to 1.02 of the time.
constexpr std::uint32_t most_usual_piece = 64 << 10, most_piece = 256 << 10;
/// A ring has so many pieces at least, so that the sender writes on while the receiver reads.
constexpr std::uint32_t pieces_in_a_ring = 8;
/// Page faults are taken together, but not for the whole ring at once: that took 5 ms of the first
/// payload on an Intel Xeon (family 6, model 207), and a trial sends a few payloads only.
constexpr std::uint32_t touched_at_once = 256 << 10;
static_assert(touched_at_once >= most_piece);

/// Twice the second-level cache.
std::uint32_t ring_bytes() noexcept {
  const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or -1 where it is not known
  const auto wanted = static_cast<std::uint64_t>(cache > 0 ? cache : 1 << 20) * 2;
  return std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(wanted, least_ring_bytes, most_ring_bytes)));
}

}  // namespace

std::uint32_t ring::piece_for(std::uint64_t payload, pieces of) const noexcept {
  const auto eighth = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      payload / 8, of == pieces::packed ? least_packed_piece : least_piece,
      of == pieces::large ? most_piece : most_usual_piece));
  return std::min(std::bit_floor(eighth), largest_piece);
}

staging::staging(node_segment& segment)
    : segment_{&segment}, small_rings_{parts::of(segment, segment.index()).small_rings} {
  const parts own = parts::of(segment, segment.index());
  const std::uint32_t bytes = ring_bytes();
  for (std::uint32_t each = 0; each < staging_rings; ++each)
    rings_.push_back({.offset = own.rings + std::uint64_t{each} * most_ring_bytes,
                      .bytes = bytes,
                      .largest_piece = std::min(most_piece, bytes / pieces_in_a_ring)});
  // Always there, so that a full /dev/shm makes a transfer slow rather than impossible.
  const std::uint64_t spare = segment.front(segment.index()).offset + offsetof(front, slots);
  rings_.push_back({.offset = spare,
                    .bytes = front_slots * front_slot_bytes,
                    .largest_piece = front_slot_bytes,
                    .committed = true});
}

/// False: there is no memory for them.
bool staging::make_small_ones() noexcept {
  const auto count = static_cast<std::uint64_t>(segment_->count());
  try {
    small_.reserve(count);
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (std::uint64_t each = 0; each < count; ++each)
    small_.push_back({.offset = small_rings_ + each * small_ring_bytes,
                      .bytes = small_ring_bytes,
                      .largest_piece = small_ring_bytes / 2});
  return true;
}

ring* staging::of(int peer) noexcept {
  for (ring& each : rings_)
    if (each.peer == peer) return &each;
  for (ring& each : rings_)
    if (each.peer < 0 && take(each, peer)) return &each;
  if (small_.empty() && !make_small_ones()) return nullptr;
  ring& own = small_[static_cast<std::size_t>(peer)];
  return take(own, peer) ? &own : nullptr;
}

bool staging::take(ring& taken, int peer) noexcept {
  if (!taken.committed && segment_->commit(taken.offset, taken.bytes) != 0) return false;
  taken.committed = true;
  taken.peer = peer;
  return true;
}

void staging::touch(ring& into, std::uint32_t piece) noexcept {
  const auto end = static_cast<std::uint32_t>(into.filled % into.bytes) + piece;
  if (end <= into.touched) [[likely]]
    return;
  const std::uint32_t bytes = std::min(touched_at_once, into.bytes - into.touched);
#ifdef MADV_POPULATE_WRITE
  madvise(segment_->at(into.offset + into.touched), bytes, MADV_POPULATE_WRITE);
#endif
  into.touched += bytes;
}

ring& staging::at(std::uint64_t offset) noexcept {
  for (ring& each : rings_)
    if (each.offset == offset) return each;
  return small_[(offset - small_rings_) / small_ring_bytes];
}

void staging::leave(ring& left) noexcept {
  if (--left.users > 0) return;
  left.drained = left.filled;
  left.peer = -1;
}

void staging::peer_failed(int peer) noexcept {
  for (std::vector<ring>* const all : {&rings_, &small_})
    for (ring& each : *all) {
      if (each.peer != peer) continue;
      each.users = 0;
      each.filler = 0;
      each.drained = each.filled;
      each.peer = -1;
    }
}

}  // namespace peal::shm
