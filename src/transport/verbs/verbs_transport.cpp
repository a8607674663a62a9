#include "transport/verbs/verbs_transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/log.hpp"
#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/setup/interface.hpp"
#include "transport/verbs/verbs_state.hpp"
#include "transport/verbs/wire.hpp"

namespace peal {

namespace {

using namespace verbs;

/// Reading the clock costs as much as a turn.
constexpr std::uint32_t turns_between_looks = sleeper::turns_between_looks;
/// Turns between two looks for strangers, where no messages go as datagrams.
constexpr std::uint32_t turns_between_strangers = 16;

/// What tells the cache of memory that goes away; null: registrations end with their use. The first
/// rank says so, once.
const unmap_log* log_for(const verbs_options& from, peer_id self) {
  if (!from.set.registration_cache) return nullptr;
  if (from.without_hooks || use_unmap_hooks().work) return &unmapped();
  static std::atomic<bool> said{false};
  if (self == 0 && !said.exchange(true, std::memory_order_relaxed))
    log_warning(
        "memory does not stay registered with the RDMA device after its use, so large messages "
        "take longer: {} "
        "(PEAL_VERBS_REGISTRATION_CACHE=off says that this is wanted)",
        use_unmap_hooks().problem);
  return nullptr;
}

}  // namespace

verbs_transport::state::state(sink& into, const machine& here, peer_id self, std::uint32_t peers,
                              const verbs_options& from)
    : out{into},
      rails{open_rails(here, wishes_of(from))},
      on{rails.front()},
      ports{ports_of(rails)},
      regions{domains_of(rails)},
      cache{regions,
            idle_limits::sensible(on.limits().max_mr / static_cast<int>(from.local_size),
                                  rails.size()),
            log_for(from, self)},
      endpoint{rails, settings_of(from, rails, peers)},
      ranks_of_node{from.local_size},
      kernel_prober{on.gid()},
      port{on},
      addresses{self, rails},
      connections{peers},
      sender{endpoint, *this},
      payloads{endpoint, cache, connections, sender, *this},
      retired_pairs{endpoint},
      connector{endpoint, connections, sender, port, addresses, peers, *this},
      failure_notices{connector},
      datagrams{endpoint, port, addresses, kernel_prober, out, peers, *this},
      promoter{endpoint,  connections, sender,   addresses,
               connector, datagrams,   payloads, rules_of(from, endpoint, peers),
               peers,     *this},
      device_events{endpoint, connections, port, retired_pairs, payloads, *this},
      sleeper{endpoint, sender, payloads, connector, datagrams, promoter, device_events, from.bell},
      packet{[this](const std::byte* data, std::size_t bytes) { arrived(data, bytes); }},
      dead(peers),
      unreachable(peers) {
  addresses.own().handshake_qp = port.number();
  addresses.own().handshake_key = port.key();
  addresses.own().starts_cold = promoter.cold();
  addresses.own().door = kernel_prober.door();
}

verbs_transport::verbs_transport(sink& into, const machine& here, peer_id self, std::uint32_t peers,
                                 const verbs_options& from)
    : transport{verbs::eager_limit},
      state_{std::make_unique<state>(into, here, self, peers, from)} {
  watch(state_->sleeper.descriptors());
}

verbs_transport::~verbs_transport() = default;

std::string verbs_transport::address() const { return to_text(state_->addresses.own()); }

void verbs_transport::meet(const std::vector<std::string>& everyone) {
  std::vector<std::optional<verbs::address>> known;
  known.reserve(everyone.size());
  state& s = *state_;
  for (const std::string& each : everyone) {
    known.push_back(address_from(each));
    // Ranks may have been told different things, or have poorer devices.
    if (known.back() && known.back()->starts_cold) s.promoter.go_cold();
  }
  s.addresses.meet(std::move(known));
  s.datagrams.meet();
  s.port.open(s.promoter.cold() ? port_plan::for_messages(s.on, s.ranks_of_node)
                                : port_plan::for_handshakes(s.on));
}

// ---- sending

bool verbs_transport::send(peer_id to, envelope e, const void* payload) noexcept {
  state& s = *state_;
  connection* at = s.connections.of(to);
  if (at && at->carries()) [[likely]]
    return s.post(*at, e, payload) && s.sent(e);
  if (s.dead[to]) return true;  // the message is dropped
  if (s.unreachable[to]) return false;
  const auto before = s.sleeper.armed() ? s.sleeper.due() : sleeper::clock::time_point{};
  const bool taken = s.promoter.send(to, e, payload);
  s.sleeper.wake_if_needed(before);
  return taken;
}

bool verbs_transport::send_eager(peer_id to, envelope e, const void* payload) noexcept {
  state& s = *state_;
  connection* at = s.connections.of(to);
  if (at && at->carries()) [[likely]]
    return !at->eager.refuses_eager() && s.post(*at, e, payload);
  return wants_eager(to) && send(to, e, payload);
}

bool verbs_transport::wants_eager(peer_id to) const noexcept {
  const connection* at = state_->connections.of(to);
  return at && at->lifetime.carries() ? !at->eager.refuses_eager()
                                      : !state_->datagrams.refuses_eager(to);
}

void verbs_transport::set_wants_eager(bool wants) noexcept {
  state& s = *state_;
  s.sleeper.wake();
  s.sender.set_refuses_eager(!wants);
  s.connections.for_each([&](connection& each) {
    each.eager.refusal_changed();
    s.sender.note(each);
  });
  s.datagrams.set_refuses_eager(!wants);
}

void verbs_transport::flush() noexcept {
  state_->sender.flush();
  state_->datagrams.flush();
}
void verbs_transport::hold_together(batching wanted) noexcept {
  state_->sender.hold_together(wanted == batching::of_one_peer);
  state_->datagrams.hold_together(wanted != batching::none);
  if (wanted == batching::none) flush();
}
bool verbs_transport::holds_messages() const noexcept {
  return state_->sender.holds() || state_->datagrams.holds();
}
bool verbs_transport::settled() const noexcept { return state_->datagrams.settled(); }

// ---- large payloads

remote_region verbs_transport::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  return state_->payloads.expose(to, data, bytes);
}

