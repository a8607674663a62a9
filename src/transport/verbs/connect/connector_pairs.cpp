// The queue pair for messages of a connection: which rail it is on, its states, and what becomes of
// it when the connection breaks and goes on.
#include <cerrno>
#include <utility>

#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

// ---- its states

bool connector::learn(connection& of, const handshake_packet& said) noexcept {
  remote_queue& control = of.handshake.remote_;
  if (said.link != of.handshake.link_) return errno = EPROTO, false;
  const rail_pair way = addresses_.links_to(of.peer)[said.link];
  const rail_address& there = addresses_.of(of.peer)->rails[way.remote];
  control = remote_between(addresses_.own().rails[way.own], there,
                           endpoint_.rails[way.own].route_to(there));
  control.number = said.control_qp;
  control.first_psn = said.first_psn;
  if (of.handshake.goes_on_ != (said.goes_on != 0)) return errno = EPROTO, false;
  if (!of.handshake.goes_on_)
    of.eager.begin(said.credits, said.most_credits, said.refuses_eager != 0);
  else if (!sender_.agree(of, said.taken, said.credits, said.most_credits, said.refuses_eager != 0))
    return errno = EPROTO, false;
  if (!ready_to_receive(*of.eager.pair, control)) return false;
  last_attempts_[of.peer] = of.handshake.remote_attempt_ = said.attempt;
  return true;
}

bool connector::begin_sending(connection& of) noexcept {
  return ready_to_send(*of.eager.pair, of.handshake.remote_, of.handshake.own_psn_,
                       silence_of(endpoint_.set));
}

// ---- a connection that broke

std::uint8_t connector::next_link(const connection& of, bool same) const noexcept {
  const std::vector<rail_pair> all = addresses_.links_to(of.peer);
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
  const std::vector<rail_pair> all = addresses_.links_to(of.peer);
  // That a port is down may be known only now.
  of.handshake.link_ = of.handshake.asked_ ? of.handshake.asked_->link : next_link(of, true);
  if (of.handshake.link_ >= all.size()) of.handshake.link_ = 0;
  eager.rail = all[of.handshake.link_].own;
  const std::uint16_t window = eager.credits.window();
  eager.pair = endpoint_.make_control(eager.rail, window);
  if (eager.pair && eager.rail != 0) ++endpoint_.bulk.controls;
  if (!eager.pair || !endpoint_.fill(*eager.pair, eager.rail, window, eager.own_receives)) {
    drop_control(of);
    of.handshake.link_ = next_link(of, false);
    // A peer that was not told would ask for this link for ever.
    if (const auto asked = std::exchange(of.handshake.asked_, {}))
      (void)say(of.peer, handshake_kind::no_room, asked->attempt);
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
