// Where connections and peers begin and end, what the rooms ask of each other (peer_events.hpp),
// and what is repeated, or looked at, from time to time.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/parsing.hpp"
#include "transport/verbs/verbs_state.hpp"

namespace peal {

using namespace verbs;

namespace {

/// Between two looks at what devices tell, so that peers hear of another address in time.
constexpr std::chrono::milliseconds until_events{100};

}  // namespace

// ---- of connections

void verbs_transport::state::opened(connection& at) noexcept {
  if (at.eager.is_to_tell_refusal()) sender.note(at);
  if (!reconnector.holds(at)) datagrams.connected(at.peer);
  promoter.opened(at);
}

/// Whether the peer is there is told by its node until its adapter has answered: one that computed
/// for longer than it has time is given up else while that answer is under way.
void verbs_transport::state::reopened(connection& at) noexcept {
  if (at.eager.is_to_tell_refusal()) sender.note(at);
  reconnector.reopened(at);
  at.eager.asked_back = false;
  at.lifetime.say_last_again();
  if (at.is_open() && leaving) sender.send_last(at);
  if (at.is_open()) promoter.reopened(at);
}

void verbs_transport::state::mended(connection& at) noexcept { datagrams.connected(at.peer); }

void verbs_transport::state::failed(const ibv_wc& one, connection* at) noexcept {
  // What follows the first error of a queue pair is flushed, and says nothing.
  if (!at || at->is_lost() || at->is_interrupted()) return;
  switch (one.status) {
    case IBV_WC_RETRY_EXC_ERR:
      broke(*at, "its adapter does not answer: it is gone, or the network is cut");
      return;
    case IBV_WC_WR_FLUSH_ERR: broke(*at, "the queue pair was given up"); return;
    case IBV_WC_LOC_QP_OP_ERR:  // Soft-RoCE, whose interface was set down
    case IBV_WC_FATAL_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
    case IBV_WC_GENERAL_ERR: broke(*at, ibv_wc_status_str(one.status)); return;
    // A request that one side does not allow would be refused again.
    default: failed(*at, ibv_wc_status_str(one.status));
  }
}

void verbs_transport::state::broke(connection& at, const char* cause) noexcept {
  if (at.is_lost() || at.is_interrupted()) return;
  // All has been said and heard; it ends anyway.
  if (at.lifetime.is_over() && at.is_open() && at.eager.sent.outstanding() == 0) return;
  // One that was answered is open at the other side, perhaps.
  if ((at.is_open() || at.is_answered() || at.handshake.goes_on()) && !at.eager.has_left()) {
    link_returns.forget(at);
    reconnector.interrupt(at, cause);
    datagrams.interrupted(at.peer);
  } else {
    failed(at, cause);
  }
}

void verbs_transport::state::failed(connection& at, const char* cause) noexcept {
  if (at.is_lost()) return;
  connector.forget(at);
  reconnector.forget(at);
  at.become(connection_state::lost);
  if (!at.eager.has_left())
    log_warning("rank {} is lost: the connection to it over {} broke: {}", at.peer,
                rails[at.eager.rail].name(), cause);
  refused(at.peer);
}

void verbs_transport::state::violated(connection& at, const char* what) noexcept {
  ++endpoint.counters.packets_refused;
  if (at.is_lost()) return;
  connector.forget(at);
  reconnector.forget(at);
  at.become(connection_state::lost);
  log_error(
      "rank {} is given up: it sent {}; its memory, or that of its adapter, is damaged, or it runs "
      "another build of peal",
      at.peer, what);
  refused(at.peer);
}

void verbs_transport::state::unsendable(peer_id to, int why) noexcept {
  // Finding the peer's place in the network takes packets too, which may be lost; what did not
  // leave is repeated.
  const bool may_pass = why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH;
  if (unreachable[to] || (may_pass && ++searches[to] < most_searches)) return;
  log_error("no packet can be sent to rank {}: {}", to, std::strerror(why));
  refused(to);
}

void verbs_transport::state::vanished(peer_id peer, peer_loss why) noexcept {
  datagrams.connected(peer);  // looks for it no more
  if (unreachable[peer]) return;
  if (why == peer_loss::node_silent)
    log_warning("rank {} is lost: its node ({}) does not answer: it is gone, or the network is cut",
                peer, to_text(addresses.of(peer)->first().gid));
  else
    log_warning("rank {} is lost: its process on {} has ended", peer,
                to_text(addresses.of(peer)->first().gid));
  connection* const at = connections.of(peer);
  if (at && (at->handshake.goes_on() || reconnector.holds(*at)))
    failed(*at, "nobody is there any more");
  else refused(peer);
}

/// Once its bulk queue pairs are destroyed, the device touches no buffer of this connection any
/// more; that for messages knows slots only.
void verbs_transport::state::close(connection& at) noexcept {
  connector.forget(at);
  reconnector.forget(at);
  sender.forget(at);
  link_returns.forget(at);
  pair_maker.forget(at);
  payloads.forget(at);
  promoter.forget(at);
  at.become(connection_state::lost);
  at.links.destroy();
  if (at.eager.pair && at.eager.rail != 0) --endpoint.bulk.controls;
  retired_pairs.add(std::move(at.eager.pair), sender.take_slots(at), at.eager.credits.window());
}

/// A connection that never opened, or that both sides have ended.
void verbs_transport::state::ended(connection& at) noexcept {
  const peer_id peer = at.peer;
  close(at);
  connections.remove(at);
  if (!dead[peer]) datagrams.disconnected(peer);
  promoter.removed(peer);
}

/// There is no use in trying to talk to this peer, and it is to learn that.
void verbs_transport::state::refused(peer_id peer) noexcept {
  lost.push_back(peer);
  if (unreachable[peer]) return;
  unreachable[peer] = true;
  const connection* const at = connections.of(peer);
  if (addresses.of(peer) && !datagrams.left(peer) && !(at && at->eager.has_left()))
    failure_notices.tell(peer);
}

/// The peer has given this process up; so neither side misses what the other one has sent since.
void verbs_transport::state::gave_up(peer_id peer) noexcept {
  failure_notices.confirmed(peer);
  if (unreachable[peer]) return;
  log_warning(
      "rank {} has given this rank up: the network was cut between them, or one of them stood "
      "still",
      peer);
  if (connection* const at = connections.of(peer)) {
    connector.forget(*at);
    reconnector.forget(*at);
    at->become(connection_state::lost);
  }
  datagrams.abandon(peer);
  unreachable[peer] = true;
  lost.push_back(peer);
}

void verbs_transport::state::confirmed(peer_id by) noexcept { failure_notices.confirmed(by); }

// ---- addresses that change

void verbs_transport::state::reached_elsewhere(peer_id peer) noexcept {
  datagrams.reached_elsewhere(peer);
}

void verbs_transport::state::knows_address(peer_id peer) noexcept {
  address_notices.confirmed(peer);
}

/// All are told. Those that have not been met yet, since their first packet would go to where this
/// process was; those that have a connection, since it may be over another port, and make no
/// handshake until that one has another address too.
void verbs_transport::state::moved() noexcept {
  for (peer_id each = 0; each < unreachable.size(); ++each) {
    const connection* const at = connections.of(each);
    if (each != addresses.self() && addresses.of(each) && !unreachable[each] &&
        !datagrams.left(each) && !(at && at->eager.has_left()))
      address_notices.tell(each);
  }
}

void verbs_transport::state::unanswered() noexcept { device_events.read(); }

/// Where the peer's address has changed at the same moment each tells it to where the other one
/// was.
void verbs_transport::state::tell_address(std::chrono::steady_clock::time_point now) noexcept {
  address_notices.repeat(now);
  const auto patience = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>{endpoint.set.timeout * longer_when_there});
  for (const peer_id each : address_notices.silent(now, patience)) {
    // It computes, at the address that is known; or nothing is expected of it.
    if (is_there(each) || !datagrams.knows(each)) continue;
    address_notices.confirmed(each);
    if (unreachable[each] || datagrams.left(each)) continue;
    log_error(
        "rank {} is lost: it has not confirmed for {} s that this rank is at {} now; it computes, "
        "or its own address has changed at the same moment, so that neither knows where the other "
        "one is: with a second card (PEAL_VERBS_DEVICE=all) they would have met there",
        each, endpoint.set.timeout * longer_when_there, to_text(addresses.own().first().gid));
    refused(each);
  }
}

