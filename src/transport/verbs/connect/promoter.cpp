#include "transport/verbs/connect/promoter.hpp"

#include <algorithm>
#include <array>
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
/// No more connections than these are looked at for one that may end; the next look is a
/// millisecond later. All are looked at once in a term of traffic at most, and no more often than
/// this.
constexpr int most_looks = 8;
constexpr milliseconds between_looks{1}, between_ranks{20};
/// A term: some packets with each connection.
constexpr std::uint64_t packets_a_term = 4, shortest_term = 64;
/// A request without an answer is given up for another peer's after this time; each time it is
/// doubled, since answers may just be slow.
constexpr milliseconds first_patience{500};
constexpr milliseconds longest_patience{16000};

/// Of two pairs that stand in each other's way the lower one goes first.
std::pair<peer_id, peer_id> pair_of(peer_id a, peer_id b) noexcept { return std::minmax({a, b}); }

/// Packets, both ways, modulo 2^32.
std::uint32_t traffic_of(const connection& of) noexcept {
  return of.eager.sent.last() + of.eager.credits.taken();
}

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
      cold_{peers},
      wishes_(peers),
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
    if (!at) want(to, wish::need);
    return false;
  }
  if (!datagrams_.knows(to) && !connector_.may_reach(to)) return false;
  if (!datagrams_.send(to, e, payload)) return false;
  if (cold_.sent(to, endpoint_.epoch, e.bytes()) >= rules_.promote && !at) want(to, wish::traffic);
  look_at_the_traffic();
  return true;
}

void promoter::wait_for(fetch& f) noexcept {
  fetches_.push_back(&f);
  cold_.waits(f.from);
  want(f.from, wish::need);
}

bool promoter::may_take_datagrams(peer_id from) noexcept {
  cold_.received(from);
  const connection* const at = connections_.of(from);
  return !at || !at->lifetime.has_said_last() || at->lifetime.has_heard_last();
}

void promoter::opened(connection& at) noexcept {
  at.lifetime.opened(endpoint_.epoch);
  at.eager.used_in(endpoint_.epoch - 1);
  at.lifetime.count(cold_.packets(at.peer), traffic_of(at), next_age_--);
  least_used_.add({at.peer, at.lifetime.packets(), at.lifetime.age()});
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
  cold_.forget(gone.peer);
}

void promoter::removed(peer_id without) noexcept {
  if (needed(without)) want(without, wish::need);
}

void promoter::abandon(peer_id gone) noexcept {
  if (wishes_[gone] != wish::none) std::erase(line_, gone);
  wishes_[gone] = wish::none;
  const auto first = std::stable_partition(fetches_.begin(), fetches_.end(),
                                           [&](const fetch* each) { return each->from != gone; });
  const std::vector<fetch*> its(first, fetches_.end());
  fetches_.erase(first, fetches_.end());
  for (fetch* each : its) each->done(*each, make_error_code(errc::peer_failed));
}

void promoter::send_last(const std::vector<bool>& dead) noexcept {
  for (peer_id each = 0; each < wishes_.size(); ++each) {
    const connection* const at = connections_.of(each);
    const bool connected = at && at->is_in_use();
    if (connected || dead[each] || each == addresses_.self() || !addresses_.of(each) ||
        datagrams_.left(each))
      continue;
    if (rules_.cold || datagrams_.knows(each)) datagrams_.send_last(each);
  }
}

// ---- more connections

/// One whose connection is ending asks again when it has ended (`removed`).
void promoter::want(peer_id to, wish why) noexcept {
  if (wishes_[to] >= why || connections_.of(to)) return;
  const bool room = connections_.count() < rules_.max_rc;
  if (room && line_.empty()) {
    connector_.start(to);
    return;
  }
  if (why == wish::need || room || deserves(to, least_packets_)) stand_in_line(to, why);
}

void promoter::want_later(peer_id to) noexcept {
  stand_in_line(to, needed(to) ? wish::need : wish::traffic);
}

void promoter::stand_in_line(peer_id to, wish why) noexcept {
  if (wishes_[to] == wish::none) line_.push_back(to);
  wishes_[to] = std::max(wishes_[to], why);
}

bool promoter::deserves(peer_id without, std::uint32_t of_other) noexcept {
  return deserves_place(cold_.packets(without), of_other, rules_.promote);
}

