#include "transport/verbs/verbs_transport.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/connector.hpp"
#include "transport/verbs/counters.hpp"
#include "transport/verbs/datagrams.hpp"
#include "transport/verbs/device.hpp"
#include "transport/verbs/device_events.hpp"
#include "transport/verbs/handshake_port.hpp"
#include "transport/verbs/kernel_asker.hpp"
#include "transport/verbs/lane.hpp"
#include "transport/verbs/payloads.hpp"
#include "transport/verbs/plan.hpp"
#include "transport/verbs/port_counters.hpp"
#include "transport/verbs/promoter.hpp"
#include "transport/verbs/registration_cache.hpp"
#include "transport/verbs/sender.hpp"
#include "transport/verbs/sleeper.hpp"
#include "transport/verbs/wire.hpp"

namespace peal {

namespace {

using namespace verbs;

/// Completions taken at a time.
constexpr int batch = 32;

/// Reading the clock costs as much as a turn.
constexpr std::uint32_t turns_between_looks = sleeper::turns_between_looks;
/// Turns between two looks for strangers, where nobody talks in datagrams.
constexpr std::uint32_t turns_between_strangers = 16;
/// Times that the way to a peer is looked for; each takes the kernel a second or more.
constexpr int most_searches = 8;

/// What tells the cache of memory that goes away; null: registrations end with their use.
const unmap_log* log_for(const verbs_settings& from) {
  if (!from.cache_registrations) return nullptr;
  return from.without_hooks || use_unmap_hooks().work ? &unmapped() : nullptr;
}

}  // namespace

struct verbs_transport::state {
  state(sink& into, const machine& here, peer_id self, std::uint32_t peers, const verbs_settings& from)
      : out{into},
        rails{open_rails(here, wishes_of(from))},
        on{rails.front()},
        ports{ports_of(rails)},
        regions{domains_of(rails)},
        cache{regions, idle_limits::sensible(on.limits().max_mr / static_cast<int>(from.local_size), rails.size()), log_for(from)},
        shared{rails, settings_of(from, rails, peers)},
        ranks_of_node{from.local_size},
        kernels{on.gid()},
        door{on},
        all{peers},
        posts{shared, [this](connection& at, int why) { broke(at, std::strerror(why)); }},
        large{shared, cache, all, posts, [this](connection& at, int why) { broke(at, std::strerror(why)); }},
        meetings{shared,
                 all,
                 posts,
                 door,
                 self,
                 {[this](connection& at) { opened(at); }, [this](peer_id peer) { refused(peer); },
                  [this](peer_id peer) { return tiers.admits(peer); }, [this](peer_id peer) { return tiers.full(peer); },
                  [this](connection& at) { remove(at); }}},
        mail{shared,
             door,
             meetings,
             kernels,
             out,
             peers,
             {[this](peer_id from) { return tiers.may_take_datagrams(from); }, [this](peer_id to, int why) { unsendable(to, why); },
              [this](peer_id peer, node_watch::verdict why) { vanished(peer, why); }}},
        tiers{shared,
              all,
              posts,
              meetings,
              mail,
              rules_of(from, shared, peers),
              peers,
              {[this](const connection& at) { return large.under_way(at); }, [this](fetch& f) { large.start(f); },
               [this](connection& at) { remove(at); }}},
        events{shared,
               all,
               {[this](connection& at, const char* why) { broke(at, why); },
                [this](connection& at, const bulk_queue& which, const char* why) { large.rail_failed(at, which, why); }}},
        rests{shared, posts, large, meetings, mail, tiers, events, from.bell},
        packet{[this](const std::byte* data, std::size_t bytes) { arrived(data, bytes); }},
        dead(peers),
        unreachable(peers) {
    meetings.own().starts_cold = tiers.cold();
    meetings.own().door = kernels.door();
  }

