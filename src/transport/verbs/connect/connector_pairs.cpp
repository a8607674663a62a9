// The queue pairs of a connection: which rails they are on, their states, and what becomes of them
// when the connection breaks and goes on.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

// ---- steps of the queue pairs

bool connector::learn(connection& of, const handshake_packet& said) noexcept {
  remote_queue& control = of.handshake.remote_;
  if (said.link != of.handshake.link_) return errno = EPROTO, false;
  const rail_pair way = links_to(of.peer)[said.link];
  control = remote_of(of, way.own, way.remote);
  control.number = said.control_qp;
  control.first_psn = said.first_psn;
  if (of.handshake.goes_on_ != (said.goes_on != 0)) return errno = EPROTO, false;
  if (!of.handshake.goes_on_) of.eager.begin(said.credits, said.refuses_eager != 0);
  else if (!sender_.agree(of, said.taken, said.credits, said.refuses_eager != 0))
    return errno = EPROTO, false;
  if (!ready_to_receive(*of.eager.pair, control)) return false;
  of.links.narrow(said.bulk_count);
  for (std::size_t each = 0; each < of.links.size(); ++each) {
    bulk_queue& mine = of.links[each];
    if (!mine.pair) continue;
    remote_queue remote = remote_of(of, mine.rail, mine.remote_rail);
    remote.number = said.bulk_qp[number_of(of, each)];
    remote.first_psn = said.first_psn;
    mine.read_limit = std::max<std::uint32_t>(1, remote.reads_out);
    if (mine.link != 0 && each % of.links.of_each() == of.links.for_writes() &&
        mine.pair->state == IBV_QPS_INIT)
      endpoint_.expect_notices(*mine.pair, of.id(work::notice, static_cast<std::uint32_t>(each)));
    if (remote.number == 0 && mine.link != of.handshake.link_)
      leave_out(of, mine, "the peer leaves it out");
    else if (ready_to_receive(*mine.pair, remote)) continue;
    else if (mine.link == of.handshake.link_) return false;
    else leave_out(of, mine, std::strerror(errno));
  }
  last_attempts_[of.peer] = of.handshake.remote_attempt_ = said.attempt;
  return true;
}

bool connector::begin_sending(connection& of) noexcept {
  if (!ready_to_send(*of.eager.pair, of.handshake.remote_, of.handshake.own_psn_,
                     silence_of(endpoint_.set)))
    return false;
  for (bulk_queue& each : of.links) {
    if (!each.pair || ready_to_send(*each.pair, remote_of(of, each.rail, each.remote_rail),
                                    of.handshake.own_psn_, silence_of(endpoint_.set)))
      continue;
    if (each.link == of.handshake.link_) return false;
    leave_out(of, each, std::strerror(errno));
  }
  return true;
}

// ---- links: the queue pairs for bulk data, of each rail that leads to the peer

/// False: not even of the first rail.
bool connector::make_links(connection& of, const address& peer) noexcept {
  const address& own = addresses_.own();
  of.links.lay(match_rails(own.used(), peer.used(), addresses_.self() < of.peer),
               endpoint_.set.bulk, endpoint_.set.read_depth, peer.first().gid == own.first().gid);
  // What is written over the first link has no notices (writer.hpp): it comes before what is said
  // over the same device only.
  const std::uint8_t needed = of.handshake.link_;
  if (needed != 0) of.links.leave_out(0);
  for (bulk_queue& each : of.links) {
    if (each.link == 0 && needed != 0) continue;
    if (each.link == needed || (endpoint_.down & 1u << each.rail) == 0)
      each.pair = endpoint_.make_bulk(each.rail);
    if (!each.pair && each.link == needed) return false;
  }
  for (bulk_queue& each : of.links)
    if (!each.pair && each.link != 0) leave_out(of, each, "it gives no queue pair");
  return true;
}