void verbs_transport::state::pairs_changed(connection& of) noexcept { payloads.pairs_changed(of); }

// ---- questions

pair_progress verbs_transport::state::pairs_wanted(connection& of, bool needed) noexcept {
  return pair_maker.want(of, needed);
}

void verbs_transport::state::left_out(connection& of, std::uint32_t link) noexcept {
  link_returns.left_out(of, link);
}

bool verbs_transport::state::tried(connection& of, std::uint32_t detail, bool good) noexcept {
  return link_returns.is_of_try(detail) && link_returns.completed(of, detail, good);
}

outcome verbs_transport::state::pairs_told(connection& of, const payload_view& said) noexcept {
  switch (said.header.kind) {
    case payload_kind::link_asked:
    case payload_kind::link_given:
    case payload_kind::link_ready: return link_returns.arrived(of, said);
    default: break;
  }
  return pair_maker.arrived(of, said);
}

bool verbs_transport::state::admits(peer_id from, bool needed) noexcept {
  return promoter.admits(from, needed);
}

bool verbs_transport::state::needs(peer_id to) noexcept {
  return !promoter.cold() || promoter.needed(to);
}

/// What is being taken away gives a place.
bool verbs_transport::state::waits_for_room(peer_id wanted) noexcept {
  if (!retired_pairs.any()) return promoter.full(wanted);
  promoter.want_later(wanted);
  return true;
}