  bool post(connection& to, envelope e, const void* payload) noexcept {
    const bool taken = posts.send(to, e, payload);
    if (rests.armed() && posts.holds()) [[unlikely]]
      rests.stir();  // a thread that sleeps posts what is held
    return taken;
  }
  bool sent(envelope e) noexcept {
    if (e.kind() == envelope_kind::announce) [[unlikely]]
      large.announced();
    return true;
  }
  void take(const ibv_wc&) noexcept;
  void receive(const ibv_wc&, slot_id) noexcept;
  void deliver(connection&, const std::byte* packet, std::size_t bytes) noexcept;
  void failed(const ibv_wc&, connection*) noexcept;
  void broke(connection&, const char* cause) noexcept;
  void look_at_the_clock() noexcept;
  bool poll_port() noexcept;
  void arrived(const std::byte* packet, std::size_t bytes) noexcept;
  void unsendable(peer_id, int why) noexcept;
  void vanished(peer_id, node_watch::verdict) noexcept;
  void remove(connection&) noexcept;
  void close(connection&) noexcept;
  void opened(connection& at) noexcept {
    if (at.tell_refusal) posts.note(at);
    mail.connected(at.peer);
    tiers.opened(at);
  }
  void refused(peer_id peer) noexcept {
    unreachable[peer] = true;
    lost.push_back(peer);
  }

  sink& out;
  const std::vector<device> rails;
  const device& on;  // the one that carries messages
  const std::vector<port_counters> ports;
  domain_registrar regions;
  registration_cache cache;
  lane shared;
  const unsigned ranks_of_node;
  kernel_asker kernels;
  handshake_port door;
  connections all;
  sender posts;
  payloads large;
  connector meetings;
  datagrams mail;
  promoter tiers;
  device_events events;
  sleeper rests;
  const handshake_port::receiver packet;
  std::vector<bool> dead;         // peer_failed was called
  std::vector<bool> unreachable;  // there is no connection, and no use in trying
  std::vector<peer_id> lost;
  std::map<peer_id, int> searches;  // for the way to a peer, in vain
  std::chrono::steady_clock::time_point probe_at;
};

verbs_transport::verbs_transport(sink& into, const machine& here, peer_id self, std::uint32_t peers, const verbs_settings& from)
    : state_{std::make_unique<state>(into, here, self, peers, from)} {}

verbs_transport::~verbs_transport() = default;

std::string verbs_transport::address() const { return to_text(state_->meetings.own()); }

void verbs_transport::meet(const std::vector<std::string>& everyone) {
  std::vector<std::optional<verbs::address>> known;
  known.reserve(everyone.size());
  state& s = *state_;
  for (const std::string& each : everyone) {
    known.push_back(address_from(each));
    // Ranks may have been told different things, or have poorer devices.
    if (known.back() && known.back()->starts_cold) s.tiers.start_cold();
  }
  s.meetings.meet(std::move(known));
  s.mail.meet();
  s.door.open(s.tiers.cold() ? port_plan::for_messages(s.on, s.ranks_of_node) : port_plan::for_handshakes(s.on));
}

// ---- sending

std::size_t verbs_transport::eager_limit() const noexcept { return verbs::eager_limit; }

bool verbs_transport::send(peer_id to, envelope e, const void* payload) noexcept {
  state& s = *state_;
  connection* at = s.all.of(to);
  if (at && at->carries && at->state == connection_state::open) [[likely]]
    return s.post(*at, e, payload) && s.sent(e);
  if (s.dead[to]) return true;  // nobody waits for it
  if (s.unreachable[to]) return false;
  const auto before = s.rests.armed() ? s.rests.due() : sleeper::clock::time_point{};
  const bool taken = s.tiers.send(to, e, payload);
  s.rests.stir_if_needed(before);
  return taken;
}

bool verbs_transport::send_eager(peer_id to, envelope e, const void* payload) noexcept {
  state& s = *state_;
  connection* at = s.all.of(to);
  if (at && at->carries && at->state == connection_state::open) [[likely]]
    return !at->refuses_eager && s.post(*at, e, payload);
  return wants_eager(to) && send(to, e, payload);
}

bool verbs_transport::wants_eager(peer_id to) const noexcept {
  const connection* at = state_->all.of(to);
  return at && at->carries ? !at->refuses_eager : !state_->mail.refuses_eager(to);
}

void verbs_transport::set_wants_eager(bool wants) noexcept {
  state& s = *state_;
  s.rests.stir();
  s.posts.set_refuses_eager(!wants);
  s.all.for_each([&](connection& each) {
    each.tell_refusal = true;
    s.posts.note(each);
  });
  s.mail.set_refuses_eager(!wants);
}

void verbs_transport::flush() noexcept {
  state_->posts.flush();
  state_->mail.flush();
}
void verbs_transport::hold_together(company wanted) noexcept {
  state_->posts.hold_together(wanted == company::of_one_peer);
  state_->mail.hold_together(wanted != company::none);
  if (wanted == company::none) flush();
}
bool verbs_transport::holds_messages() const noexcept { return state_->posts.holds() || state_->mail.holds(); }
bool verbs_transport::settled() const noexcept { return state_->mail.settled(); }

// ---- large payloads

remote_region verbs_transport::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  return state_->large.expose(to, data, bytes);
}

