#include "transport/verbs/connect/connector.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/log.hpp"

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

// Long against a round trip, even of an emulated device; doubled up to a second, so that a thousand waiting ranks do not flood one.
constexpr milliseconds first_handshake_pause{20};
constexpr milliseconds longest_handshake_pause{1000};

std::uint64_t random_word() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

}  // namespace

connector::connector(lane& shared, connections& all, sender& out, handshake_port& port, peer_id self, hooks told)
    : lane_{shared}, all_{all}, sender_{out}, self_{self}, hooks_{std::move(told)}, port_{port} {
  own_.handshake_qp = port_.number();
  own_.handshake_key = port_.key();
  own_.rail_count = static_cast<std::uint8_t>(shared.rails.size());
  for (std::size_t each = 0; each < shared.rails.size(); ++each) own_.rails[each] = shared.rails[each].address();
  own_.incarnation = random_word();
  own_.job = {random_word(), random_word()};
}

void connector::meet(std::vector<std::optional<address>> everyone) {
  everyone_ = std::move(everyone);
  last_attempts_.resize(everyone_.size());
  const auto first = std::ranges::find_if(everyone_, [](const std::optional<address>& each) { return each.has_value(); });
  job_ = first == everyone_.end() ? own_.job : (*first)->job;
}

// ---- making

connection* connector::make(peer_id to) noexcept {
  auto made = std::make_unique<connection>();
  const auto refuse = [&](const char* what) {
    for (const slot_id each : made->own_receives) lane_.slots.give_back(each);
    lane_.leave_room();
    if (hooks_.full(to)) return nullptr;
    log_error("no connection to rank {}: {} {}: {}", to, lane_.on.name(), what, std::strerror(errno));
    hooks_.refused(to);
    return nullptr;
  };
  if (!lane_.make_room()) {
    if (hooks_.full(to)) return nullptr;
    log_error("no connection to rank {}: no room for its messages", to);
    hooks_.refused(to);
    return nullptr;
  }
  made->control = lane_.make_control();
  if (!made->control) return refuse("gives no queue pair");
  made->peer = to;
  made->same_device = everyone_[to]->first().gid == own_.first().gid;
  if (!make_links(*made, *everyone_[to], self_ < to)) return refuse("gives no queue pair for bulk data");
  if (!lane_.fill(*made->control, made->own_receives)) return refuse("takes no receives");
  made->sent.reserve(lane_.set.send_depth);
  made->window = static_cast<std::uint16_t>(lane_.set.window);
  made->own_psn = static_cast<std::uint32_t>(random_word()) & 0xffffff;
  made->attempt = ++attempts_;
  ++lane_.counted.connections;
  return &all_.add(to, std::move(made));
}