void verbs_transport::withdraw(peer_id to, const remote_region& where) noexcept {
  state_->payloads.withdraw(to, where);
}

void verbs_transport::start_fetch(fetch& f) noexcept {
  state& s = *state_;
  s.sleeper.wake();
  const connection* from = s.connections.of(f.from);
  if (from && from->is_open() && !from->lifetime.is_ending()) s.payloads.start(f);
  else if (s.unreachable[f.from]) f.done(f, make_error_code(errc::peer_failed));
  else s.promoter.wait_for(f);
}

// ---- completions

bool verbs_transport::poll() noexcept {
  state& s = *state_;
  ++s.endpoint.epoch;
  s.sender.flush();
  bool moved = s.read_some() > 0;
  if (!moved) s.endpoint.idle();
  if (s.endpoint.epoch % turns_between_strangers == 0 || s.promoter.cold() || s.datagrams.used() ||
      s.connector.busy())
    moved |= s.poll_port();
  moved |= s.promoter.poll();
  moved |= s.payloads.poll();
  s.sender.flush();
  if (s.endpoint.epoch % turns_between_looks == 0) s.look_at_the_clock();
  return moved;
}

int verbs_transport::state::read_some() noexcept {
  std::array<ibv_wc, batch> done;
  const int count = ibv_poll_cq(endpoint.completions(), batch, done.data());
  for (int each = 0; each < count; ++each) take(done[static_cast<std::size_t>(each)]);
  return count;
}

void verbs_transport::state::read_completions() noexcept {
  while (read_some() == batch) {
  }
}

// After the completions of connections: the last messages of one that ends come before what went as
// datagrams then.
bool verbs_transport::state::poll_port() noexcept {
  bool moved = port.poll(packet);
  moved |= connector.poll();
  moved |= datagrams.poll();
  return moved;
}

void verbs_transport::state::arrived(const std::byte* data, std::size_t bytes) noexcept {
  std::uint64_t magic = 0;
  if (bytes >= sizeof magic) std::memcpy(&magic, data, sizeof magic);
  if (magic == datagram_header::mark) datagrams.got(data, bytes);
  else connector.got(data, bytes);
}

