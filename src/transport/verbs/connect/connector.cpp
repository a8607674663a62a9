#include "transport/verbs/connect/connector.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

// Long against a round trip, even of an emulated device; doubled up to a second, so that a thousand
// waiting ranks do not flood one.
constexpr milliseconds first_handshake_pause{20};
constexpr milliseconds longest_handshake_pause{1000};
// Of a connection that broke: messages wait for it, and few go at the same time.
constexpr milliseconds longest_pause_of_broken{200};

}  // namespace

connector::connector(endpoint& endpoint, connections& connections, sender& out,
                     std::vector<handshake_port*> ports, addresses& who, std::uint32_t peers,
                     peer_events& told)
    : endpoint_{endpoint},
      connections_{connections},
      sender_{out},
      addresses_{who},
      events_{told},
      ports_{std::move(ports)},
      packing_{peers},
      last_attempts_(peers) {}

// ---- making

connection* connector::make(peer_id to) noexcept {
  auto made = std::make_unique<connection>(to);
  eager_channel& eager = made->eager;
  const auto refuse = [&](const char* what) {
    for (const slot_id each : eager.own_receives) endpoint_.slots.give_back(each);
    endpoint_.leave_room(eager.credits.window());
    if (events_.waits_for_room(to)) return nullptr;
    log_error("no connection to rank {}: {} {}: {}", to, endpoint_.on.name(), what,
              std::strerror(errno));
    events_.refused(to);
    return nullptr;
  };
  const std::uint16_t window = endpoint_.make_room();
  if (window == 0) {
    if (events_.waits_for_room(to)) return nullptr;
    log_error("no connection to rank {}: no room for its messages", to);
    events_.refused(to);
    return nullptr;
  }
  eager.credits.grant(window);
  eager.pair = endpoint_.make_control(0, window);
  if (!eager.pair) return refuse("gives no queue pair");
  if (!endpoint_.fill(*eager.pair, 0, window, eager.own_receives))
    return refuse("takes no receives");
  eager.sent.reserve(endpoint_.set.send_depth);
  eager.copies.reserve(endpoint_.set.send_depth);
  made->handshake.own_psn_ = static_cast<std::uint32_t>(random_word()) & 0xffffff;
  made->handshake.attempt_ = ++attempts_;
  ++endpoint_.counters.connections;
  return &connections_.add(std::move(made));
}

void connector::begin(connection& with) noexcept {
  with.handshake.exchange_ = std::make_unique<handshake::exchange>();
  waiting_.push_back(&with);
}

bool connector::may_reach(peer_id to) noexcept {
  if (!addresses_.of(to)) {
    log_error(
        "rank {} has told no address for RDMA: it has no device, or runs another version of peal",
        to);
    events_.refused(to);
    return false;
  }
  if (reach_of(addresses_.of(to)->first(), addresses_.own().first()) == reach::none) {
    log_error("no connection to rank {}: {}", to,
              no_network(addresses_.own().told(), addresses_.of(to)->told()));
    events_.refused(to);
    return false;
  }
  return true;
}

void connector::start(peer_id to) noexcept {
  if (!may_reach(to)) return;
  connection* made = make(to);
  if (!made) return;
  begin(*made);
  send_and_repeat(*made, packet(*made, handshake_kind::request, 0));
}

std::array<rail_place, most_rails> connector::own_places() const noexcept {
  std::array<rail_place, most_rails> made;
  for (std::size_t each = 0; each < most_rails; ++each)
    made[each] = {addresses_.own().rails[each].gid, addresses_.own().rails[each].lid, 0};
  return made;
}

handshake_packet connector::packet(const connection& of, handshake_kind kind,
                                   std::uint32_t answers) const noexcept {
  handshake_packet made;
  made.from_incarnation = addresses_.own().incarnation;
  made.to_incarnation = addresses_.of(of.peer)->incarnation;
  made.from = addresses_.self();
  made.to = of.peer;
  made.control_qp = of.eager.pair->qp_num;
  made.first_psn = of.handshake.own_psn_;
  made.attempt = of.handshake.attempt_;
  made.your_attempt = answers;
  made.credits = of.eager.credits.window();
  made.most_credits = endpoint_.largest_window();
  made.kind = kind;
  made.refuses_eager = sender_.refuses_eager();
  made.needed = kind == handshake_kind::request && events_.needs(of.peer);
  made.goes_on = of.handshake.goes_on_;
  made.link = of.handshake.link_;
  made.taken = of.eager.credits.taken();
  return made;
}

// ---- packets

