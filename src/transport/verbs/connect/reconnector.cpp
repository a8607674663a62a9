#include "transport/verbs/connect/reconnector.hpp"

#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// For devices that do not tell when everything has come; and between two tries to get queue pairs.
constexpr std::chrono::milliseconds between_tries{50};

/// Times that this process may look late, of one failure: one that always does gives up too.
constexpr unsigned most_late_looks = 16;

double seconds(reconnector::clock::duration of) noexcept {
  return std::chrono::duration<double>(of).count();
}

}  // namespace

reconnector::brokens::iterator reconnector::find(const connection* which) noexcept {
  return std::ranges::find(all_, which, &broken::which);
}

void reconnector::interrupt(connection& at, const char* cause) noexcept {
  const auto now = clock::now();
  const bool first = find(&at) == all_.end();
  if (all_.empty()) looked_ = now;
  // The first try goes where messages went, unless the port there is known to be down; one that
  // broke again tries the links in turn.
  const std::uint8_t link = connector_.next_link(at, first || !at.is_open());
  connector_.forget(at);
  sender_.interrupt(at);
  payloads_.interrupt(at);
  pair_maker_.interrupt(at);
  const bool received = at.eager.pair->state != IBV_QPS_INIT;
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  const bool tells = ibv_modify_qp(at.eager.pair.get(), &error, IBV_QP_STATE) == 0;
  connector_.interrupted(at, link);
  connections_.renew(at);
  auto found = find(&at);
  if (found == all_.end()) {
    ++endpoint_.counters.interruptions;
    const auto times_out = std::chrono::duration_cast<clock::duration>(
        std::chrono::duration<double>{endpoint_.set.timeout});
    // Behind a port that goes there may be a thousand peers.
    if (all_.empty())
      log_warning("the connection to rank {} over {} broke, and is made again for {} s: {}",
                  at.peer, endpoint_.rails[at.eager.rail].name(), seconds(times_out), cause);
    else
      log_info("the connection to rank {} over {} broke, and is made again: {}", at.peer,
               endpoint_.rails[at.eager.rail].name(), cause);
    all_.push_back({&at, now, {}, false, 0, 0, cause});
    found = all_.end() - 1;
  }
  found->until = now + between_tries;
  found->over = !received || !tells;
}

void reconnector::reopened(connection& at) noexcept {
  ++endpoint_.counters.reconnections;
  sender_.send_again(at);
  if (at.is_open()) payloads_.go_on(at);
  // What has been agreed upon says little: the answer of the peer's adapter ends the failure.
  if (at.is_open()) sender_.post_probe(at);
  const auto found = find(&at);
  if (at.is_open() && found != all_.end()) found->answer = at.eager.sent.last();
}

void reconnector::forget(const connection& gone) noexcept {
  if (const auto found = find(&gone); found != all_.end()) all_.erase(found);
}

void reconnector::last_reached(std::uint32_t number) noexcept {
  for (broken& each : all_)
    if (each.which->is_interrupted() && each.which->eager.pair &&
        each.which->eager.pair->qp_num == number)
      each.over = true;
}

bool reconnector::any_interrupted() const noexcept {
  return std::ranges::any_of(all_, [](const broken& each) { return !each.which->is_open(); });
}

bool reconnector::is_drained(const broken& of, clock::time_point now) noexcept {
  return of.which->is_interrupted() && (of.over || now >= of.until);
}

reconnector::clock::duration reconnector::patience() const noexcept {
  return std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>{endpoint_.set.timeout});
}

reconnector::clock::time_point reconnector::due() const noexcept {
  auto first = clock::time_point::max();
  // Time in which nobody looks does not count.
  if (!all_.empty()) first = looked_ + patience() / 8;
  for (const broken& each : all_) {
    if (each.which->is_interrupted()) first = std::min(first, each.over ? each.since : each.until);
  }
  return first;
}

void reconnector::give_up(clock::time_point now) noexcept {
  const auto all = patience();
  const auto gap = now - std::exchange(looked_, now);
  if (gap > all / 4)
    for (broken& each : all_)
      if (++each.late_looks <= most_late_looks)
        each.since = std::max(each.since + gap, now - all / 2);
  for (std::size_t each = 0; each < all_.size();) {
    broken& of = all_[each];
    const eager_channel& its = of.which->eager;
    if (of.which->is_open() && its.sent.is_complete(of.answer)) {
      log_info("the connection to rank {} goes on over {}, {:.3f} s after it broke", of.which->peer,
               endpoint_.rails[its.rail].name(), seconds(now - of.since));
      connection& mended = *of.which;
      all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(each));
      events_.mended(mended);
      continue;
    }
    const double passed = seconds(now - of.since), patience = endpoint_.set.timeout;
    if (passed < patience ||
        (passed < patience * longer_when_there && events_.is_there(of.which->peer))) {
      ++each;
      continue;
    }
    const broken over = std::move(of);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(each));
    events_.failed(*over.which, over.cause.c_str());
  }
}

void reconnector::go_on(connection* which, clock::time_point now) noexcept {
  // The reading may have taken it away.
  const auto found = find(which);
  if (found == all_.end() || !which->is_interrupted()) return;
  connector_.drop_control(*which);
  if (connector_.go_on(*which)) return;
  found->over = false;
  found->until = now + between_tries;
}

}  // namespace peal::verbs
