#include "transport/verbs/connect/promoter.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

/// A connection stays as long, at least: setting one up takes some of them, and what it was made
/// for shall pass.
constexpr milliseconds shortest_life{20};
/// Connections that are asked to end at the same time; and when the line does not move, another one
/// after this time.
constexpr std::size_t most_ending = 4;
constexpr milliseconds between_demands{100};
/// A request without an answer is given up for another peer's after this time; each time it is
/// doubled, since answers may just be slow.
constexpr milliseconds first_patience{500};
constexpr milliseconds longest_patience{16000};

/// Of two pairs that stand in each other's way the lower one goes first.
std::pair<peer_id, peer_id> pair_of(peer_id a, peer_id b) noexcept { return std::minmax({a, b}); }

}  // namespace

promoter::promoter(endpoint& endpoint, connections& connections, sender& out, const addresses& who,
                   connector& connector, datagrams& datagrams, payloads& payloads,
                   const promotion_rules& rules, std::uint32_t peers, peer_events& told)
    : endpoint_{endpoint},
      connections_{connections},
      sender_{out},
      addresses_{who},
      connector_{connector},
      datagrams_{datagrams},
      payloads_{payloads},
      events_{told},
      rules_{rules},
      messages_(peers),
      in_line_(peers),
      patience_{first_patience} {}

// ---- messages and fetches without a connection

bool promoter::send(peer_id to, envelope e, const void* payload) noexcept {
  connection* const at = connections_.of(to);
  if (at && (at->is_lost() || at->handshake.goes_on())) return false;
  if (at && at->is_in_use()) {
    if (at->lifetime.is_ending() || !datagrams_.drained(to)) return false;
    at->lifetime.carry();
    return sender_.send(*at, e, payload);
  }
  if (!rules_.cold) {
    if (!at) want(to);
    return false;
  }
  if (!datagrams_.send(to, e, payload)) return false;
  if (++messages_[to] >= rules_.promote) want(to);
  return true;
}

void promoter::wait_for(fetch& f) noexcept {
  fetches_.push_back(&f);
  want(f.from);
}

bool promoter::may_take_datagrams(peer_id from) const noexcept {
  const connection* const at = connections_.of(from);
  return !at || !at->lifetime.has_said_last() || at->lifetime.has_heard_last();
}

void promoter::opened(connection& at) noexcept {
  at.lifetime.opened(endpoint_.epoch);
  at.eager.used_in(endpoint_.epoch - 1);
  if (datagrams_.drained(at.peer)) at.lifetime.carry();
  patience_ = first_patience;
  short_since_ = clock::time_point::max();
  next_try_ = {};
  if (datagrams_.knows(at.peer)) ++endpoint_.counters.promotions;
  start_fetches(at);
}

void promoter::reopened(connection& at) noexcept {
  if (!at.lifetime.is_ending()) start_fetches(at);
}

void promoter::start_fetches(connection& at) noexcept {
  const auto first = std::stable_partition(
      fetches_.begin(), fetches_.end(), [&](const fetch* each) { return each->from != at.peer; });
  const std::vector<fetch*> its(first, fetches_.end());
  fetches_.erase(first, fetches_.end());
  for (fetch* each : its) payloads_.start(*each);
}

void promoter::forget(const connection& gone) noexcept {
  std::erase(ending_, &gone);
  messages_[gone.peer] = 0;
}

void promoter::removed(peer_id without) noexcept {
  if (needed(without)) want(without);
}

void promoter::abandon(peer_id gone) noexcept {
  if (in_line_[gone]) std::erase(line_, gone);
  in_line_[gone] = false;
  const auto first = std::stable_partition(fetches_.begin(), fetches_.end(),
                                           [&](const fetch* each) { return each->from != gone; });
  const std::vector<fetch*> its(first, fetches_.end());
  fetches_.erase(first, fetches_.end());
  for (fetch* each : its) each->done(*each, make_error_code(errc::peer_failed));
}

void promoter::send_last(const std::vector<bool>& dead) noexcept {
  for (peer_id each = 0; each < messages_.size(); ++each) {
    const connection* const at = connections_.of(each);
    const bool connected = at && at->is_in_use();
    if (connected || dead[each] || each == addresses_.self() || !addresses_.of(each) ||
        datagrams_.left(each))
      continue;
    if (rules_.cold || datagrams_.knows(each)) datagrams_.send_last(each);
  }
}

// ---- more connections

void promoter::want(peer_id to) noexcept {
  const connection* const at = connections_.of(to);
  if (in_line_[to] || (at && !at->lifetime.is_ending())) return;
  if (!at && line_.empty() && connections_.count() < rules_.max_rc) {
    connector_.start(to);
    return;
  }
  want_later(to);
}

void promoter::want_later(peer_id to) noexcept {
  if (in_line_[to]) return;
  in_line_[to] = true;
  line_.push_back(to);
}