/// Requests and replies are as long as the packets of the connection: where a switch between takes
/// less, no connection comes about, which is said, instead of one that breaks with its first long
/// message.
///
/// Over all links, since any may be the one that is cut: a packet that comes twice changes nothing.
/// With the addresses of now, also where it is repeated.
int connector::send(handshake_packet what) noexcept {
  what.places = own_places();
  static constexpr std::array<std::byte, 4096> zeros{};
  const address &there = *addresses_.of(what.to), &here = addresses_.own();
  const packed_handshake packed = packing_.pack(what, addresses_.proof());
  int why = ENETUNREACH;
  for (const rail_pair& each : addresses_.links_to(what.to)) {
    handshake_port& port = *ports_[each.own];
    if (!port.is_open() || (endpoint_.down & 1u << each.own & ~1u) != 0) continue;
    const rail_address& where = there.rails[each.remote];
    std::size_t more = 0;
    if (what.kind == handshake_kind::request || what.kind == handshake_kind::reply)
      more = (std::size_t{128} << std::min(where.mtu, here.rails[each.own].mtu)) - sizeof packed;
    const int failed = port.add(what.to, where, there.handshake_key, &packed, sizeof packed,
                                zeros.data(), std::min(more, port.packet_bytes() - sizeof packed));
    const auto refused = port.post();
    if (failed == 0 && !refused) why = 0;
    else if (why != 0 && each.own == 0) why = failed != 0 ? failed : refused->why;
  }
  return why;
}

void connector::send_and_repeat(connection& to, const handshake_packet& what) noexcept {
  handshake::exchange& mine = *to.handshake.exchange_;
  mine.last = what;
  mine.pause = first_handshake_pause;
  mine.repeat_at = clock::now() + mine.pause;
  if (const int failed = send(what); failed != 0 && !may_retry(to.handshake, failed))
    give_up(to, "cannot be reached", failed);
}

/// Finding the peer's place in the network takes packets too, which may be lost. A connection that
/// is to go on has its own time.
bool connector::may_retry(handshake& of, int why) noexcept {
  return (why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH) &&
         (++of.exchange_->searches < most_searches || of.goes_on_);
}

void connector::cancel(connection& of) noexcept {
  forget(of);
  events_.ended(of);
}

connector::clock::time_point connector::due() const noexcept {
  auto first = clock::time_point::max();
  for (const connection* each : waiting_)
    first = std::min(first, each->handshake.exchange_->repeat_at);
  return first;
}

bool connector::repeat(clock::time_point now) noexcept {
  bool moved = false;
  for (std::size_t each = 0; each < waiting_.size();) {
    connection& of = *waiting_[each];
    handshake::exchange& mine = *of.handshake.exchange_;
    if (now >= mine.repeat_at) {
      mine.pause = std::min(mine.pause * 2, of.handshake.goes_on_ ? longest_pause_of_broken
                                                                  : longest_handshake_pause);
      mine.repeat_at = now + mine.pause;
      ++endpoint_.counters.handshakes_repeated;
      moved = true;
      if (!mine.complained && now - mine.since > complaint_after) {
        mine.complained = true;
        complain(of);
      }
      mine.last.needed = of.is_requesting() && events_.needs(of.peer);
      // One that waits for a request to come again has nothing to repeat.
      if (const int failed = mine.last.attempt != 0 ? send(mine.last) : 0;
          failed != 0 && !may_retry(of.handshake, failed)) {
        give_up(of, "cannot be reached", failed);
        continue;  // another stands in its place now
      }
    }
    ++each;
  }
  return moved;
}

/// Whether the peer computes or no packet reaches it looks the same from here.
void connector::complain(const connection& of) const noexcept {
  const rail_address &here = addresses_.own().first(), &there = addresses_.of(of.peer)->first();
  const bool ethernet = here.link_layer == rail_address::ethernet;
  const bool default_prefix = !ethernet && network_of(here).manager != 0;
  log_error(
      "rank {} at {} has not answered for {} s to packets from {}: it computes without calling "
      "peal, or no packet passes between them; look at {}packets of {} bytes, which each switch "
      "between must take (else PEAL_VERBS_MTU=1024){}",
      of.peer, to_text(there), complaint_after.count(), to_text(here),
      ethernet ? "the firewalls of both nodes (UDP port 4791), the VLAN, "
               : "the P_Keys that the subnet manager gives, the links (ibdiagnet), ",
      128 << std::min(here.mtu, there.mtu),
      reach_of(here, there) == reach::perhaps
          ? "; their networks differ, so a router must join them: else choose with "
            "PEAL_VERBS_DEVICE"
      : default_prefix
          ? "; and whether both are in one fabric, which cannot be told from the default prefix: "
            "choose with PEAL_VERBS_DEVICE"
          : "");
}