/// Where the numbers of this queue pair stand in a packet.
std::size_t connector::number_of(const connection& of, std::size_t which) noexcept {
  return which / of.links.of_each() * most_bulk + which % of.links.of_each();
}

remote_queue connector::remote_of(const connection& of, std::uint8_t rail,
                                  std::uint8_t remote_rail) const noexcept {
  const rail_address& here = addresses_.own().rails[rail];
  const rail_address& there = addresses_.of(of.peer)->rails[remote_rail];
  remote_queue made;
  made.mtu = std::min(here.mtu, there.mtu);
  made.reads_in = std::min(here.reads_in, there.reads_out);
  made.reads_out = std::min(here.reads_out, there.reads_in);
  made.route = endpoint_.rails[rail].route_to(there);
  return made;
}

/// Before it is open: nothing is under way.
void connector::leave_out(connection& of, const bulk_queue& failed, const char* cause) noexcept {
  const std::uint8_t link = failed.link;
  if (of.links.is_untold(link)) return;
  log_warning("{} is left out on the way to rank {}: {}", endpoint_.rails[failed.rail].name(),
              of.peer, cause);
  ++endpoint_.counters.rails_left_out;
  of.links.leave_out(link);
  if (!of.links.any_untold()) ++endpoint_.bulk.left_out;
  of.links.tell(link);
}

std::vector<rail_pair> connector::links_to(peer_id peer) const {
  return match_rails(addresses_.own().used(), addresses_.of(peer)->used(),
                     addresses_.self() < peer);
}

// ---- a connection that broke

std::uint8_t connector::next_link(const connection& of, bool same) const noexcept {
  const std::vector<rail_pair> all = links_to(of.peer);
  std::size_t at = of.handshake.link_ + (same ? 0u : 1u);
  for (std::size_t tried = 0; tried < all.size(); ++tried, ++at)
    if ((endpoint_.down & 1u << all[at % all.size()].own) == 0) break;
  return static_cast<std::uint8_t>(at % all.size());
}

void connector::drop_control(connection& of) noexcept {
  eager_channel& its = of.eager;
  if (its.pair && its.rail != 0) --endpoint_.bulk.controls;
  its.pair.reset();
  for (const slot_id each : std::exchange(its.own_receives, {})) endpoint_.slots.give_back(each);
}

void connector::interrupted(connection& broken, std::uint8_t link) noexcept {
  broken.handshake.link_ = link;
  broken.handshake.goes_on_ = true;
  broken.handshake.asked_.reset();
  broken.become(connection_state::interrupted);
}

bool connector::go_on(connection& of) noexcept {
  eager_channel& eager = of.eager;
  const std::vector<rail_pair> all = links_to(of.peer);
  // That a port is down may be known only now.
  of.handshake.link_ = of.handshake.asked_ ? of.handshake.asked_->link : next_link(of, true);
  if (of.handshake.link_ >= all.size()) of.handshake.link_ = 0;
  eager.rail = all[of.handshake.link_].own;
  eager.pair = endpoint_.make_control(eager.rail);
  if (eager.pair && eager.rail != 0) ++endpoint_.bulk.controls;
  if (!eager.pair || !make_links(of, *addresses_.of(of.peer)) ||
      !endpoint_.fill(*eager.pair, eager.rail, eager.own_receives)) {
    of.links.destroy();
    drop_control(of);
    of.handshake.link_ = next_link(of, false);
    return false;
  }
  eager.credits.told_all();
  of.handshake.own_psn_ = static_cast<std::uint32_t>(random_word()) & 0xffffff;
  of.handshake.attempt_ = ++attempts_;
  of.become(connection_state::requesting);
  connections_.renew(of);
  begin(of);
  if (const auto asked = std::exchange(of.handshake.asked_, {})) answer(of, *asked);
  else send_and_repeat(of, packet(of, handshake_kind::request, 0));
  return true;
}

}  // namespace peal::verbs