void verbs_transport::withdraw(peer_id to, const remote_region& where) noexcept { state_->large.withdraw(to, where); }

void verbs_transport::start_fetch(fetch& f) noexcept {
  state& s = *state_;
  s.rests.stir();
  const connection* from = s.all.of(f.from);
  if (from && from->state == connection_state::open && !from->ending) s.large.start(f);
  else if (s.unreachable[f.from]) f.done(f, make_error_code(errc::peer_failed));
  else s.tiers.wait_for(f);
}

// ---- completions

bool verbs_transport::poll() noexcept {
  state& s = *state_;
  ++s.shared.epoch;
  s.posts.flush();
  std::array<ibv_wc, batch> done;
  const int count = ibv_poll_cq(s.shared.completions(), batch, done.data());
  for (int each = 0; each < count; ++each) s.take(done[static_cast<std::size_t>(each)]);
  bool moved = count > 0;
  if (!moved) s.shared.idle();
  if (s.shared.epoch % turns_between_strangers == 0 || s.tiers.cold() || s.meetings.busy()) moved |= s.poll_port();
  moved |= s.tiers.poll();
  moved |= s.large.poll();
  s.posts.flush();
  if (s.shared.epoch % turns_between_looks == 0) s.look_at_the_clock();
  return moved;
}

// After the completions of connections: the last messages of one that ends come before what went as datagrams then.
bool verbs_transport::state::poll_port() noexcept {
  bool moved = door.poll(packet);
  moved |= meetings.poll();
  moved |= mail.poll();
  return moved;
}

void verbs_transport::state::arrived(const std::byte* data, std::size_t bytes) noexcept {
  std::uint64_t magic = 0;
  if (bytes >= sizeof magic) std::memcpy(&magic, data, sizeof magic);
  if (magic == datagram_header::mark) mail.got(data, bytes);
  else meetings.got(data, bytes);
}

/// Once in the time that an adapter may be silent, everyone to whom nothing was sent is asked for a sign of life.
void verbs_transport::state::look_at_the_clock() noexcept {
  const auto now = std::chrono::steady_clock::now();
  mail.look_for_the_lost(now);
  if (now < probe_at) return;
  probe_at = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>{shared.set.silence});
  all.for_each([&](connection& each) { posts.probe(each); });
  events.read();  // who sleeps is told at once
}

// ---- sleep

bool verbs_transport::arm() noexcept { return state_->rests.arm(); }
void verbs_transport::disarm() noexcept { state_->rests.disarm(); }
std::chrono::steady_clock::time_point verbs_transport::wakes_at() const noexcept { return state_->rests.wakes_at(state_->probe_at); }
std::vector<int> verbs_transport::descriptors() const { return state_->rests.descriptors(); }
void verbs_transport::rang(int descriptor) noexcept { state_->rests.rang(descriptor); }

void verbs_transport::state::take(const ibv_wc& one) noexcept {
  const work_id which{one.wr_id};
  if (which.kind() == work::receive) {
    receive(one, which.detail());
    return;
  }
  connection* const at = all.of(which);
  if (one.status != IBV_WC_SUCCESS) failed(one, at);
  else if (!at) return;
  else if (which.kind() == work::send) posts.completed(*at, which.detail());
  else if (at->state != connection_state::lost) large.completed(*at, which.detail());
}