void connector::got(const std::byte* packet, std::size_t bytes) noexcept {
  handshake_packet said;
  switch (packing_.unpack({packet, bytes}, addresses_, said)) {
    case handshake_packing::verdict::good: break;
    case handshake_packing::verdict::refused: ++endpoint_.counters.packets_refused; return;
    case handshake_packing::verdict::repeated: ++endpoint_.counters.handshakes_stale; return;
  }
  if ((said.kind == handshake_kind::request || said.kind == handshake_kind::reply ||
       said.kind == handshake_kind::moved || said.kind == handshake_kind::moved_too) &&
      addresses_.moved(said.from, said.places)) {
    log_info("rank {} is reached at {} now", said.from,
             to_text(addresses_.of(said.from)->first().gid));
    events_.reached_elsewhere(said.from);
  }
  if (said.kind == handshake_kind::failed) {
    (void)say(said.from, handshake_kind::failed_too, 0);
    events_.gave_up(said.from);
    return;
  }
  if (said.kind == handshake_kind::failed_too) {
    events_.confirmed(said.from);
    return;
  }
  if (events_.is_given_up(said.from)) return;
  if (said.kind == handshake_kind::moved) {
    (void)say(said.from, handshake_kind::moved_too, 0);
    return;
  }
  if (said.kind == handshake_kind::moved_too) {
    events_.knows_address(said.from);
    return;
  }
  connection* const known = connections_.of(said.from);
  // What is under way is to arrive even then.
  if (leaving_ && !(known && (said.goes_on != 0 || known->handshake.goes_on_))) return;
  switch (said.kind) {
    case handshake_kind::request: requested(said); return;
    case handshake_kind::reply: replied(said); return;
    case handshake_kind::acknowledge:
      if (known && known->handshake.attempt_ == said.your_attempt) heard(*known);
      return;
    case handshake_kind::gone:
      if (known && known->is_answered() && known->handshake.attempt_ == said.your_attempt) {
        if (known->handshake.goes_on_) events_.broke(*known, "the peer asks in another way");
        else cancel(*known);
      }
      return;
    case handshake_kind::no_room: sent_away(said); return;
    case handshake_kind::over: over(said); return;
    default: break;
  }
  ++endpoint_.counters.packets_refused;
}

void connector::requested(const handshake_packet& said) noexcept {
  connection* known = connections_.of(said.from);
  const bool is_new = static_cast<std::int32_t>(said.attempt - last_attempts_[said.from]) > 0;
  if (is_new && said.goes_on != 0) {
    if (known) asked_to_go_on(*known, said);
    else (void)say(said.from, handshake_kind::over, said.attempt);
    return;
  }
  if (known && is_new && known->lifetime.is_over()) {  // the other side has taken it away already
    events_.ended(*known);
    known = nullptr;
  }
  if (!known) {
    if (!is_new) return;
    if (events_.admits(said.from, said.needed != 0)) known = make(said.from);
    if (!known) {
      (void)say(said.from, handshake_kind::no_room, connections_.count() == 0 ? 1 : 0);
      return;
    }
    begin(*known);
    answer(*known, said);
  } else if (known->is_requesting()) {
    // One of a connection that goes on is answered only by the same.
    if (!is_new || known->handshake.goes_on_) return;
    // Then this side has only begun to answer, and could not yet.
    const bool asked_nobody = known->handshake.exchange_->last.attempt == 0;
    if (said.from < addresses_.self() || asked_nobody) answer(*known, said);
    // The peer may have had no room when this side's request came first; now it waits for it.
    else (void)send(known->handshake.exchange_->last);
  } else if ((known->is_answered() || known->is_open()) &&
             known->handshake.remote_attempt_ == said.attempt) {
    // The peer has not got this side's reply.
    (void)send(packet(*known, handshake_kind::reply, said.attempt));
  }
}

void connector::asked_to_go_on(connection& known, const handshake_packet& said) noexcept {
  // This side has not noticed, or the peer has lost what was agreed upon meanwhile.
  const bool first = known.is_requesting() && !known.handshake.goes_on_;
  if (first) known.handshake.goes_on_ = true;  // the peer has answered the request, and lost that
  if (known.is_open() || known.is_answered() || first)
    events_.broke(known, "the peer makes it again");
  // Of two that ask for different links the lower rank has its way.
  if (known.is_requesting() && known.handshake.goes_on_ && known.handshake.link_ != said.link &&
      said.from < addresses_.self())
    events_.broke(known, "the peer makes it again");
  if (known.is_interrupted()) {
    known.handshake.asked_ = std::make_unique<handshake_packet>(said);
  } else if (known.is_requesting() && known.handshake.goes_on_) {
    if (said.from < addresses_.self()) answer(known, said);
    else (void)send(known.handshake.exchange_->last);
  }
}

