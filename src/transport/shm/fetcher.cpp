#include "transport/shm/fetcher.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include "peal/error.hpp"
#include "transport/shm/inbox.hpp"

namespace peal::shm {
namespace {

/// Below this the receiver copies alone and at once: waking the sender's interest costs two lines between the cores and an atomic each way.
constexpr std::size_t alone_limit = 32 * 1024;
/// Records of one sender that are in use or not yet given back, at most: those in its inbox that it has not come to are of no use.
constexpr std::ptrdiff_t records_a_peer = 4;

constexpr std::uint64_t in_segment = 1;

}  // namespace

struct fetcher::progress {
  transfer* record;     // null: none was to be had yet, or the receiver goes alone
  std::uint32_t pages;  // of the payload; 0: failed
  std::uint32_t own;    // claims: pages copied by this process; staged: slots emptied
  std::int32_t from;
  transfer_mode mode;
  bool abandoned;  // the kernel refused: goes on staged when the sender has left
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
  p.pages = pages_of(f.bytes);
  if (f.bytes <= alone_limit && readable(f)) {
    const int error = copy(f, 0, f.bytes);
    if (error == 0) return f.done(f, {});
    (void)refused(f, error);
  } else {
    open(f);
  }
  if (first_ == nullptr) first_ = &f;
  else last_->next = &f;
  last_ = &f;
}

/// Whether this process can copy without the sender.
bool fetcher::readable(fetch& f) noexcept { return (f.where.words[2] & in_segment) != 0 || direct_->reaches(of(f).from); }

transfer* fetcher::take_record(int from) noexcept {
  record_use* found = nullptr;
  std::ptrdiff_t held = 0;
  for (record_use& each : records_) {
    const bool given_back =
        !each.in_use && (each.peer < 0 || each.record->left.load(std::memory_order_acquire) != 0);  // pairs with helper::leave
    if (given_back) found = &each;
    else held += each.peer == from;
  }
  if (found == nullptr || held >= records_a_peer) return nullptr;
  found->peer = from;
  found->in_use = true;
  return found->record;
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
  if (p.record == nullptr) return;
  transfer& record = *p.record;
  record.link.kind = note_kind::transfer;
  record.link.from = static_cast<std::uint32_t>(segment_->index());
  record.source = f.where.words[0];
  record.source_in_segment = (f.where.words[2] & in_segment) != 0;
  record.destination_in_segment = segment_->contains(f.into, f.bytes);
  record.destination = record.destination_in_segment ? segment_->offset_of(f.into) : reinterpret_cast<std::uintptr_t>(f.into);
  record.bytes = f.bytes;
  record.mode = p.mode;
  record.claimed.store(0, std::memory_order_relaxed);
  record.helped.store(0, std::memory_order_relaxed);
  record.left.store(0, std::memory_order_relaxed);
  record.returned_pages = 0;
  record.emptied.store(0, std::memory_order_relaxed);
  push(*segment_, segment_->at<front>(segment_->front(p.from).offset)->inbox, record.link);
}

bool fetcher::step() noexcept {
  fetch* before = nullptr;
  for (fetch* each = first_; each != nullptr; before = each, each = each->next) {
    const outcome result = advance(*each);
    if (result == outcome::nothing) continue;
    if (result == outcome::worked) return true;
    finish(before, *each);
    return true;
  }
  return false;
}

fetcher::outcome fetcher::advance(fetch& f) noexcept {
  progress& p = of(f);
  if (p.pages == 0) return outcome::finished;  // failed
  // Without a record yet, and nothing done alone: a record of an earlier payload may be free by now.
  if (p.record == nullptr && p.own == 0) open(f);
  if (p.mode == transfer_mode::staged) return p.record == nullptr ? outcome::nothing : advance_staged(f);
  if (p.record != nullptr) return advance_together(f);
  return readable(f) ? advance_alone(f) : outcome::nothing;
}

fetcher::outcome fetcher::advance_alone(fetch& f) noexcept {
  progress& p = of(f);
  return copy_piece(f, {p.own, std::min(p.pages - p.own, largest_piece)});
}

fetcher::outcome fetcher::advance_together(fetch& f) noexcept {
  progress& p = of(f);
  transfer& record = *p.record;
  const bool able = !p.abandoned && readable(f);
  if (able)
    if (const piece next = take(record.claimed, p.pages, from::front); next.pages > 0) return copy_piece(f, next);
  // What is left is the sender's.
  const bool left = record.left.load(std::memory_order_acquire) != 0;  // pairs with the release in helper::leave; before all_there
  if (all_there(f)) return outcome::finished;
  if (!left) return outcome::nothing;
  if (able) {
    const piece returned{record.returned_first, std::exchange(record.returned_pages, 0)};
    return copy_piece(f, returned);
  }
  // The kernel refused in the middle. The sender is out of the buffers; all of it again, by way of the ring.
  let_go(p.record);
  p.mode = transfer_mode::staged;
  p.abandoned = false;
  p.own = 0;
  open(f);
  return outcome::worked;
}

bool fetcher::all_there(fetch& f) noexcept {
  const progress& p = of(f);
  const std::uint32_t helped =
      p.record == nullptr ? 0 : p.record->helped.load(std::memory_order_acquire);  // pairs with the release in helper
  return p.own + helped == p.pages;
}

fetcher::outcome fetcher::copy_piece(fetch& f, piece what) noexcept {
  progress& p = of(f);
  const std::size_t at = what.first * claim_page;
  if (const int error = copy(f, at, std::min(what.pages * claim_page, f.bytes - at)); error != 0) return refused(f, error);
  p.own += what.pages;
  return all_there(f) ? outcome::finished : outcome::worked;
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
    p.pages = 0;
    return outcome::finished;
  }
  if (error != EFAULT) direct_->give_up(p.from);
  if (p.record == nullptr) {
    p.mode = transfer_mode::staged;
    p.own = 0;
    open(f);
  } else {
    p.abandoned = true;
    take_all(p.record->claimed, p.pages);  // the sender leaves
  }
  return outcome::worked;
}