void verbs_transport::state::receive(const ibv_wc& one, slot_id slot) noexcept {
  connection* const from = all.of_queue(one.qp_num);
  if (one.status != IBV_WC_SUCCESS || !from || from->state == connection_state::lost) {
    if (shared.shared() || from) shared.recycle(slot, nullptr);
    if (one.status != IBV_WC_SUCCESS) failed(one, from);
    return;
  }
  if (from->state != connection_state::open) [[unlikely]]
    meetings.heard(*from);
  from->heard_epoch = shared.epoch;
  std::uint32_t flags = 0;
  if (one.wc_flags & IBV_WC_WITH_IMM) {
    flags = one.imm_data;
    from->credits = static_cast<std::uint16_t>(from->credits + (flags & immediate::credit_bits));
    from->refuses_eager = (flags & immediate::refuses_eager) != 0;
    if (flags & immediate::leaving) from->left = true;
    if (flags & immediate::last) tiers.heard_last(*from);
  }
  const std::byte* const packet = shared.slots.at(slot);
  if (flags & immediate::staged) large.arrived(*from, packet, one.byte_len);
  else deliver(*from, packet, one.byte_len);
  shared.recycle(slot, from->control.get());
  if (!(flags & immediate::uncounted)) posts.taken(*from);
}

void verbs_transport::state::deliver(connection& from, const std::byte* packet, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at + sizeof(envelope) <= bytes;) {
    envelope e;
    std::memcpy(&e, packet + at, sizeof e);
    if (e.bytes() > bytes - at - sizeof e) return;  // never, from a peer that runs this code
    out.arrived(from.peer, e, packet + at + sizeof e);
    at = aligned(at + sizeof e + e.bytes());
  }
}

// ---- failures

void verbs_transport::state::failed(const ibv_wc& one, connection* at) noexcept {
  // What follows the first error of a queue pair is flushed, and says nothing.
  if (!at || at->state == connection_state::lost) return;
  switch (one.status) {
    case IBV_WC_RETRY_EXC_ERR: broke(*at, "its adapter does not answer: it is gone, or the network is cut"); return;
    case IBV_WC_WR_FLUSH_ERR: broke(*at, "the queue pair was given up"); return;
    default: broke(*at, ibv_wc_status_str(one.status));
  }
}

void verbs_transport::state::broke(connection& at, const char* cause) noexcept {
  if (at.state == connection_state::lost) return;
  if (at.over()) {  // the other side has taken its queue pairs away already
    at.completed = at.posted;
    return;
  }
  meetings.forget(at);
  at.state = connection_state::lost;
  if (!at.left) log_warning("the connection to rank {} over {} broke: {}", at.peer, on.name(), cause);
  refused(at.peer);
}

void verbs_transport::state::unsendable(peer_id to, int why) noexcept {
  // Finding the peer's place in the network takes packets too, which may be lost; what did not leave is repeated.
  const bool may_pass = why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH;
  if (unreachable[to] || (may_pass && ++searches[to] < most_searches)) return;
  log_error("no packet can be sent to rank {}: {}", to, std::strerror(why));
  refused(to);
}

void verbs_transport::state::vanished(peer_id peer, node_watch::verdict why) noexcept {
  mail.connected(peer);  // looks for it no more
  if (unreachable[peer]) return;
  if (why == node_watch::verdict::node_silent)
    log_warning("rank {} is lost: its node ({}) does not answer: it is gone, or the network is cut", peer,
                to_text(meetings.address_of(peer)->first().gid));
  else log_warning("rank {} is lost: its process on {} has ended", peer, to_text(meetings.address_of(peer)->first().gid));
  refused(peer);
}