void connector::answer(connection& to, const handshake_packet& said) noexcept {
  if (!learn(to, said)) {
    // The request comes again.
    if (const int why = errno; !may_retry(to.handshake, why)) give_up(to, "does not fit", why);
    return;
  }
  to.become(connection_state::answered);
  send_and_repeat(to, packet(to, handshake_kind::reply, said.attempt));
}

void connector::replied(const handshake_packet& said) noexcept {
  connection* known = connections_.of(said.from);
  if (!known || known->handshake.attempt_ != said.your_attempt) {
    // The request was given up; the peer that answered it must not wait. Nor must it forget a
    // connection that this side makes again, which it hears with the request that is under way.
    if (known && known->is_requesting() && known->handshake.goes_on_) return;
    (void)say(said.from, handshake_kind::gone, said.attempt);
    return;
  }
  if (known->is_requesting()) {
    if (!learn(*known, said) || !begin_sending(*known)) {
      if (const int why = errno; !may_retry(known->handshake, why))
        give_up(*known, "does not fit", why);
      return;
    }
    open(*known);
  }
  if (known->is_open() && known->handshake.remote_attempt_ == said.attempt)
    (void)send(packet(*known, handshake_kind::acknowledge, said.attempt));
}

int connector::say(peer_id to, handshake_kind kind, std::uint32_t answers) noexcept {
  handshake_packet made;
  made.from_incarnation = addresses_.own().incarnation;
  made.to_incarnation = addresses_.of(to)->incarnation;
  made.from = addresses_.self();
  made.to = to;
  made.your_attempt = answers;
  made.credits = made.most_credits = 1;
  made.kind = kind;
  return send(made);
}

/// The request is repeated, and messages go as datagrams meanwhile. What cannot go so waits as long
/// as one waits for a silent adapter.
void connector::sent_away(const handshake_packet& said) noexcept {
  connection* const known = connections_.of(said.from);
  if (!known || !known->is_requesting()) return;
  if (known->handshake.goes_on_) {  // only its link is refused
    const std::uint8_t other = next_link(*known, false);
    if (said.your_attempt != known->handshake.attempt_ || other == known->handshake.link_) return;
    known->handshake.link_ = other;
    events_.broke(*known, "the peer's adapter gives no queue pair");
    return;
  }
  const bool needed = events_.sent_away(said.from);
  handshake::exchange& mine = *known->handshake.exchange_;
  const auto now = clock::now();
  mine.without_since =
      said.your_attempt != 1 ? clock::time_point::max() : std::min(mine.without_since, now);
  if (now > mine.without_since &&
      now - mine.without_since > std::chrono::duration<double>{endpoint_.set.timeout} && needed)
    give_up(*known, "has no queue pair to be reached by", ENOMEM);
}

/// The peer has said and heard its last message, so all of this side's has been read.
void connector::over(const handshake_packet& said) noexcept {
  connection* const known = connections_.of(said.from);
  if (!known || !known->is_requesting() || !known->handshake.goes_on_ ||
      known->handshake.attempt_ != said.your_attempt)
    return;
  if (known->lifetime.has_said_last()) cancel(*known);
  else events_.failed(*known, "the peer has no such connection");
}

void connector::heard(connection& from) noexcept {
  if (!from.is_answered()) return;
  if (begin_sending(from)) open(from);
  else give_up(from, "does not fit", errno);
}

// ---- ends of a handshake

void connector::open(connection& of) noexcept {
  of.become(connection_state::open);
  forget(of);
  const bool again = std::exchange(of.handshake.goes_on_, false);
  if (!std::exchange(of.handshake.was_open_, true)) events_.opened(of);
  if (again && of.is_open()) events_.reopened(of);
}

void connector::forget(connection& gone) noexcept {
  if (!gone.handshake.under_way()) return;
  const auto found = std::find(waiting_.begin(), waiting_.end(), &gone);
  *found = waiting_.back();
  waiting_.pop_back();
  gone.handshake.exchange_.reset();
}

void connector::give_up(connection& on, const char* what, int why) noexcept {
  if (on.handshake.goes_on_) {  // tried again, as long as it has time
    events_.broke(on, std::strerror(why));
    return;
  }
  // Linux says that a connection timed out where no neighbour answers, be it on another network.
  const char* const hint = why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH
                               ? "; perhaps their devices share no network: choose others with "
                                 "PEAL_VERBS_DEVICE or PEAL_VERBS_GID"
                               : "";
  log_error("no connection to rank {}: {} {} from {}: {}{}", on.peer,
            to_text(addresses_.of(on.peer)->first()), what, to_text(addresses_.own().first()),
            std::strerror(why), hint);
  forget(on);
  on.become(connection_state::lost);
  events_.refused(on.peer);
}

}  // namespace peal::verbs
