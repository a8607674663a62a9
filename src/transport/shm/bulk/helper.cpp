#include "transport/shm/bulk/helper.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/copy.hpp"
#include "base/timing/copy_time.hpp"
#include "peal/detail/core.hpp"
#include "transport/shm/bulk/claim.hpp"

namespace peal::shm {
namespace {

/// Packed at a time before it goes past the caches: it stays in the first-level cache. From 8 to 64
/// KiB made no difference.
constexpr std::size_t packed_bytes = 16 << 10;

}  // namespace

helper::helper(node_segment& segment, direct_copy& direct, bells& ringer)
    : segment_{&segment}, direct_{&direct}, bells_{&ringer}, staging_{segment} {}

void helper::add(transfer& record) noexcept {
  const std::uint64_t offset = segment_->offset_of(&record);
  record.link.next = 0;
  if (first_ == 0) first_ = offset;
  else segment_->at<transfer>(last_)->link.next = offset;
  last_ = offset;
}

// Transfers whose pieces are all in the ring only wait for the receiver; a look at them takes a
// cache line away from it.
bool helper::step() noexcept { return walk(false) || walk(true); }

// Begins behind the transfer that moved last: one that always has room must not keep those of other
// receivers waiting.
bool helper::walk(bool filled) noexcept {
  const std::uint64_t latest = moved_;
  if (latest == 0) return walk(filled, 0, first_, 0);
  return walk(filled, latest, segment_->at<transfer>(latest)->link.next, 0) ||
         walk(filled, 0, first_, latest);
}

/// From `first`, which comes behind `before`, to `last` or the end.
bool helper::walk(bool filled, std::uint64_t before, std::uint64_t first,
                  std::uint64_t last) noexcept {
  bool moved = false;
  for (std::uint64_t each = first; each != 0 && !moved;) {
    transfer& record = *segment_->at<transfer>(each);
    const std::uint64_t next = record.link.next;
    const outcome result =
        (record.stage == transfer_stage::filled) == filled ? advance(record) : outcome::nothing;
    moved = result == outcome::worked;
    if (moved) moved_ = each;
    if (result == outcome::left) {
      remove(each, before, next);
    } else {
      before = each;
    }
    each = each == last ? 0 : next;
  }
  return moved;
}

helper::outcome helper::advance(transfer& record) noexcept {
  return record.mode == transfer_mode::claims ? advance_claims(record) : advance_staged(record);
}

helper::outcome helper::leave(transfer& record) noexcept {
  const auto receiver = static_cast<int>(record.link.from);
  record.left.store(1,
                    // Pairs with the acquire in fetcher: the record and the buffers are the
                    // receiver's alone.
                    std::memory_order_release);
  bells_->message_for(receiver);
  return outcome::left;
}

helper::outcome helper::advance_claims(transfer& record) noexcept {
  const int to = static_cast<int>(record.link.from);
  if (!record.destination_in_segment && (record.source_packed || !direct_->reaches(to)))
    return leave(record);
  const piece mine = take(record.claimed, pages_of(record.bytes), from::back);
  if (mine.pages == 0) return leave(record);
  const std::size_t at = mine.first * claim_page;
  const std::size_t bytes = std::min<std::size_t>(mine.pages * claim_page, record.bytes - at);
  if (record.source_packed) {
    pack(record, at, segment_->at(record.destination + at), bytes);
  } else if (record.destination_in_segment) {
    const copy_time noted{bytes};
    std::memcpy(segment_->at(record.destination + at), source_of(record, at), bytes);
  } else if (direct_->write(to, record.destination + at, source_of(record, at), bytes) != 0) {
    record.returned_first = mine.first;
    record.returned_pages = mine.pages;
    return leave(record);
  }
  // Pairs with the acquire in fetcher: the payload is there.
  record.helped.fetch_add(mine.pages, std::memory_order_release);
  bells_->message_for(to);
  return outcome::worked;
}

const std::byte* helper::source_of(const transfer& record, std::size_t at) const noexcept {
  return record.source_in_segment ? segment_->at(record.source + at)
                                  : reinterpret_cast<const std::byte*>(record.source + at);
}

void helper::pack(const transfer& record, std::size_t at, std::byte* to,
                  std::size_t bytes) noexcept {
  const auto& from = *reinterpret_cast<const detail::packer*>(record.source);
  from.pack(from, at, to, bytes);
}

/// Such stores need aligned places, and whole lines to be quick, which pieces of elements have not.
void helper::pack_past_caches(const transfer& record, std::size_t at, std::byte* to,
                              std::size_t bytes) noexcept {
  for (std::size_t done = 0; done != bytes;) {
    const std::size_t next = std::min(packed_.size(), bytes - done);
    pack(record, at + done, packed_.data(), next);
    copy_past_caches(to + done, packed_.data(), next);
    done += next;
  }
}

/// The ring for the next piece; null: not its turn, or no ring is free.
ring* helper::begin_staged(transfer& record) noexcept {
  const std::uint64_t offset = segment_->offset_of(&record);
  if (record.stage == transfer_stage::filling) return &staging_.at(record.ring);
  if (!make_paces()) return nullptr;
  ring* const mine = staging_.of(static_cast<int>(record.link.from));
  if (mine == nullptr || mine->filler != 0) return nullptr;
  record.stage = transfer_stage::filling;
  record.ring = mine->offset;
  record.ring_bytes = mine->bytes;
  record.piece_bytes = mine->piece_for(record.bytes, record.source_packed     ? pieces::packed
                                                     : record.in_large_pieces ? pieces::large
                                                                              : pieces::usual);
  const std::uint64_t piece = record.piece_bytes;
  record.first = mine->filled = (mine->filled + piece - 1) / piece * piece;
  mine->filler = offset;
  pace& known = pace_of(record);
  record.past_caches = known.past_caches();
  record.trial = can_copy_past_caches() && known.wants_trial(record.piece_bytes);
  ++mine->users;
  return mine;
}

/// False: there is no memory for them.
bool helper::make_paces() noexcept {
  try {
    packed_.resize(packed_bytes);
    if (paces_.empty()) paces_.resize(static_cast<std::size_t>(segment_->count()));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

pace& helper::pace_of(const transfer& record) noexcept {
  paces& known = paces_[record.link.from];
  return record.source_packed ? known.packed : known.copied;
}

bool helper::has_room(ring& mine, const transfer& record) noexcept {
  const std::uint64_t end = mine.filled + record.piece_bytes;
  if (end - mine.drained <= mine.bytes) return true;
  std::uint64_t drained = mine.filled;
  for (std::uint64_t each = first_; each != 0; each = segment_->at<transfer>(each)->link.next) {
    const transfer& user = *segment_->at<transfer>(each);
    if (user.mode != transfer_mode::staged || user.stage == transfer_stage::waiting ||
        user.ring != mine.offset)
      continue;
    // Pairs with the release in fetcher::advance_staged.
    const std::uint64_t emptied = user.emptied.load(std::memory_order_acquire);
    drained = std::min(drained, user.first + emptied * user.piece_bytes);
  }
  mine.drained = drained;
  return end - drained <= mine.bytes;
}

/// Writes piece `number`.
void helper::fill(transfer& record, std::byte* place, std::size_t at, std::size_t bytes,
                  std::uint32_t number) noexcept {
  const auto copy = [&, past = record.past_caches != (record.trial && number == 0)] {
    if (record.source_packed && past) pack_past_caches(record, at, place, bytes);
    else if (record.source_packed) pack(record, at, place, bytes);
    else if (past) copy_past_caches(place, source_of(record, at), bytes);
    else copy_wide(place, source_of(record, at), bytes);
  };
  if (number < timed_pieces && is_measured(record)) record.write_time[number] = pace::time(copy);
  else copy();
}

/// Of what is packed a trial alone counts: how long it takes depends on the elements, so that only
/// pieces of one payload can be compared.
bool helper::is_measured(const transfer& record) noexcept {
  return record.trial || !record.source_packed;
}

/// The last piece, which may be shorter, is not counted.
void helper::learn(const transfer& record) noexcept {
  const std::uint32_t pieces = record.helped.load(std::memory_order_relaxed);
  if (!is_measured(record) || (record.source_packed && pieces <= timed_pieces)) return;
  for (std::uint32_t each = 0; each < timed_pieces && each + 1 < pieces; ++each)
    pace_of(record).note(record.past_caches != (record.trial && each == 0), record.piece_bytes,
                         std::max(record.write_time[each], record.read_time[each]));
}

helper::outcome helper::advance_staged(transfer& record) noexcept {
  std::uint32_t filled = record.helped.load(std::memory_order_relaxed);
  if (record.stage == transfer_stage::filled) {
    // As in has_room.
    if (record.emptied.load(std::memory_order_acquire) != filled) return outcome::nothing;
    learn(record);
    staging_.leave(staging_.at(record.ring));
    return leave(record);
  }
  const std::uint32_t pages = pages_of(record.bytes);
  if (record.stage == transfer_stage::waiting && all_taken(record.claimed, pages))
    return leave(record);
  ring* const mine = begin_staged(record);
  if (mine == nullptr || !has_room(*mine, record)) return outcome::nothing;
  const piece next = take(record.claimed, pages, from::front,
                          static_cast<std::uint32_t>(record.piece_bytes / claim_page));
  if (next.pages > 0) {
    const std::size_t at = next.first * claim_page;
    const std::size_t bytes = std::min<std::size_t>(next.pages * claim_page, record.bytes - at);
    staging_.touch(*mine, record.piece_bytes);
    fill(record, segment_->at(mine->offset + mine->filled % mine->bytes), at, bytes, filled);
    mine->filled += record.piece_bytes;
    // Pairs with the acquire in fetcher::advance_staged.
    record.helped.store(++filled, std::memory_order_release);
    bells_->message_for(static_cast<int>(record.link.from));
  }
  if (next.pages == 0 || next.first + next.pages == pages) {
    record.stage = transfer_stage::filled;
    mine->filler = 0;
  }
  return outcome::worked;
}

void helper::peer_failed(int index) noexcept {
  staging_.peer_failed(index);
  std::uint64_t before = 0;
  for (std::uint64_t each = first_; each != 0;) {
    transfer& record = *segment_->at<transfer>(each);
    const std::uint64_t next = record.link.next;
    if (static_cast<int>(record.link.from) == index) {
      remove(each, before, next);
    } else {
      before = each;
    }
    each = next;
  }
}

/// Takes a transfer, which may be the receiver's by now, from between these two.
void helper::remove(std::uint64_t which, std::uint64_t before, std::uint64_t next) noexcept {
  (before != 0 ? segment_->at<transfer>(before)->link.next : first_) = next;
  if (last_ == which) last_ = before;
  if (moved_ == which) moved_ = before;
}

}  // namespace peal::shm
