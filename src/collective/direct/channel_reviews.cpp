// Reviews of a channel: what the ranks tell each other, past messages or by them, and what comes of
// it.
#include <algorithm>
#include <limits>
#include <mutex>

#include "collective/direct/channel.hpp"

namespace peal::direct {

namespace {

std::uint32_t between(std::uint64_t from, std::uint64_t to) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(to - from, 1, learnt_summary::not_known - 1));
}

void join_summaries(void*, const void* in, void* inout, std::size_t count) {
  const auto* const from = static_cast<const learnt_summary*>(in);
  auto* const into = static_cast<learnt_summary*>(inout);
  for (std::size_t i = 0; i != count; ++i) into[i].join(from[i]);
}

}  // namespace

/// `calls`: how many there are with the one that it goes along with.
void channel::prepare_review(std::uint32_t calls) {
  window_began_ = calls;
  next_review_ = window_began_ + learnt_ways::idle_window;  // until it is known
  learnt_->fastest_of_messages(settled_);
  said_ = learnt_->tell();
  review_ = {};
  if (reviews_by_messages()) return;
  heard_.resize(static_cast<std::size_t>(size_));
  review_.kind = detail::collective::allgather;
  review_.send = &said_;
  review_.receive = heard_.data();
  review_.bytes = sizeof said_;
  static_assert(sizeof said_ <= line_payload);
}

/// Where no memory is shared by all, or calls go by groups.
void channel::start_review_apart() {
  const std::lock_guard<engine> guard{in_->progress};
  if (!long_.apart) long_.apart.emplace(collectives_, members_, long_.context, &plain_);
  start_review(long_.apart->state);
}

/// With the engine's lock held.
void channel::start_review(collective_state& on) noexcept {
  in_->reviews.store(in_->reviews.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  // relaxed: the engine's lock is held. What failed before this state was made fails here, too.
  if (failed_.load(std::memory_order_relaxed)) return conclude_review(errc::peer_failed, false);
  const std::uint64_t now = now_in_nanoseconds();
  joined_ = learnt_summary{said_};
  if (last_review_ended_ != 0) {
    joined_.review_took = between(last_review_began_, last_review_ended_);
    joined_.window_took = between(last_review_ended_, now);
  }
  last_review_began_ = now;
  review_ = {};
  review_.kind = detail::collective::allreduce;
  review_.in_place = true;
  review_.receive = &joined_;
  review_.bytes = review_.element_size = sizeof joined_;
  review_.op = {.commutative = true, .combine = join_summaries};
  operation& started = collectives_.start(
      on, review_,
      {[](void* here, operation& over) noexcept { static_cast<channel*>(here)->hear_review(over); },
       this});
  if (started.finished.load(std::memory_order_relaxed)) hear_review(started);
}

/// One by messages is over. With the engine's lock held.
void channel::hear_review(operation& over) noexcept {
  const std::error_code error = over.result.error;
  in_->messages.release(over);
  last_review_ended_ = now_in_nanoseconds();
  // The other ranks may have heard, and decide by what this rank does not know.
  if (error) collectives_.fail(members_.context(), 1, members_.peer(members_.rank()));
  conclude_review(error, false);
}

/// A thread that polls may call it; the one that makes calls waits.
void channel::conclude_review(std::error_code error, bool directly) noexcept {
  if (!error) {  // after a failure nobody goes on
    if (directly) {
      joined_ = {};
      for (const told_times& each : heard_) joined_.join(learnt_summary{each});
    }
    const int changed = learnt_->hear(joined_);
    in_->changes.fetch_add(static_cast<std::uint64_t>(changed), std::memory_order_relaxed);
    next_review_ = window_began_ + learnt_->window();
    if (members_.rank() == 0) publish();
  }
  // Pairs with the acquire in await_review.
  reviewing_.store(false, std::memory_order_release);
}

void channel::await_end_of_review() {
  in_->progress.wait_unlocked([this] {
    return !reviewing_.load(std::memory_order_acquire) || failed_.load(std::memory_order_relaxed);
  });
}

/// After a failure, where one by messages is under way. With the engine's lock held.
void channel::give_up_review() noexcept {
  for (const call_class* const each : {&short_, &long_})
    if (each->apart)
      collectives_.fail(each->apart->members.context(), 1, members_.peer(members_.rank()));
}

}  // namespace peal::direct