/// Once in the time that an adapter may be silent, every connected peer to which nothing was sent
/// is asked for a sign of life.
void verbs_transport::state::look_at_the_clock() noexcept {
  const auto now = std::chrono::steady_clock::now();
  datagrams.look_for_lost(now);
  if (failure_notices.any()) failure_notices.repeat(now);
  if (retired_pairs.any()) {
    device_events.read();
    retired_pairs.step(now, [this] { read_completions(); });
  }
  if (now < probe_at) return;
  probe_at = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>{endpoint.set.timeout});
  connections.for_each([&](connection& each) { sender.probe(each); });
  device_events.read();  // a thread that sleeps is told at once
}

// ---- sleep

bool verbs_transport::arm() noexcept { return state_->sleeper.arm(); }
void verbs_transport::disarm() noexcept { state_->sleeper.disarm(); }
std::chrono::steady_clock::time_point verbs_transport::wakes_at() const noexcept {
  return std::min({state_->sleeper.wakes_at(state_->probe_at), state_->retired_pairs.due(),
                   state_->failure_notices.due(), state_->port.due()});
}
void verbs_transport::rang(int descriptor) noexcept { state_->sleeper.rang(descriptor); }

void verbs_transport::state::take(const ibv_wc& one) noexcept {
  const work_id which{one.wr_id};
  if (which.kind() == work::receive) {
    receive(one, which.detail());
    return;
  }
  connection* const at = connections.of(which);
  if (one.status != IBV_WC_SUCCESS) failed(one, at);
  else if (!at) return;
  else if (which.kind() == work::send) sender.completed(at->eager, which.detail());
  else if (!at->is_lost()) payloads.completed(*at, which.detail());
}

void verbs_transport::state::receive(const ibv_wc& one, slot_id slot) noexcept {
  connection* const from = connections.of_queue(one.qp_num);
  if (one.status != IBV_WC_SUCCESS || !from || from->is_lost()) {
    if (endpoint.shared() || from) endpoint.recycle(slot, nullptr);
    if (one.status != IBV_WC_SUCCESS) failed(one, from);
    return;
  }
  if (!from->is_open()) [[unlikely]]
    connector.heard(*from);
  from->lifetime.heard(endpoint.epoch);
  std::uint32_t flags = 0;
  if (one.wc_flags & IBV_WC_WITH_IMM) {
    flags = one.imm_data;
    from->eager.hear(flags);
    if (flags & immediate::last) promoter.heard_last(*from);
  }
  const std::byte* const packet = endpoint.slots.at(slot);
  if (flags & immediate::staged) payloads.arrived(*from, packet, one.byte_len);
  else deliver(*from, packet, one.byte_len);
  endpoint.recycle(slot, from->eager.pair.get());
  if (!(flags & immediate::uncounted) && from->eager.took()) sender.note(*from);
}

void verbs_transport::state::deliver(connection& from, const std::byte* packet,
                                     std::size_t bytes) noexcept {
  for (std::size_t at = 0; at + sizeof(envelope) <= bytes;) {
    envelope e;
    std::memcpy(&e, packet + at, sizeof e);
    if (e.bytes() > bytes - at - sizeof e) return;  // never, from a peer that runs this code
    out.arrived(from.peer, e, packet + at + sizeof e);
    at = aligned(at + sizeof e + e.bytes());
  }
}

void verbs_transport::report(std::vector<counter>& into) const {
  const state& s = *state_;
  verbs::report(s.endpoint.counters, s.cache.counters(), s.datagrams.counted(), s.rails, into);
  const auto add = [&](const char* name, std::uint64_t value, std::string_view meaning) {
    into.push_back({name, value, meaning});
  };
  add("verbs.connections_most", s.promoter.most(), "connections that this rank may have at a time");
  add("verbs.slots", s.endpoint.slots.size(), "pieces of registered memory for messages");
  add("verbs.slots_free", s.endpoint.slots.free(), "those of them that wait for use");
  add("verbs.datagram_doorbells", s.port.doorbells(),
      "posts that rang a doorbell for packets, acknowledgements and handshakes: several may share "
      "one");
  for (const port_counters& each : s.ports) each.report(into);
}

}  // namespace peal