void connector::start(peer_id to) noexcept {
  if (to >= everyone_.size() || !everyone_[to]) {
    log_error("rank {} has told no address for RDMA: it has no device, or runs another version of peal", to);
    hooks_.refused(to);
    return;
  }
  if (everyone_[to]->first().link_layer != own_.first().link_layer) {
    log_error("rank {} is on {}, this rank on {}: their devices share no network; choose others with PEAL_VERBS_DEVICE", to,
              everyone_[to]->first().link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand",
              own_.first().link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand");
    hooks_.refused(to);
    return;
  }
  connection* made = make(to);
  if (!made) return;
  made->meeting = std::make_unique<handshake>();
  made->meeting->since = clock::now();
  waiting_.push_back(made);
  send_and_repeat(*made, packet(*made, handshake_kind::request, 0));
}

handshake_packet connector::packet(const connection& of, handshake_kind kind, std::uint32_t answers) const noexcept {
  handshake_packet made;
  made.job = job_;
  made.from_incarnation = own_.incarnation;
  made.to_incarnation = everyone_[of.peer]->incarnation;
  made.from = self_;
  made.to = of.peer;
  made.control_qp = of.control->qp_num;
  for (std::size_t each = 0; each < of.bulk.size(); ++each)
    made.bulk_qp[number_of(of, each)] = of.bulk[each].pair ? of.bulk[each].pair->qp_num : 0;
  made.first_psn = of.own_psn;
  made.attempt = of.attempt;
  made.your_attempt = answers;
  made.credits = of.window;
  made.kind = kind;
  made.bulk_count = of.bulk_count;
  made.refuses_eager = sender_.refuses_eager();
  return made;
}

// ---- packets

int connector::send(const handshake_packet& what) noexcept { return port_.send(what.to, *everyone_[what.to], &what, sizeof what); }

void connector::send_and_repeat(connection& to, const handshake_packet& what) noexcept {
  handshake& mine = *to.meeting;
  mine.last = what;
  mine.pause = first_handshake_pause;
  mine.repeat_at = clock::now() + mine.pause;
  if (const int failed = send(what); failed != 0 && !worth_another_try(mine, failed)) give_up(to, "cannot be reached", failed);
}

/// Finding the peer's place in the network takes packets too, which may be lost.
bool connector::worth_another_try(handshake& of, int why) noexcept {
  return (why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH) && ++of.searches < most_searches;
}

void connector::cancel(connection& of) noexcept {
  forget(of);
  hooks_.removed(of);
}

connector::clock::time_point connector::due() const noexcept {
  auto first = clock::time_point::max();
  for (const connection* each : waiting_) first = std::min(first, each->meeting->repeat_at);
  return first;
}

bool connector::repeat(clock::time_point now) noexcept {
  bool moved = false;
  for (std::size_t each = 0; each < waiting_.size();) {
    connection& of = *waiting_[each];
    handshake& mine = *of.meeting;
    if (now >= mine.repeat_at) {
      mine.pause = std::min(mine.pause * 2, longest_handshake_pause);
      mine.repeat_at = now + mine.pause;
      ++lane_.counted.handshakes_repeated;
      moved = true;
      if (!mine.complained && now - mine.since > complaint_after) {
        mine.complained = true;
        log_warning("rank {} ({}) has not answered for {} s: it computes without calling peal, or no network leads to it from {}", of.peer,
                    to_text(everyone_[of.peer]->first().gid), complaint_after.count(), to_text(own_.first().gid));
      }
      // One that waits for a request to come again has nothing to repeat.
      if (const int failed = mine.last.attempt != 0 ? send(mine.last) : 0; failed != 0 && !worth_another_try(mine, failed)) {
        give_up(of, "cannot be reached", failed);
        continue;  // another stands in its place now
      }
    }
    ++each;
  }
  return moved;
}

bool connector::trusts(const handshake_packet& said) const noexcept {
  return said.magic == handshake_packet::mark && said.job == job_ && said.to == self_ && said.from < everyone_.size() &&
         said.from != self_ && everyone_[said.from] && said.from_incarnation == everyone_[said.from]->incarnation &&
         said.to_incarnation == own_.incarnation && said.bulk_count >= 1 && said.bulk_count <= most_bulk && said.credits > 0;
}

void connector::got(const std::byte* packet, std::size_t bytes) noexcept {
  handshake_packet said;
  if (bytes == sizeof said) std::memcpy(&said, packet, sizeof said);
  if (bytes != sizeof said || !trusts(said)) {
    ++lane_.counted.packets_refused;
    return;
  }
  if (said.kind == handshake_kind::failed) {
    (void)say(said.from, handshake_kind::failed_too, 0);
    hooks_.failed(said.from);
    return;
  }
  if (said.kind == handshake_kind::failed_too) {
    hooks_.failed_too(said.from);
    return;
  }
  if (leaving_ || hooks_.given_up(said.from)) return;
  connection* const known = all_.of(said.from);
  switch (said.kind) {
    case handshake_kind::request: requested(said); return;
    case handshake_kind::reply: replied(said); return;
    case handshake_kind::acknowledge:
      if (known && known->attempt == said.your_attempt) heard(*known);
      return;
    case handshake_kind::gone:
      if (known && known->state == connection_state::answered && known->attempt == said.your_attempt) cancel(*known);
      return;
    case handshake_kind::no_room: sent_away(said); return;
    default: break;
  }
  ++lane_.counted.packets_refused;
}

void connector::requested(const handshake_packet& said) noexcept {
  connection* known = all_.of(said.from);
  const bool is_new = static_cast<std::int32_t>(said.attempt - last_attempts_[said.from]) > 0;
  if (known && is_new && known->over()) {  // the other side has taken it away already
    hooks_.removed(*known);
    known = nullptr;
  }
  if (!known) {
    if (!is_new) return;
    if (hooks_.admits(said.from)) known = make(said.from);
    if (!known) {
      (void)say(said.from, handshake_kind::no_room, all_.count() == 0 ? 1 : 0);
      return;
    }
    known->meeting = std::make_unique<handshake>();
    known->meeting->since = clock::now();
    waiting_.push_back(known);
    answer(*known, said);
  } else if (known->state == connection_state::requesting) {
    if (!is_new) return;
    const bool asked_nobody = known->meeting->last.attempt == 0;  // and could not answer yet
    if (said.from < self_ || asked_nobody) answer(*known, said);
    else (void)send(known->meeting->last);  // it may have had no room when ours came first; now it waits for it
  } else if (known->state != connection_state::lost && known->remote_attempt == said.attempt) {
    // It has not got our reply.
    (void)send(packet(*known, handshake_kind::reply, said.attempt));
  }
}

void connector::answer(connection& to, const handshake_packet& said) noexcept {
  if (!learn(to, said)) {
    // The request comes again.
    if (const int why = errno; !worth_another_try(*to.meeting, why)) give_up(to, "does not fit", why);
    return;
  }
  to.state = connection_state::answered;
  send_and_repeat(to, packet(to, handshake_kind::reply, said.attempt));
}

void connector::replied(const handshake_packet& said) noexcept {
  connection* known = all_.of(said.from);
  if (!known || known->attempt != said.your_attempt) {
    // The request was given up; whoever answered it shall not wait.
    (void)say(said.from, handshake_kind::gone, said.attempt);
    return;
  }
  if (known->state == connection_state::requesting) {
    if (!learn(*known, said) || !begin_sending(*known)) {
      if (const int why = errno; !worth_another_try(*known->meeting, why)) give_up(*known, "does not fit", why);
      return;
    }
    open(*known);
  }
  if (known->state == connection_state::open && known->remote_attempt == said.attempt)
    (void)send(packet(*known, handshake_kind::acknowledge, said.attempt));
}

int connector::say(peer_id to, handshake_kind kind, std::uint32_t answers) noexcept {
  handshake_packet made;
  made.job = job_;
  made.from_incarnation = own_.incarnation;
  made.to_incarnation = everyone_[to]->incarnation;
  made.from = self_;
  made.to = to;
  made.your_attempt = answers;
  made.credits = 1;
  made.kind = kind;
  made.bulk_count = 1;
  return send(made);
}

/// The request is repeated, and messages go as datagrams meanwhile. What cannot go so waits as long as one waits for a silent adapter.
void connector::sent_away(const handshake_packet& said) noexcept {
  connection* const known = all_.of(said.from);
  if (!known || known->state != connection_state::requesting) return;
  hooks_.no_room();
  handshake& mine = *known->meeting;
  const auto now = clock::now();
  mine.without_since = said.your_attempt != 1 ? clock::time_point::max() : std::min(mine.without_since, now);
  if (now > mine.without_since && now - mine.without_since > std::chrono::duration<double>{lane_.set.timeout} && hooks_.needed(said.from))
    give_up(*known, "has no queue pair to be reached by", ENOMEM);
}

void connector::heard(connection& from) noexcept {
  if (from.state != connection_state::answered) return;
  if (begin_sending(from)) open(from);
  else give_up(from, "does not fit", errno);
}

// ---- steps of the queue pairs

bool connector::learn(connection& of, const handshake_packet& said) noexcept {
  of.remote = remote_of(of, 0, 0);
  of.remote.number = said.control_qp;
  of.remote.first_psn = said.first_psn;
  of.credits = said.credits;
  of.refuses_eager = said.refuses_eager != 0;
  if (!ready_to_receive(*of.control, of.remote)) return false;
  narrow(of, said.bulk_count);
  for (std::size_t each = 0; each < of.bulk.size(); ++each) {
    bulk_queue& mine = of.bulk[each];
    if (!mine.pair) continue;
    remote_queue remote = remote_of(of, mine.rail, mine.remote_rail);
    remote.number = said.bulk_qp[number_of(of, each)];
    remote.first_psn = said.first_psn;
    mine.read_limit = std::max<std::uint32_t>(1, remote.reads_out);
    if (mine.link != 0 && each % of.bulk_count == of.bulk_count - std::size_t{1} && mine.pair->state == IBV_QPS_INIT)
      lane_.expect_notices(*mine.pair, work_id::make(work::notice, of.index, of.generation, static_cast<std::uint32_t>(each)));
    if (remote.number == 0 && mine.link != 0) leave_out(of, mine, "the peer leaves it out");
    else if (ready_to_receive(*mine.pair, remote)) continue;
    else if (mine.link == 0) return false;
    else leave_out(of, mine, std::strerror(errno));
  }
  last_attempts_[of.peer] = of.remote_attempt = said.attempt;
  return true;
}

bool connector::begin_sending(connection& of) noexcept {
  if (!ready_to_send(*of.control, of.remote, of.own_psn, lane_.set.timeout)) return false;
  for (bulk_queue& each : of.bulk) {
    if (!each.pair || ready_to_send(*each.pair, remote_of(of, each.rail, each.remote_rail), of.own_psn, lane_.set.timeout)) continue;
    if (each.link == 0) return false;
    leave_out(of, each, std::strerror(errno));
  }
  return true;
}

// ---- links: the queue pairs for bulk data, of each rail that leads to the peer

/// False: not even of the first rail.
bool connector::make_links(connection& of, const address& peer, bool lower) noexcept {
  const std::vector<rail_pair> pairs = match_rails(own_.used(), peer.used(), lower);
  of.bulk_count = static_cast<std::uint8_t>(lane_.set.bulk);
  of.links = static_cast<std::uint8_t>(pairs.size());
  of.bulk.resize(pairs.size() * of.bulk_count);
  for (std::size_t each = 0; each < of.bulk.size(); ++each) {
    bulk_queue& made = of.bulk[each];
    made.link = static_cast<std::uint8_t>(each / of.bulk_count);
    made.rail = pairs[made.link].own;
    made.remote_rail = pairs[made.link].remote;
    made.under_way.reserve(lane_.set.read_depth);
    made.pair = lane_.make_bulk(made.rail);
    if (!made.pair && made.link == 0) return false;
  }
  for (bulk_queue& each : of.bulk)
    if (!each.pair) leave_out(of, each, "it gives no queue pair");
  return true;
}

/// Where the numbers of this queue pair stand in a packet.
std::size_t connector::number_of(const connection& of, std::size_t which) noexcept {
  return which / of.bulk_count * most_bulk + which % of.bulk_count;
}

/// Both sides use as many queue pairs as the one with fewer.
void connector::narrow(connection& of, std::uint8_t count) noexcept {
  if (count >= of.bulk_count) return;
  std::vector<bulk_queue> kept;
  for (std::size_t each = 0; each < of.bulk.size(); ++each)
    if (each % of.bulk_count < count) kept.push_back(std::move(of.bulk[each]));
  of.bulk = std::move(kept);
  of.bulk_count = count;
}

remote_queue connector::remote_of(const connection& of, std::uint8_t rail, std::uint8_t remote_rail) const noexcept {
  const rail_address& here = own_.rails[rail];
  const rail_address& there = everyone_[of.peer]->rails[remote_rail];
  remote_queue made;
  made.mtu = std::min(here.mtu, there.mtu);
  made.reads_in = std::min(here.reads_in, there.reads_out);
  made.reads_out = std::min(here.reads_out, there.reads_in);
  made.route = lane_.rails[rail].route_to(there.gid, there.lid);
  return made;
}

/// Before it is open: nothing is under way.
void connector::leave_out(connection& of, const bulk_queue& failed, const char* cause) noexcept {
  const std::uint8_t link = failed.link;
  if ((of.untold & 1u << link) != 0) return;
  log_warning("{} is left out on the way to rank {}: {}", lane_.rails[failed.rail].name(), of.peer, cause);
  ++lane_.counted.rails_left_out;
  for (bulk_queue& each : of.bulk)
    if (each.link == link) each.pair.reset();
  --of.links;
  if (of.untold == 0) ++lane_.bulk.left_out;
  of.untold = static_cast<std::uint8_t>(of.untold | 1u << link);
}

void connector::open(connection& of) noexcept {
  of.state = connection_state::open;
  forget(of);
  hooks_.opened(of);
}

void connector::forget(connection& gone) noexcept {
  if (!gone.meeting) return;
  const auto found = std::find(waiting_.begin(), waiting_.end(), &gone);
  *found = waiting_.back();
  waiting_.pop_back();
  gone.meeting.reset();
}

void connector::give_up(connection& on, const char* what, int why) noexcept {
  // Linux says that a connection timed out where no neighbour answers, be it on another network.
  const char* const hint = why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH
                               ? "; perhaps their devices share no network: choose others with PEAL_VERBS_DEVICE or PEAL_VERBS_GID"
                               : "";
  log_error("no connection to rank {}: {} {} from {}: {}{}", on.peer, to_text(everyone_[on.peer]->first().gid), what,
            to_text(own_.first().gid), std::strerror(why), hint);
  forget(on);
  on.state = connection_state::lost;
  hooks_.refused(on.peer);
}

}  // namespace peal::verbs