bool promoter::admits(peer_id from, bool needed) noexcept {
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
    want(from, needed ? wish::need : wish::traffic);
    return false;
  }
  const peer_id later = in_the_way->peer;
  connector_.cancel(*in_the_way);
  want_later(later);
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

/// A peer that finds no room stands at the end of the line again.
bool promoter::connect_waiting() noexcept {
  if (connections_.count() == 0 && clock::now() < next_try_) return false;
  bool any = false;
  for (std::size_t left = line_.size();
       left > 0 && !line_.empty() && connections_.count() < rules_.max_rc; --left) {
    const peer_id to = line_.front();
    line_.pop_front();
    wishes_[to] = wish::none;
    if (!connections_.of(to)) connector_.start(to);
    any = true;
  }
  return any;
}

// ---- whose traffic is how much

/// The end of a term costs nothing; counts are brought up to it when they are looked at.
void promoter::look_at_the_traffic() noexcept {
  const std::uint64_t now = endpoint_.counters.requests + cold_.all();
  if (now - term_began_ < std::max(shortest_term, packets_a_term * rules_.max_rc)) return;
  term_began_ = now;
  ++terms_;
  least_packets_ = 0;  // what was found may be used less by now
  cold_.next_term();
}

void promoter::rank(clock::time_point now) {
  next_rank_ = now + between_ranks;
  least_used_.clear();
  connections_.for_each([&](connection& each) {
    ++endpoint_.counters.promotion_looks;
    if (!each.is_open() || each.lifetime.is_ending()) return;
    each.lifetime.look(traffic_of(each), terms_ - ranked_);
    least_used_.add({each.peer, each.lifetime.packets(), each.lifetime.age()});
  });
  ranked_ = terms_;
}

/// The one that is used least; null where none may end. One that is busy goes only where the others
/// that were looked at may not.
connection* promoter::least(clock::time_point now) noexcept {
  if ((least_used_.empty() || terms_ != ranked_) && now >= next_rank_) rank(now);
  connection *found = nullptr, *busy = nullptr;
  std::array<least_used::entry, most_looks> staying;
  int stay = 0;
  for (int looks = 0; looks < most_looks && !found && !least_used_.empty(); ++looks) {
    ++endpoint_.counters.promotion_looks;
    const least_used::entry next = least_used_.take();
    connection* const at = connections_.of(next.peer);
    if (!at || !at->is_open() || at->lifetime.is_ending() || at->lifetime.age() != next.age)
      continue;
    staying[static_cast<std::size_t>(stay++)] = next;
    if (now - at->lifetime.opened_at() < shortest_life) continue;
    if (!at->eager.held.empty() || payloads_.under_way(*at)) busy = busy ? busy : at;
    else found = at;
  }
  while (stay > 0) least_used_.add(staying[static_cast<std::size_t>(--stay)]);
  return found ? found : busy;
}

// ---- fewer

void promoter::make_room() noexcept {
  const auto now = clock::now();
  const bool overdue = now >= next_demand_;
  // Of one that has ended the device may have something yet; its place is free soon.
  if (connections_.count() < rules_.max_rc) return;
  if (now < next_attempt_ || (ending_.size() >= std::min(line_.size(), most_ending) && !overdue))
    return;
  next_attempt_ = now + between_looks;
  if (connection* const to_end = least(now)) {
    least_packets_ = to_end->lifetime.packets();
    // Those before it in the line get the places of the connections that are ending.
    const auto whose =
        line_.begin() + static_cast<std::ptrdiff_t>(std::min(ending_.size(), line_.size() - 1));
    if (wishes_[*whose] == wish::traffic && !deserves(*whose, least_packets_)) {
      wishes_[*whose] = wish::none;
      line_.erase(whose);
      next_attempt_ = now;
      return;
    }
    next_attempt_ = next_demand_ = now + between_demands;
    if (ending_.size() + 1 < std::min(line_.size(), most_ending)) next_attempt_ = now;
    begin_to_end(*to_end);
  } else if (overdue) {
    next_demand_ = now + between_demands;
    give_up_a_request(now);
  }
}

void promoter::give_up_a_request(clock::time_point now) noexcept {
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
  want_later(later);
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
    if (of.is_open() && of.lifetime.is_to_say_last() && of.eager.held.empty() &&
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