bool verbs_transport::state::sent_away(peer_id by) noexcept {
  promoter.go_cold();
  return promoter.needed(by);
}

bool verbs_transport::state::may_take(peer_id from) noexcept {
  return promoter.may_take_datagrams(from);
}

bool verbs_transport::state::is_there(peer_id peer) noexcept {
  return datagrams.is_there(peer, std::chrono::steady_clock::now());
}

bool verbs_transport::state::is_given_up(peer_id from) noexcept {
  if (!unreachable[from]) return false;
  failure_notices.remind(from);
  return true;
}

// ---- what is repeated

/// Once in the time that an adapter may be silent, every connected peer to which nothing was sent
/// is asked for a sign of life.
void verbs_transport::state::look_at_the_clock() noexcept {
  const auto now = std::chrono::steady_clock::now();
  datagrams.look_for_lost(now);
  if (failure_notices.any()) failure_notices.repeat(now);
  if (address_notices.any()) tell_address(now);
  if (retired_pairs.any()) {
    device_events.read();
    retired_pairs.step(now, [this] { read_completions(); });
  }
  if (reconnector.any()) go_on_with_broken(now);
  if (link_returns.any()) link_returns.step(now);
  if (now >= events_at) {
    events_at = now + until_events;
    device_events.read();  // a thread that sleeps is told at once
  }
  if (now < probe_at) return;
  probe_at = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>{endpoint.set.timeout});
  connections.for_each([&](connection& each) { sender.probe(each); });
}

void verbs_transport::state::go_on_with_broken(std::chrono::steady_clock::time_point now) noexcept {
  device_events.read();
  reconnector.step(now, [this] {
    read_completions();
    while (rails.size() > 1 && payloads.read_rails()) {
    }
  });
}

// ---- the transport's own

std::vector<peer_id> verbs_transport::lost() noexcept {
  std::vector<peer_id> all = std::exchange(state_->lost, {});
  for (const auto& each : further_) std::ranges::copy(each->lost(), std::back_inserter(all));
  return all;
}

bool verbs_transport::look_at(peer_id which) noexcept {
  if (verbs_transport* const other = other_to(which)) return other->look_at(which);
  state& s = *state_;
  if (s.unreachable[which] || has_left(which)) return true;
  s.parts_wait = true;
  ++s.endpoint.counters.doubts;
  connection* const at = s.connections.of(which);
  if (at && at->is_in_use()) {
    s.sender.post_probe(*at);
    return true;
  }
  // What is made again has its time, counted from when it broke.
  if (at && (at->is_interrupted() || at->handshake.goes_on())) return true;
  return !s.datagrams.knows(which) || s.datagrams.look_at(which);
}