fetcher::outcome fetcher::advance_staged(fetch& f) noexcept {
  progress& p = of(f);
  transfer& record = *p.record;
  if (record.helped.load(std::memory_order_acquire) == p.own)
    return outcome::nothing;  // pairs with the release in helper: slot and numbers
  const std::size_t slot = record.slot_bytes;
  const std::size_t at = p.own * slot;
  const std::size_t bytes = std::min(slot, f.bytes - at);
  std::memcpy(static_cast<std::byte*>(f.into) + at, segment_->at(record.ring + p.own % record.slots * slot), bytes);
  record.emptied.store(++p.own, std::memory_order_release);  // pairs with the acquire in helper: the slot may be written over
  return at + bytes == f.bytes ? outcome::finished : outcome::worked;
}

void fetcher::peer_failed(int index) noexcept {
  failed_[static_cast<std::size_t>(index)] = true;
  for (record_use& each : records_)
    if (each.peer == index) each.peer = -1;  // it writes there no more
  // One after the other, since an end may start fetches from others.
  const auto theirs = [&] {
    fetch* before = nullptr;
    for (fetch* each = first_; each != nullptr; before = each, each = each->next)
      if (of(*each).from == index) return std::pair{before, each};
    return std::pair<fetch*, fetch*>{};
  };
  for (auto [before, each] = theirs(); each != nullptr; std::tie(before, each) = theirs()) {
    of(*each).pages = 0;
    finish(before, *each);
  }
}

/// Takes it out of the list and tells its owner.
void fetcher::finish(fetch* before, fetch& over) noexcept {
  (before != nullptr ? before->next : first_) = over.next;
  if (last_ == &over) last_ = before;
  let_go(of(over).record);
  const std::error_code error = of(over).pages == 0 ? make_error_code(errc::peer_failed) : std::error_code{};
  over.next = nullptr;
  over.done(over, error);  // may start others, and may end the fetch's life
}

}  // namespace peal::shm