bool promoter::admits(peer_id from) noexcept {
  if (connections_.count() < rules_.max_rc)
    return connections_.count() > 0 || clock::now() >= next_try_;
  connection* in_the_way = nullptr;
  const peer_id self = addresses_.self();
  connections_.for_each([&](connection& each) {
    if (each.is_requesting() && !each.handshake.goes_on() &&
        pair_of(self, each.peer) > pair_of(self, from))
      in_the_way = &each;
  });
  if (!in_the_way) {
    want(from);
    return false;
  }
  const peer_id later = in_the_way->peer;
  connector_.cancel(*in_the_way);
  want(later);
  return true;
}

bool promoter::full(peer_id wanted) noexcept {
  const auto now = clock::now();
  go_cold();
  if (connections_.count() > 0) {
    log_info("the RDMA device gives {} connections and no more", connections_.count());
    rules_.max_rc = static_cast<std::uint32_t>(connections_.count());
  } else {
    if (short_since_ == clock::time_point::max())
      log_warning(
          "{} gives no connection at the moment; messages to peers go as datagrams, and large ones "
          "wait",
          endpoint_.on.name());
    short_since_ = std::min(short_since_, now);
    next_try_ = now + between_demands;
    if (now - short_since_ > std::chrono::duration<double>{endpoint_.set.timeout} && needed(wanted))
      return false;
  }
  want_later(wanted);
  return true;
}

bool promoter::needed(peer_id which) const noexcept {
  return std::ranges::any_of(fetches_, [which](const fetch* each) { return each->from == which; });
}

bool promoter::step() noexcept {
  bool moved = !ending_.empty() && go_on_ending();
  if (!line_.empty()) moved |= connect_waiting();
  if (!line_.empty()) make_room();
  return moved;
}

promoter::clock::time_point promoter::due() const noexcept {
  return line_.empty() && ending_.empty() ? clock::time_point::max() : clock::now() + shortest_life;
}

bool promoter::connect_waiting() noexcept {
  if (connections_.count() == 0 && clock::now() < next_try_) return false;
  bool any = false;
  // A peer that finds no room stands at the end of the line again.
  std::size_t count = line_.size();
  for (std::size_t each = 0; each < count;) {
    const peer_id to = line_[each];
    const connection* const at = connections_.of(to);
    if (at ? at->lifetime.is_ending() : connections_.count() >= rules_.max_rc) {
      ++each;
      continue;
    }
    line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(each));
    in_line_[to] = false;
    --count;
    if (!at) connector_.start(to);
    any = true;
  }
  return any;
}

// ---- fewer

void promoter::make_room() noexcept {
  const auto now = clock::now();
  const bool overdue = now >= next_demand_;
  if (ending_.size() >= std::min(line_.size(), most_ending) && !overdue) return;
  if (connection* const least = coldest(now)) {
    next_demand_ = now + between_demands;
    begin_to_end(*least);
    return;
  }
  if (!overdue) return;
  next_demand_ = now + between_demands;
  connection* oldest = nullptr;
  connections_.for_each([&](connection& each) {
    if (each.is_requesting() && !each.handshake.goes_on() &&
        now - each.handshake.since() >= patience_ &&
        (!oldest || each.handshake.since() < oldest->handshake.since()))
      oldest = &each;
  });
  if (!oldest) return;
  patience_ = std::min(patience_ * 2, longest_patience);
  const peer_id later = oldest->peer;
  connector_.cancel(*oldest);
  want(later);
}

/// The one that was idle longest; null where none may end.
connection* promoter::coldest(clock::time_point now) noexcept {
  connection* found = nullptr;
  std::uint32_t idle = 0;
  connections_.for_each([&](connection& each) {
    if (!each.is_open() || each.lifetime.is_ending() ||
        now - each.lifetime.opened_at() < shortest_life)
      return;
    const bool busy = !each.eager.held.empty() || payloads_.under_way(each);
    const std::uint32_t its = busy ? 0
                                   : std::min(endpoint_.epoch - each.eager.last_use(),
                                              endpoint_.epoch - each.lifetime.heard_epoch());
    if (found && its <= idle) return;
    found = &each;
    idle = its;
  });
  return found;
}

void promoter::begin_to_end(connection& of) noexcept {
  of.lifetime.begin_to_end();
  ending_.push_back(&of);
}

void promoter::heard_last(connection& from) noexcept {
  from.lifetime.heard_last();
  if (!from.lifetime.is_ending()) begin_to_end(from);
}

bool promoter::go_on_ending() noexcept {
  bool moved = false;
  for (std::size_t each = 0; each < ending_.size();) {
    connection& of = *ending_[each];
    if (of.is_open() && !of.lifetime.has_said_last() && of.eager.held.empty() &&
        !payloads_.under_way(of) && sender_.say_last(of)) {
      of.lifetime.said_last();
      moved = true;
    }
    if (!of.lifetime.is_over() || of.handshake.goes_on() || of.eager.sent.outstanding() > 0) {
      ++each;
      continue;
    }
    ++endpoint_.counters.demotions;
    events_.ended(of);  // it stands here no more
    moved = true;
  }
  return moved;
}

}  // namespace peal::verbs