/// Once its queue pairs are destroyed, the device touches no buffer of this connection any more.
void verbs_transport::state::close(connection& at) noexcept {
  meetings.forget(at);
  posts.forget(at);
  tiers.forget(at);
  at.state = connection_state::lost;
  at.control.reset();
  for (bulk_queue& each : at.bulk) each.pair.reset();
  for (std::uint32_t each = 0; each < at.held_count; ++each)
    if (at.held[each].last_in_slot) shared.slots.give_back(at.held[each].slot);
  for (; !at.sent.empty(); at.sent.pop_front()) shared.slots.give_back(at.sent.front().slot);
  for (const slot_id each : at.own_receives) shared.slots.give_back(each);
}

/// A connection that never opened, or that both sides have ended.
void verbs_transport::state::remove(connection& at) noexcept {
  const peer_id peer = at.peer;
  close(at);
  all.remove(at);
  shared.leave_room();
  if (!dead[peer]) mail.disconnected(peer);
  tiers.removed(peer);
}

std::vector<peer_id> verbs_transport::lost() noexcept { return std::exchange(state_->lost, {}); }

void verbs_transport::peer_failed(peer_id gone) noexcept {
  state& s = *state_;
  s.dead[gone] = true;
  s.unreachable[gone] = true;
  connection* const at = s.all.of(gone);
  s.mail.abandon(gone);
  if (at) s.close(*at);
  s.large.abandon(gone, at);
  s.tiers.abandon(gone);
  if (at) {
    s.all.remove(*at);
    s.shared.leave_room();
  }
}

bool verbs_transport::has_left(peer_id which) const noexcept {
  const connection* at = state_->all.of(which);
  return (at && at->left) || state_->mail.left(which);
}

void verbs_transport::leave() noexcept {
  state& s = *state_;
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>{s.shared.set.silence};
  std::uint32_t waiting = 0;
  s.all.for_each([&](connection& each) {
    if (each.state == connection_state::open && !each.left && !each.over()) s.posts.say_goodbye(each);
  });
  s.mail.deliver_no_more();
  s.tiers.say_goodbye(s.dead);
  // What is received from now on is for nobody.
  do {
    std::array<ibv_wc, batch> done;
    const int count = ibv_poll_cq(s.shared.completions(), batch, done.data());
    for (int each = 0; each < count; ++each)
      if (const ibv_wc& one = done[static_cast<std::size_t>(each)]; work_id{one.wr_id}.kind() != work::receive) s.take(one);
    waiting = 0;
    (void)s.door.poll([&](const std::byte* packet, std::size_t bytes) { s.mail.got(packet, bytes); });
    s.mail.poll();
    s.all.for_each(
        [&](connection& each) { waiting += each.state == connection_state::open && !each.left && !each.over() && each.outstanding() > 0; });
    waiting += !s.mail.settled();
  } while (waiting > 0 && std::chrono::steady_clock::now() < until);
}

void verbs_transport::break_connection(peer_id with) noexcept {
  connection* const at = state_->all.of(with);
  if (!at) return;
  for (std::uint8_t each = 0; each < state_->rails.size(); ++each) break_rail(with, each);
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(at->control.get(), &error, IBV_QP_STATE);
}

void verbs_transport::break_rail(peer_id with, std::uint8_t rail) noexcept {
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  if (connection* const at = state_->all.of(with))
    for (bulk_queue& each : at->bulk)
      if (each.pair && each.rail == rail) ibv_modify_qp(each.pair.get(), &error, IBV_QP_STATE);
}

void verbs_transport::report(std::vector<counter>& into) const {
  const state& s = *state_;
  verbs::report(s.shared.counted, s.cache.counters(), s.mail.counted(), s.rails, into);
  const auto add = [&](const char* name, std::uint64_t value, std::string_view meaning) { into.push_back({name, value, meaning}); };
  add("verbs.connections_most", s.tiers.most(), "connections that this rank may have at a time");
  add("verbs.slots", s.shared.slots.size(), "pieces of registered memory for messages");
  add("verbs.slots_free", s.shared.slots.free(), "those of them that wait for use");
  add("verbs.datagram_doorbells", s.door.doorbells(),
      "posts that rang a doorbell for packets, acknowledgements and handshakes: several may share one");
  for (const port_counters& each : s.ports) each.report(into);
}

}  // namespace peal
