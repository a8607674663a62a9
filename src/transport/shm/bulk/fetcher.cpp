#include "transport/shm/bulk/fetcher.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/copy.hpp"
#include "peal/error.hpp"
#include "transport/shm/bulk/pace.hpp"
#include "transport/shm/inbox.hpp"

namespace peal::shm {
namespace {

/// Fruitless looks at a staged payload before the receiver takes a piece past the sender: a few
/// microseconds, longer than the sender takes for a piece when it is at work.
constexpr std::uint16_t patience = 300;
/// Payloads through a ring after which the sender has one. While it makes that, for half
/// a millisecond, this process loses patience, and copies by itself.
constexpr std::uint8_t ring_is_made = 4;
/// Pages that the kernel copies before they are absorbed: few enough to stay in the first- and
/// second-level caches.
constexpr std::uint32_t absorbed_piece = 32;

}  // namespace

struct fetcher::progress {
  transfer* record;      // null: none was to be had yet, or the receiver goes alone
  std::uint32_t skip;    // pages of the payload that were there before it began anew
  std::uint32_t pages;   // of the rest; 0: failed
  std::uint32_t own;     // pages copied by this process
  std::uint32_t pieces;  // staged: taken out of the ring
  std::uint32_t direct;  // staged: pages taken past the sender
  std::int32_t from;
  std::uint16_t misses;   // staged: fruitless looks in a row
  std::uint16_t refused;  // pages among `direct` that are not there
  transfer_mode mode;
  bool alone;      // without the sender
  bool by_kernel;  // the kernel may be asked
  bool abandoned;  // it refused: goes on staged when the sender has left
  bool measured;   // the choice wants to know what it takes
  bool trial;      // and of its end
  way how;
  std::uint16_t cell;  // of the choice
  fetcher::clock::time_point began;
};

fetcher::progress& fetcher::of(fetch& f) noexcept {
  static_assert(sizeof(progress) <= sizeof f.scratch &&
                alignof(progress) <= alignof(std::uint64_t));
  return *std::launder(reinterpret_cast<progress*>(f.scratch.data()));
}

fetcher::fetcher(node_segment& segment, direct_copy& direct, bells& ringer, policy how)
    : segment_{&segment},
      direct_{&direct},
      bells_{&ringer},
      policy_{how},
      own_parts_{parts::of(segment, segment.index())},
      choice_{segment.at<front>(segment.front(0).offset)->rates} {
  auto& own = *segment.at<front>(segment.front(segment.index()).offset);
  for (transfer& each : own.fetches) records_.push_back({&each, -1, false});
}

/// Of the first fetch: all queues, and room for the names of all. False: there is no memory.
bool fetcher::make_queues() noexcept {
  const auto count = static_cast<std::size_t>(segment_->count());
  try {
    active_.reserve(count);
    queues_.resize(count);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

remote_region fetcher::describe(const void* data, std::size_t bytes) const noexcept {
  // Where the payload is being made; 0: not known (sched_getcpu is -1).
  const auto core = static_cast<std::uint64_t>(sched_getcpu()) + 1;
  if (segment_->contains(data, bytes))
    return {{segment_->offset_of(data), bytes, in_segment, core}};
  return {{reinterpret_cast<std::uintptr_t>(data), bytes, 0, core}};
}

void fetcher::start(fetch& f, int from) noexcept {
  f.next = nullptr;
  if (queues_.empty() && !make_queues()) [[unlikely]]
    return f.done(f, errc::no_space);
  queue& line = queue_of(from);
  progress& p = *new (f.scratch.data()) progress{};
  p.from = from;
  p.pages = pages_of(f.bytes);
  p.by_kernel = f.where.words[2] != packed && direct_->reaches(from);
  choose(f);
  if (p.how == way::alone && readable(f) && f.bytes <= copy_choice::longest_alone) {
    // At once: waking the sender's interest costs two lines between the cores and an atomic each
    // way.
    const int error = copy(f, 0, f.bytes);
    if (error == 0) {
      measure(f, true);
      last_.from = -1;  // a longer payload may be under way
      return f.done(f, {});
    }
    (void)refused(f, error);
  } else if (!p.alone && line.opened == line.length) {
    open(f);
  }
  if (line.first == nullptr) active_.push_back(from);
  (line.first == nullptr ? line.first : line.last->next) = &f;
  line.last = &f;
  ++line.length;
}

/// Settles which way the payload takes.
void fetcher::choose(fetch& f) noexcept {
  progress& p = of(f);
  add_one(chosen_);
  const bool seen = (f.where.words[2] & in_segment) != 0;
  const bool joined = f.absorb != nullptr;
  const bool shows = !joined && segment_->contains(f.into, f.bytes);  // to the sender
  const bool learns = policy_.learns && readable(f);
  if (f.bytes <= policy_.longest_alone && readable(f)) {
    p.how = way::alone;
  } else if (joined && (seen || !p.by_kernel || !learns)) {
    // The sender is needed only where the receiver does not see the payload.
    p.how = seen || (p.by_kernel && policy_.usual != way::staged) ? way::alone : way::staged;
  } else if (!seen && !shows && !p.by_kernel) {
    p.how = way::staged;
  } else if (!learns) {
    p.how = !seen && !shows ? policy_.usual : way::together;
  } else {
    const span apart = policy_.between_cores == nullptr
                           ? span::cache
                           : policy_.between_cores->between(sched_getcpu(),
                                                            static_cast<int>(f.where.words[3]) - 1);
    const copy_choice::answer made = choice_.choose(joined  ? buffers::absorbed
                                                    : seen  ? buffers::source_shared
                                                    : shows ? buffers::destination_shared
                                                            : buffers::separate,
                                                    apart, f.bytes);
    p.how = made.how;
    p.cell = made.cell;
    p.measured = made.measure;
    p.trial = made.trial;
    if (!made.settled) add_one(unsettled_);
    if (made.measure) p.began = clock::now();
  }
  p.mode = is_staged(p.how) ? transfer_mode::staged : transfer_mode::claims;
  p.alone = p.how == way::alone;
}

/// Tells the choice what a payload has taken: from its start, or from the end of the one before it
/// where that came later, so that of several under way each counts for its part of the time. It is
/// not counted when another sender's payload, or one that went another way, took part of that time.
void fetcher::measure(fetch& f, bool in_turn) noexcept {
  progress& p = of(f);
  if (std::exchange(p.trial, false)) choice_.trial_ended(p.cell);
  queue& line = queues_[static_cast<std::size_t>(p.from)];
  if (is_staged(p.how) && line.staged < ring_is_made) {
    ++line.staged;
    p.measured = false;
  }
  ++counts_[static_cast<std::size_t>(p.how)];
  if (!policy_.learns) return;
  const bool others = active_.size() > 1 || (active_.size() == 1 && active_.front() != p.from);
  if (!p.measured && active_.empty()) return;  // and so none is under way that it could disturb
  const clock::time_point now = clock::now();
  const bool behind = p.measured && last_.when > p.began;
  if (p.measured && in_turn && !others && (!behind || (last_.from == p.from && last_.how == p.how)))
    choice_.note(p.cell, p.how, f.bytes,
                 static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                now - (behind ? last_.when : p.began))
                                                .count()));
  last_ = {now, in_turn && !others ? p.from : -1, p.how};
}

/// Whether this process can copy without the sender.
bool fetcher::readable(fetch& f) noexcept {
  return (f.where.words[2] & in_segment) != 0 || of(f).by_kernel;
}

/// However many of them other senders do not give back, there are some for this one, unless
/// /dev/shm is full.
transfer* fetcher::take_record(int from) noexcept {
  if (queue_of(from).opened == transfers_per_peer) return nullptr;
  record_use* found = nullptr;
  std::uint32_t held = 0;
  for (record_use& each : records_) {
    // Pairs with helper::leave.
    const bool given_back =
        !each.in_use && (each.peer < 0 || each.record->left.load(std::memory_order_acquire) != 0);
    if (given_back) found = &each;
    else held += each.peer == from;
  }
  if (held >= transfers_per_peer) return nullptr;
  if (found == nullptr) found = add_records();
  if (found == nullptr) return nullptr;
  found->peer = from;
  found->in_use = true;
  return found->record;
}

/// A page of them; null where there is none.
fetcher::record_use* fetcher::add_records() noexcept {
  const std::size_t added = records_.size() - transfers;
  if (added >= own_parts_.transfer_count) return nullptr;
  const std::uint64_t offset = own_parts_.transfers + added * sizeof(transfer);
  if (segment_->commit(offset, transfer_step * sizeof(transfer)) != 0) return nullptr;
  const std::size_t before = records_.size();
  try {
    for (std::uint32_t each = 0; each < transfer_step; ++each)
      records_.push_back({segment_->at<transfer>(offset + each * sizeof(transfer)), -1, false});
  } catch (const std::bad_alloc&) {
    while (records_.size() > before) records_.pop_back();
    return nullptr;
  }
  return &records_.back();
}

void fetcher::let_go(fetch& f) noexcept {
  progress& p = of(f);
  if (p.record == nullptr) return;
  for (record_use& each : records_)
    if (each.record == p.record) each.in_use = false;
  p.record = nullptr;
  --queue_of(p.from).opened;
}

/// Asks the sender to take part.
void fetcher::open(fetch& f) noexcept {
  progress& p = of(f);
  p.record = take_record(p.from);
  if (p.record == nullptr) return;
  ++queue_of(p.from).opened;
  transfer& record = *p.record;
  record.link.kind = inbox_kind::transfer;
  record.link.from = static_cast<std::uint32_t>(segment_->index());
  const std::size_t skipped = p.skip * claim_page;
  record.source = f.where.words[0] + skipped;
  record.source_in_segment = (f.where.words[2] & in_segment) != 0;
  record.source_packed = f.where.words[2] == packed;
  record.destination_in_segment = f.absorb == nullptr && segment_->contains(f.into, f.bytes);
  record.destination =
      skipped + (record.destination_in_segment ? segment_->offset_of(f.into)
                                               : reinterpret_cast<std::uintptr_t>(f.into));
  record.bytes = std::min(f.bytes - skipped, p.pages * claim_page);
  record.mode = p.mode;
  record.in_large_pieces = p.how == way::staged_large;
  record.claimed.store(0, std::memory_order_relaxed);
  record.helped.store(0, std::memory_order_relaxed);
  record.left.store(0, std::memory_order_relaxed);
  record.returned_pages = 0;
  record.stage = transfer_stage::waiting;
  record.emptied.store(0, std::memory_order_relaxed);
  push(*segment_, segment_->at<front>(segment_->front(p.from).offset)->inbox, record.link);
  bells_->message_for(p.from);
}

bool fetcher::impatient() const noexcept {
  for (const int from : active_) {
    bool first = true;  // those that step(from) looks at
    for (fetch* each = queues_[static_cast<std::size_t>(from)].first; each != nullptr;
         each = each->next) {
      const progress& p = of(*each);
      const bool looked_at = p.record != nullptr || std::exchange(first, false);
      if (looked_at && p.mode == transfer_mode::staged && p.by_kernel && p.misses < patience)
        return true;
    }
  }
  return false;
}

// The peer behind the one that moved last comes first: a peer that always has something must not
// keep the other peers waiting.
bool fetcher::step() noexcept {
  const std::size_t count = active_.size();
  for (std::size_t each = 0; each < count; ++each) {
    const std::size_t at = (next_ + each) % count;
    if (!step(active_[at])) continue;
    next_ = at + 1;
    return true;
  }
  return false;
}

/// Those that have records, and the first that has none.
bool fetcher::step(int from) noexcept {
  queue& line = queue_of(from);
  fetch* before = nullptr;
  std::uint32_t opened = line.opened;
  bool waits = false;
  for (fetch* each = line.first; each != nullptr && !(waits && opened == 0);
       before = each, each = each->next) {
    if (of(*each).record != nullptr) --opened;
    else if (std::exchange(waits, true)) continue;
    const outcome result = advance(*each);
    if (result == outcome::nothing) continue;
    if (result == outcome::finished) finish(line, before, *each);
    return true;
  }
  return false;
}

fetcher::outcome fetcher::advance(fetch& f) noexcept {
  progress& p = of(f);
  if (p.pages == 0) return outcome::finished;  // failed
  // Without a record yet, and nothing done alone: a record of an earlier payload may be free by
  // now.
  if (p.record == nullptr && p.own == 0 && !p.alone) open(f);
  if (p.mode == transfer_mode::staged) return advance_staged(f);
  if (p.record != nullptr) return advance_together(f);
  return readable(f) ? advance_alone(f) : outcome::nothing;
}

fetcher::outcome fetcher::advance_alone(fetch& f) noexcept {
  progress& p = of(f);
  return copy_piece(
      f, {p.own, std::min(p.pages - p.own, f.absorb == nullptr ? largest_piece : absorbed_piece)});
}

fetcher::outcome fetcher::advance_together(fetch& f) noexcept {
  progress& p = of(f);
  transfer& record = *p.record;
  const bool able = !p.abandoned && readable(f);
  if (able)
    if (const piece next = take(record.claimed, p.pages, from::front); next.pages > 0)
      return copy_piece(f, next);
  // What is left is the sender's.
  // pairs with the release in helper::leave; before all_there
  const bool left = record.left.load(std::memory_order_acquire) != 0;
  if (all_there(f)) return outcome::finished;
  if (!left) return outcome::nothing;
  if (able) {
    const piece returned{record.returned_first, std::exchange(record.returned_pages, 0)};
    return copy_piece(f, returned);
  }
  return restart_staged(f);
}

/// The kernel refused in the middle. The sender is out of the buffers; what is missing goes by way
/// of the ring.
fetcher::outcome fetcher::restart_staged(fetch& f) noexcept {
  progress& p = of(f);
  // The sender's part lies anywhere: all of it again.
  if (p.mode == transfer_mode::claims && !p.alone) p.own = 0;
  let_go(f);
  p.skip += p.own - (p.direct - p.refused);
  p.pages -= p.own;
  p.own = p.pieces = p.direct = p.misses = p.refused = 0;
  p.mode = transfer_mode::staged;
  p.how = way::staged;
  p.alone = p.abandoned = p.measured = false;
  open(f);
  return outcome::worked;
}

bool fetcher::all_there(fetch& f) noexcept {
  const progress& p = of(f);
  std::uint32_t helped = 0;
  if (p.record != nullptr && p.mode == transfer_mode::claims)
    helped = p.record->helped.load(std::memory_order_acquire);  // pairs with the release in helper
  return p.own + helped == p.pages;
}

fetcher::outcome fetcher::copy_piece(fetch& f, piece what) noexcept {
  progress& p = of(f);
  const std::size_t at = (p.skip + what.first) * claim_page;
  if (const int error = copy(f, at, std::min(what.pages * claim_page, f.bytes - at)); error != 0)
    return refused(f, error);
  p.own += what.pages;
  return all_there(f) ? outcome::finished : outcome::worked;
}

int fetcher::copy(fetch& f, std::size_t at, std::size_t bytes) noexcept {
  if ((f.where.words[2] & in_segment) == 0) return read(f, at, bytes);
  const std::byte* const from = segment_->at(f.where.words[0] + at);
  if (f.absorb != nullptr) f.absorb(f, from, at, bytes);
  else copy_wide(static_cast<std::byte*>(f.into) + at, from, bytes);
  return 0;
}

/// By the kernel. A piece is absorbed as a whole or not at all.
int fetcher::read(fetch& f, std::size_t at, std::size_t bytes) noexcept {
  const std::uint64_t from = f.where.words[0] + at;
  if (f.absorb == nullptr)
    return direct_->read(of(f).from, from, static_cast<std::byte*>(f.into) + at, bytes);
  try {
    bounce_.resize(absorbed_piece * claim_page);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  const int error = direct_->read(of(f).from, from, bounce_.data(), bytes);
  if (error == 0) f.absorb(f, bounce_.data(), at, bytes);
  return error;
}

fetcher::outcome fetcher::refused(fetch& f, int error) noexcept {
  progress& p = of(f);
  if (error == ESRCH) {
    p.pages = 0;
    return outcome::finished;
  }
  if (error != EFAULT && error != ENOMEM) direct_->give_up(p.from);
  p.by_kernel = false;
  if (p.record == nullptr) return restart_staged(f);
  p.abandoned = true;
  take_all(p.record->claimed, p.pages);  // the sender leaves
  bells_->message_for(p.from);
  return outcome::worked;
}

fetcher::outcome fetcher::advance_staged(fetch& f) noexcept {
  progress& p = of(f);
  if (p.record == nullptr) return wait_staged(f);
  transfer& record = *p.record;
  // Pairs with the release in helper.
  if (record.helped.load(std::memory_order_acquire) == p.pieces) return wait_staged(f);
  // The memory of a ring is new in its first lap, and slower by several times: the choice would
  // believe that.
  if (record.first + record.bytes <= record.ring_bytes) p.measured = false;
  const std::uint32_t first =
      p.pieces * static_cast<std::uint32_t>(record.piece_bytes / claim_page);
  // The sender's last piece ends where the pieces begin that this process took from the back.
  const std::uint32_t pages = std::min(static_cast<std::uint32_t>(record.piece_bytes / claim_page),
                                       p.pages - p.direct - first);
  const std::size_t at = (p.skip + first) * claim_page;
  const std::size_t bytes = std::min(pages * claim_page, f.bytes - at);
  const std::uint64_t position = record.first + std::uint64_t{p.pieces} * record.piece_bytes;
  const std::byte* const from = segment_->at(record.ring + position % record.ring_bytes);
  const auto take = [&] {
    if (f.absorb != nullptr) f.absorb(f, from, at, bytes);
    else copy_wide(static_cast<std::byte*>(f.into) + at, from, bytes);
  };
  if (p.pieces < timed_pieces) record.read_time[p.pieces] = pace::time(take);
  else take();
  p.own += pages;
  p.misses = 0;
  // Pairs with the acquires in helper: the piece may be written over.
  record.emptied.store(++p.pieces, std::memory_order_release);
  bells_->message_for(p.from);
  return p.own == p.pages ? outcome::finished : outcome::worked;
}

/// Nothing of it is in the ring at the moment.
fetcher::outcome fetcher::wait_staged(fetch& f) noexcept {
  progress& p = of(f);
  if (p.abandoned) {
    // Pairs with the release in helper::leave.
    if (p.record->left.load(std::memory_order_acquire) == 0) return outcome::nothing;
    return restart_staged(f);
  }
  if (!p.by_kernel) return outcome::nothing;
  if (p.misses < patience) ++p.misses;
  if (p.misses < patience) return outcome::nothing;
  if (p.record == nullptr) return advance_alone(f);
  const piece next =
      take(p.record->claimed, p.pages, from::back, f.absorb == nullptr ? 0 : absorbed_piece);
  if (next.pages == 0) return outcome::nothing;
  p.direct += next.pages;
  const outcome result = copy_piece(f, next);
  if (p.abandoned) p.refused = static_cast<std::uint16_t>(next.pages);
  return result;
}

void fetcher::peer_failed(int index) noexcept {
  if (queues_.empty()) return;
  queue& line = queue_of(index);
  for (record_use& each : records_)
    if (each.peer == index) each.peer = -1;  // it writes there no more
  while (line.first != nullptr) {
    of(*line.first).pages = 0;
    finish(line, nullptr, *line.first);
  }
}

/// Takes it out of its queue and tells its owner.
void fetcher::finish(queue& line, fetch* before, fetch& over) noexcept {
  if (of(over).pages != 0) measure(over, before == nullptr);
  else if (of(over).trial) choice_.trial_ended(of(over).cell);
  (before != nullptr ? before->next : line.first) = over.next;
  if (line.last == &over) line.last = before;
  if (line.first == nullptr) std::erase(active_, of(over).from);
  --line.length;
  let_go(over);
  const std::error_code error =
      of(over).pages == 0 ? make_error_code(errc::peer_failed) : std::error_code{};
  over.next = nullptr;
  over.done(over, error);  // may start others, and may end the fetch's life
}

}  // namespace peal::shm
