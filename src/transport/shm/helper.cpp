#include "transport/shm/helper.hpp"

#include <algorithm>
#include <cstring>

#include "base/copy.hpp"
#include "transport/shm/claim.hpp"
#include "transport/shm/parts.hpp"

namespace peal::shm {

helper::helper(node_segment& segment, direct_copy& direct) : segment_{&segment}, direct_{&direct} {
  const parts own = parts::of(segment, segment.index());
  for (std::uint32_t each = 0; each < staging_rings; ++each)
    rings_.push_back({own.rings + each * std::uint64_t{staging_slots} * staging_slot_bytes, staging_slot_bytes, staging_slots, 0, false});
  // Always there, so that a full /dev/shm makes a transfer slow rather than impossible.
  const std::uint64_t spare = segment.front(segment.index()).offset + offsetof(front, slots);
  rings_.push_back({spare, front_slot_bytes, front_slots, 0, true});
}

void helper::add(transfer& record) noexcept {
  const std::uint64_t offset = segment_->offset_of(&record);
  record.link.next = 0;
  if (first_ == 0) first_ = offset;
  else segment_->at<transfer>(last_)->link.next = offset;
  last_ = offset;
}

bool helper::step() noexcept {
  std::uint64_t before = 0;
  bool moved = false;
  for (std::uint64_t each = first_; each != 0 && !moved;) {
    transfer& record = *segment_->at<transfer>(each);
    const std::uint64_t next = record.link.next;
    const outcome result = advance(record);
    moved = result == outcome::worked;
    if (result == outcome::left) {
      (before != 0 ? segment_->at<transfer>(before)->link.next : first_) = next;
      if (last_ == each) last_ = before;
    } else {
      before = each;
    }
    each = next;
  }
  return moved;
}

helper::outcome helper::advance(transfer& record) noexcept {
  return record.mode == transfer_mode::claims ? advance_claims(record) : advance_staged(record);
}

helper::outcome helper::leave(transfer& record) noexcept {
  record.left.store(1,
                    std::memory_order_release);  // pairs with the acquire in fetcher: the record and the buffers are the receiver's alone
  return outcome::left;
}

helper::outcome helper::advance_claims(transfer& record) noexcept {
  const int to = static_cast<int>(record.link.from);
  if (!record.destination_in_segment && !direct_->reaches(to)) return leave(record);
  const piece mine = take(record.claimed, pages_of(record.bytes), from::back);
  if (mine.pages == 0) return leave(record);
  const std::size_t at = mine.first * claim_page;
  const std::size_t bytes = std::min<std::size_t>(mine.pages * claim_page, record.bytes - at);
  const void* const source =
      record.source_in_segment ? segment_->at(record.source + at) : reinterpret_cast<const void*>(record.source + at);
  if (record.destination_in_segment) {
    std::memcpy(segment_->at(record.destination + at), source, bytes);
  } else if (direct_->write(to, record.destination + at, source, bytes) != 0) {
    record.returned_first = mine.first;
    record.returned_pages = mine.pages;
    return leave(record);
  }
  record.helped.fetch_add(mine.pages, std::memory_order_release);  // pairs with the acquire in fetcher: the payload is there
  return outcome::worked;
}

helper::ring* helper::ring_of(std::uint64_t user) noexcept {
  const auto place = std::find_if(rings_.begin(), rings_.end(), [&](const ring& each) { return each.user == user; });
  return place == rings_.end() ? nullptr : &*place;
}

helper::ring* helper::take_ring(std::uint64_t user) noexcept {
  for (ring& each : rings_) {
    if (each.user != 0) continue;
    if (!each.committed && segment_->commit(each.offset, std::size_t{each.slots} * each.slot_bytes) != 0) continue;
    each.committed = true;
    each.user = user;
    return &each;
  }
  return nullptr;
}

helper::outcome helper::advance_staged(transfer& record) noexcept {
  const std::uint64_t offset = segment_->offset_of(&record);
  ring* mine = ring_of(offset);
  std::uint32_t filled = record.helped.load(std::memory_order_relaxed);
  if (mine == nullptr) {
    mine = take_ring(offset);
    if (mine == nullptr) return outcome::nothing;
    record.ring = mine->offset;
    record.slot_bytes = mine->slot_bytes;
    record.slots = mine->slots;
  }
  const std::uint32_t emptied = record.emptied.load(std::memory_order_acquire);  // pairs with the release in fetcher::advance_staged
  const std::size_t at = std::size_t{filled} * mine->slot_bytes;
  if (at >= record.bytes) {
    if (emptied != filled) return outcome::nothing;
    mine->user = 0;
    return leave(record);
  }
  if (filled - emptied == mine->slots) return outcome::nothing;
  const std::size_t bytes = std::min<std::size_t>(mine->slot_bytes, record.bytes - at);
  const void* const from = record.source_in_segment ? segment_->at(record.source + at) : reinterpret_cast<const void*>(record.source + at);
  std::byte* const slot = segment_->at(mine->offset + std::uint64_t{filled % mine->slots} * mine->slot_bytes);
  if (past_caches_pays()) copy_past_caches(slot, from, bytes);
  else std::memcpy(slot, from, bytes);
  record.helped.store(++filled, std::memory_order_release);  // pairs with the acquire in fetcher::advance_staged
  return outcome::worked;
}

void helper::peer_failed(int index) noexcept {
  std::uint64_t before = 0;
  for (std::uint64_t each = first_; each != 0;) {
    transfer& record = *segment_->at<transfer>(each);
    const std::uint64_t next = record.link.next;
    if (static_cast<int>(record.link.from) == index) {
      if (ring* held = ring_of(each); held != nullptr) held->user = 0;
      (before != 0 ? segment_->at<transfer>(before)->link.next : first_) = next;
      if (last_ == each) last_ = before;
    } else {
      before = each;
    }
    each = next;
  }
}

}  // namespace peal::shm