void verbs_transport::peer_failed(peer_id gone) noexcept {
  state& s = *state_;
  s.parts_wait = true;
  s.dead[gone] = true;
  s.unreachable[gone] = true;
  connection* const at = s.connections.of(gone);
  s.datagrams.abandon(gone);
  if (at) s.close(*at);
  s.payloads.abandon(gone, at);
  s.promoter.abandon(gone);
  if (at) s.connections.remove(*at);
  if (verbs_transport* const other = other_to(gone)) other->peer_failed(gone);
}

bool verbs_transport::has_left(peer_id which) const noexcept {
  if (const verbs_transport* const other = other_to(which)) return other->has_left(which);
  const connection* at = state_->connections.of(which);
  return (at && at->eager.has_left()) || state_->datagrams.left(which);
}

void verbs_transport::leave() noexcept {
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>{state_->endpoint.set.timeout};
  begin_to_leave();
  // All networks in turn: a peer that leaves waits in one for what this process sends in another.
  while (is_leaving() && std::chrono::steady_clock::now() < until) {
  }
}

void verbs_transport::begin_to_leave() noexcept {
  state& s = *state_;
  s.parts_wait = true;
  s.connections.for_each([&](connection& each) {
    if (each.is_in_use() && !each.eager.has_left()) s.sender.send_last(each);
  });
  s.leaving = true;
  s.datagrams.deliver_no_more();
  s.connector.leave();
  s.link_returns.leave();
  s.promoter.send_last(s.dead);
  for (const auto& each : further_) each->begin_to_leave();
}

/// What is received from now on is dropped.
bool verbs_transport::is_leaving() noexcept {
  state& s = *state_;
  std::array<ibv_wc, state::batch> done;
  const int count = ibv_poll_cq(s.endpoint.completions(), state::batch, done.data());
  for (int each = 0; each < count; ++each) s.take(done[static_cast<std::size_t>(each)]);
  (void)s.poll_port();
  if (s.endpoint.bulk.controls > 0) s.payloads.read_rails();
  if (s.reconnector.any()) s.go_on_with_broken(std::chrono::steady_clock::now());
  bool waiting = !s.datagrams.settled();
  s.connections.for_each([&](connection& each) {
    const bool has_something = each.is_in_use() && each.eager.sent.outstanding() > 0;
    waiting |= (has_something || each.handshake.goes_on()) && !each.eager.has_left();
  });
  for (const auto& each : further_) waiting |= each->is_leaving();
  return waiting;
}

/// What is received once this process leaves: nothing is delivered.
void verbs_transport::state::drop(const ibv_wc& one, slot_id slot, std::uint8_t rail) noexcept {
  connection* const from = connections.of_queue(one.qp_num, rail);
  if (one.status != IBV_WC_SUCCESS || !from || from->is_lost()) return;
  if (!from->is_open()) connector.heard(*from);
  std::uint32_t flags = 0;
  if (one.wc_flags & IBV_WC_WITH_IMM) {
    flags = one.imm_data;
    (void)from->eager.hear(flags);
  }
  recycle(slot, *from);
  if (!(flags & immediate::uncounted)) (void)from->eager.took();
}

void verbs_transport::break_connection(peer_id with) noexcept {
  if (verbs_transport* const other = other_to(with)) return other->break_connection(with);
  connection* const at = state_->connections.of(with);
  if (!at || !at->eager.pair || (at->handshake.under_way() && !at->handshake.goes_on())) return;
  for (std::uint8_t each = 0; each < state_->rails.size(); ++each) break_rail(with, each);
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(at->eager.pair.get(), &error, IBV_QP_STATE);
}

void verbs_transport::break_rail(peer_id with, std::uint8_t rail) noexcept {
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  if (connection* const at = state_->connections.of(with))
    for (bulk_queue& each : at->links)
      if (each.pair && each.rail == rail) ibv_modify_qp(each.pair.get(), &error, IBV_QP_STATE);
}

}  // namespace peal
