#include "comm/end/end_watch.hpp"

#include <time.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/log.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

constexpr std::chrono::seconds between_looks{1};

/// Whether a rank that has been found to wait for a peer at so many looks in a row asks it: at the
/// second one, and again later, since the first question may have come before the other rank had
/// made the communicator. Ever more seldom, for a rank that computes takes no questions.
constexpr bool asks_at(unsigned looks) noexcept { return looks > 1 && std::has_single_bit(looks); }

/// At a look. A rank may have receives from all others posted; it does not begin to talk to all of
/// them at once because of that.
constexpr int most_asked = 64;

constexpr std::uint32_t first_of(std::uint32_t context) noexcept {
  return context - context % contexts_of_one;
}

}  // namespace

end_watch::end_watch(messaging& messages, collectives& collectives,
                     const direct::direct_context* past_messages, const team& world, bool alone)
    : messages_{messages},
      collectives_{collectives},
      past_messages_{past_messages},
      world_{world},
      alone_{alone},
      next_{clock::now() + between_looks},
      notes_{messages, world, own_context,
             [](void* owner, peer_id from, const note& said) noexcept {
               static_cast<end_watch*>(owner)->take(from, said);
             },
             this} {
  collectives.on_failure(
      [](void* owner, std::uint32_t context) noexcept {
        auto& self = *static_cast<end_watch*>(owner);
        if (std::ranges::find(self.given_up_, first_of(context)) == self.given_up_.end())
          self.given_up_.push_back(first_of(context));
      },
      this);
}

// ---- what is said

void end_watch::take(peer_id from, const note& said) noexcept {
  switch (said.what) {
    case kind::ended: ended_.push_back(from); break;
    case kind::gave_up:
      log_info("rank {} has given up the collectives of a communicator", from);
      collectives_.fail(said.context, contexts_of_one, from);
      break;
    case kind::asks: answer(from, said.context); break;
  }
}

void end_watch::answer(peer_id asker, std::uint32_t context) noexcept {
  if (declared_) return say(asker, kind::ended, message);
  const auto health = context == message ? collectives::health::unknown
                                         : collectives_.health_of(context, contexts_of_one, asker);
  if (health == collectives::health::fails) return say(asker, kind::gave_up, context);
  // A question about a communicator that is not here, or not with the asker, would never be taken
  // away again.
  const wait kept{asker, health == collectives::health::works ? context : message};
  if (std::ranges::find(askers_, kept) == askers_.end()) askers_.push_back(kept);
}

void end_watch::say(peer_id to, kind what, std::uint32_t context) noexcept {
  send_copy(messages_, world_, own_context, to, note{what, context});
}

void end_watch::declare_end() noexcept {
  if (std::exchange(declared_, true)) return;
  std::ranges::sort(askers_);
  peer_id last = ~peer_id{0};
  for (const wait& each : askers_)
    if (each.peer != std::exchange(last, each.peer)) say(each.peer, kind::ended, message);
  askers_.clear();
}

void end_watch::forget(std::uint32_t context) noexcept {
  std::erase_if(askers_, [=](const wait& each) { return each.context == context; });
}

// ---- what is done

/// Asked every 64 turns, so by the clock that is read fastest, until it may be time.
bool end_watch::due() const noexcept {
  if (!ended_.empty() || !given_up_.empty()) return true;
  timespec coarse{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &coarse);
  const clock::time_point about{std::chrono::seconds{coarse.tv_sec} +
                                std::chrono::nanoseconds{coarse.tv_nsec}};
  constexpr std::chrono::milliseconds tick{10};  // of a slow kernel
  return about + tick >= next_ && clock::now() >= next_;
}

bool end_watch::look() {
  const bool only_news = clock::now() < next_;
  bool moved = take_news();
  moved |= end_calls_past_messages();
  if (only_news) return moved;
  next_ = clock::now() + between_looks;
  list_waits();
  ask();
  return moved;
}

bool end_watch::take_news() {
  const bool any = !ended_.empty() || !given_up_.empty();
  for (const peer_id each : std::exchange(ended_, {})) {
    log_info("rank {} is at its end", each);
    messages_.peer_ended(each);
  }
  for (const std::uint32_t context : std::exchange(given_up_, {})) {
    // Whatever belongs to it.
    collectives_.fail(context, contexts_of_one, world_.peer(world_.rank()));
    for (const wait& each : askers_)
      if (each.context == context) say(each.peer, kind::gave_up, context);
    forget(context);
  }
  return any;
}

bool end_watch::end_calls_past_messages() {
  bool any = false;
  if (past_messages_ == nullptr) return any;
  for (direct::waiting_call* const each : past_messages_->waiting) {
    const int rank = each->awaits();
    if (rank < 0) continue;
    const peer_id peer = each->among().peer(rank);
    if (!messages_.has_ended(peer) && !messages_.has_failed(peer)) continue;
    collectives_.fail(each->among().context(), contexts_of_one, world_.peer(world_.rank()));
    any = true;
  }
  return any;
}

void end_watch::list_waits() {
  found_.clear();
  messages_.list_awaited(found_, alone_);
  if (agreeing_ != nullptr) agreeing_->list_awaited(found_);
  waits_.clear();
  for (const awaited& each : found_)
    waits_.push_back({each.peer, each.collective ? first_of(each.context) : message});
  if (past_messages_ != nullptr)
    for (direct::waiting_call* const each : past_messages_->waiting)
      if (const int rank = each->awaits(); rank >= 0)
        waits_.push_back({each->among().peer(rank), first_of(each->among().context())});
  std::ranges::sort(waits_);
  const auto repeated = std::ranges::unique(waits_);
  waits_.erase(repeated.begin(), repeated.end());
}

void end_watch::ask() {
  std::vector<watched> now;
  now.reserve(waits_.size());
  auto known = watched_.begin();
  int asked = 0;
  for (const wait& each : waits_) {
    while (known != watched_.end() && known->what < each) ++known;
    const bool again = known != watched_.end() && known->what == each;
    unsigned looks = again ? known->looks + 1 : 1;
    if (asks_at(looks) && asked == most_asked) --looks;  // the next time
    else if (asks_at(looks)) say(each.peer, kind::asks, each.context), ++asked;
    now.push_back({each, looks});
  }
  watched_ = std::move(now);
}

}  // namespace peal
