#include "transport/verbs/verbs_transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>

#include "base/log.hpp"
#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/parsing.hpp"
#include "transport/verbs/setup/interface.hpp"
#include "transport/verbs/verbs_state.hpp"
#include "transport/verbs/wire.hpp"

namespace peal {

namespace {

using namespace verbs;

/// Reading the clock costs as much as a turn.
constexpr std::uint32_t turns_between_looks = sleeper::turns_between_looks;
/// Turns between two looks at everything, strangers among it, where nothing is known to wait.
constexpr std::uint32_t turns_between_all = 16;

/// What tells the cache of memory that goes away. Null: nothing; the first rank says so, once.
const unmap_log* log_for(const verbs_options& from, peer_id self) {
  if (!from.set.registration_cache) return nullptr;
  if (from.without_hooks || use_unmap_hooks().work) return &unmapped();
  static std::atomic<bool> said{false};
  if (self == 0 && !said.exchange(true, std::memory_order_relaxed))
    log_warning(
        "memory does not stay registered with the RDMA device after its use, so large messages "
        "take longer: {} (PEAL_VERBS_REGISTRATION_CACHE=off says that this is wanted)",
        use_unmap_hooks().problem);
  return nullptr;
}

}  // namespace

verbs_transport::open_ports::open_ports(sink& into, const machine& here, peer_id self_id,
                                        std::uint32_t of_job, const verbs_options& options)
    : out{into},
      self{self_id},
      peers{of_job},
      from{options},
      rails{open_rails(here, wishes_of(options))},
      addresses{self_id, rails} {
  for (std::size_t each = 0; each < rails.size(); ++each) {
    door made{std::make_unique<handshake_port>(rails[each], peers),
              std::make_unique<verbs::kernel_prober>(rails[each].gid())};
    addresses.own().rails[each].handshake_qp = made.port->number();
    addresses.own().rails[each].door = made.prober->door();
    doors.push_back(std::move(made));
  }
  std::size_t used = 0;
  while (used < rails.size() && rails[used].how().role != choice_role::instead) ++used;
  while (rails.size() > used) {
    spare.insert(spare.begin(), std::move(rails.back()));
    spare_doors.insert(spare_doors.begin(), std::move(doors.back()));
    rails.pop_back();
    doors.pop_back();
  }
  for (std::size_t each = 0; each < rails.size(); ++each) doors[each].port->moved(rails[each]);
}

template <class BeforeAChange>
void verbs_transport::open_ports::put_in_order(const std::vector<std::uint8_t>& order,
                                               std::size_t used, BeforeAChange before_a_change) {
  bool same = used == rails.size();
  for (std::size_t each = 0; each < used; ++each) same = same && order[each] == each;
  if (!same) {
    before_a_change();
    std::vector<verbs::device> all = std::move(rails);
    std::ranges::move(spare, std::back_inserter(all));
    std::vector<door> all_doors = std::move(doors);
    std::ranges::move(spare_doors, std::back_inserter(all_doors));
    rails.clear();
    doors.clear();
    for (std::size_t each = 0; each < used; ++each) {
      rails.push_back(std::move(all[order[each]]));
      doors.push_back(std::move(all_doors[order[each]]));
    }
    for (std::size_t each = 0; each < used; ++each) doors[each].port->moved(rails[each]);
    all_doors.clear();  // before the devices
  }
  spare_doors.clear();
  spare.clear();
}

verbs_transport::state::state(open_ports& by)
    : out{by.out},
      rails{by.rails},
      on{rails.front()},
      ports{ports_of(rails)},
      regions{domains_of(rails)},
      cache{regions,
            idle_limits::sensible(on.limits().max_mr / static_cast<int>(by.from.local_size),
                                  rails.size()),
            log_for(by.from, by.self)},
      endpoint{rails, settings_of(by.from, rails, by.peers)},
      ranks_of_node{by.from.local_size},
      port{*by.doors.front().port},
      all_ports{by.all_ports()},
      addresses{by.addresses},
      connections{by.peers},
      sender{endpoint, *this},
      window_keeper{endpoint, connections, sender},
      pair_maker{endpoint, connections, sender, addresses, *this},
      link_returns{endpoint, connections, pair_maker, addresses},
      payloads{endpoint, cache, connections, sender, *this},
      retired_pairs{endpoint},
      connector{endpoint, connections, sender, all_ports, addresses, by.peers, *this},
      reconnector{endpoint, connections, connector, pair_maker, sender, payloads, *this},
      failure_notices{connector, handshake_kind::failed},
      address_notices{connector, handshake_kind::moved},
      datagrams{endpoint, all_ports, addresses, by.all_probers(), out, by.peers, *this},
      promoter{endpoint,  connections, sender,   addresses,
               connector, datagrams,   payloads, rules_of(by.from, endpoint, by.peers),
               by.peers,  *this},
      device_events{endpoint,    connections, all_ports, retired_pairs,
                    reconnector, payloads,    addresses, *this},
      sleeper{endpoint,  sender,   payloads,      connector,
              datagrams, promoter, device_events, by.from.bell},
      dead(by.peers),
      unreachable(by.peers) {
  for (std::uint8_t rail = 0; rail < rails.size(); ++rail)
    packets.emplace_back(
        [this, rail](const std::byte* data, std::size_t bytes) { arrived(data, bytes, rail); });
}

verbs_transport::verbs_transport(sink& into, const machine& here, peer_id self, std::uint32_t peers,
                                 const verbs_options& from)
    : transport{verbs::eager_limit},
      open_ports_{std::make_unique<open_ports>(into, here, self, peers, from)},
      state_{std::make_unique<state>(*open_ports_)} {
  open_ports_->addresses.own().starts_cold = state_->promoter.cold();
  open_ports_->told = to_text(open_ports_->addresses.own());
  watch(state_->sleeper.descriptors());
}

verbs_transport::~verbs_transport() = default;

std::string verbs_transport::address() const { return open_ports_->told; }

void verbs_transport::meet(const std::vector<std::string>& everyone) {
  std::vector<std::optional<verbs::address>> known;
  known.reserve(everyone.size());
  bool cold = false;
  for (const std::string& each : everyone) {
    known.push_back(address_from(each));
    // Ranks may have been told different things, or have poorer devices.
    cold |= known.back() && known.back()->starts_cold;
  }
  const std::vector<std::uint8_t> order = open_ports_->addresses.meet(std::move(known));
  if (open_ports_->addresses.by_pair()) {
    split(cold);
    return;
  }
  open_ports_->put_in_order(order, open_ports_->addresses.own().used().size(), [&] {
    log_info(
        "messages go over another port than the best one, since not all ranks have its network");
    state_.reset();
  });
  begin(cold);
}

void verbs_transport::begin(bool cold) {
  if (!state_) {
    state_ = std::make_unique<state>(*open_ports_);
    std::vector<int> descriptors = state_->sleeper.descriptors();
    for (const auto& each : further_)
      std::ranges::copy(each->descriptors(), std::back_inserter(descriptors));
    watch(std::move(descriptors));
  }
  state& s = *state_;
  log_info("messages go over {}: {}", to_text(s.addresses.own().first()), s.on.how().reason);
  if (cold) s.promoter.go_cold();
  s.datagrams.meet();
  const std::uint32_t peers = open_ports_->peers;
  const std::uint32_t key = s.addresses.own().handshake_key;
  s.port.open(s.promoter.cold() ? port_plan::for_messages(s.on, s.ranks_of_node, peers,
                                                          open_ports_->from.set.pinned)
                                : port_plan::for_handshakes(s.on, peers),
              key);
  for (std::size_t each = 1; each < s.rails.size(); ++each)
    s.all_ports[each]->open(port_plan::for_handshakes(s.rails[each], peers), key);
}

// ---- sending

bool verbs_transport::send(peer_id to, envelope e, const void* payload) noexcept {
  state& s = *state_;
  connection* at = s.connections.of(to);
  if (at && at->carries()) [[likely]]
    return s.post(*at, e, payload) && s.sent(e);
  if (verbs_transport* const other = other_to(to)) return other->send(to, e, payload);
  s.parts_wait = true;
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
  if (verbs_transport* const other = other_to(to)) return other->send_eager(to, e, payload);
  return wants_eager(to) && send(to, e, payload);
}

bool verbs_transport::wants_eager(peer_id to) const noexcept {
  const connection* at = state_->connections.of(to);
  if (!at)
    if (const verbs_transport* const other = other_to(to)) return other->wants_eager(to);
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
  for (const auto& each : further_) each->set_wants_eager(wants);
}

void verbs_transport::flush() noexcept {
  state_->payloads.flush();
  state_->sender.flush();
  state_->datagrams.flush();
  for (const auto& each : further_) each->flush();
}
void verbs_transport::hold_together(batching wanted) noexcept {
  state_->sender.hold_together(wanted == batching::of_one_peer);
  state_->datagrams.hold_together(wanted != batching::none);
  state_->payloads.hold_together(wanted != batching::none);
  for (const auto& each : further_) each->hold_together(wanted);
  if (wanted == batching::none) flush();
}
bool verbs_transport::holds_messages() const noexcept {
  return state_->sender.holds() || state_->datagrams.holds() ||
         (!further_.empty() &&
          std::ranges::any_of(further_, [](const auto& each) { return each->holds_messages(); }));
}
bool verbs_transport::settled() const noexcept {
  return state_->datagrams.settled() && !state_->reconnector.any_interrupted() &&
         std::ranges::all_of(further_, [](const auto& each) { return each->settled(); });
}

// ---- large payloads

remote_region verbs_transport::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  if (verbs_transport* const other = other_to(to)) return other->expose(to, data, bytes);
  return state_->noted(state_->payloads.expose(to, data, bytes));
}

remote_region verbs_transport::expose_packed(peer_id to, const detail::packer& from,
                                             std::size_t bytes) noexcept {
  if (verbs_transport* const other = other_to(to)) return other->expose_packed(to, from, bytes);
  return state_->noted(state_->payloads.expose_packed(to, from, bytes));
}

void verbs_transport::withdraw(peer_id to, const remote_region& where) noexcept {
  if (verbs_transport* const other = other_to(to)) return other->withdraw(to, where);
  state_->payloads.withdraw(to, where);
}

void verbs_transport::start_fetch(fetch& f) noexcept {
  if (verbs_transport* const other = other_to(f.from)) return other->start_fetch(f);
  state& s = *state_;
  s.sleeper.wake();
  s.parts_wait = true;
  const connection* from = s.connections.of(f.from);
  if (from && from->is_open() && !from->lifetime.is_ending()) s.payloads.start(f);
  else if (s.unreachable[f.from]) f.done(f, make_error_code(errc::peer_failed));
  else s.promoter.wait_for(f);
}

// ---- completions

bool verbs_transport::poll() noexcept {
  state& s = *state_;
  ++s.endpoint.epoch;
  s.payloads.hold();
  s.sender.flush();
  bool moved = s.read_some() > 0;
  if (!moved) s.endpoint.idle();
  const bool all = s.endpoint.epoch % turns_between_all == 0;
  if (all || s.parts_wait) [[unlikely]]
    moved |= s.poll_parts(all);
  s.payloads.end_hold();
  s.sender.flush();
  for (const auto& each : further_) moved |= each->poll();
  return moved;
}

/// Nearly every turn finds nothing in most parts: looking at each of them would take longer than
/// looking for completions.
bool verbs_transport::state::poll_parts(bool all) noexcept {
  bool some = false;
  if (all || promoter.cold() || datagrams.used() || connector.busy()) some |= poll_port();
  some |= promoter.poll();
  some |= pair_maker.poll();
  some |= payloads.poll();
  window_keeper.poll();
  if (endpoint.epoch % turns_between_looks == 0) look_at_the_clock();
  parts_wait = promoter.cold() || datagrams.used() || connector.busy() || promoter.busy() ||
               pair_maker.busy() || payloads.busy() || window_keeper.busy();
  return some;
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
  bool moved = false;
  for (std::size_t each = 0; each < all_ports.size(); ++each)
    moved |= all_ports[each]->is_open() && all_ports[each]->poll(packets[each]);
  moved |= connector.poll();
  moved |= datagrams.poll();
  return moved;
}

void verbs_transport::state::arrived(const std::byte* data, std::size_t bytes,
                                     std::uint8_t rail) noexcept {
  std::uint64_t magic = 0;
  if (bytes >= sizeof magic) std::memcpy(&magic, data, sizeof magic);
  if (magic == datagram_header::mark) datagrams.got(data, bytes, rail);
  else connector.got(data, bytes);
}

// ---- sleep

bool verbs_transport::arm() noexcept {
  return state_->sleeper.arm() &&
         std::ranges::all_of(further_, [](const auto& each) { return each->arm(); });
}
void verbs_transport::disarm() noexcept {
  state_->sleeper.disarm();
  for (const auto& each : further_) each->disarm();
}
std::chrono::steady_clock::time_point verbs_transport::wakes_at() const noexcept {
  auto first = std::min({state_->sleeper.wakes_at(state_->probe_at), state_->retired_pairs.due(),
                         state_->failure_notices.due(), state_->address_notices.due(),
                         state_->reconnector.due(), state_->link_returns.due()});
  for (const handshake_port* each : state_->all_ports) first = std::min(first, each->due());
  for (const auto& each : further_) first = std::min(first, each->wakes_at());
  return first;
}
void verbs_transport::rang(int descriptor) noexcept {
  state_->sleeper.rang(descriptor);
  for (const auto& each : further_) each->rang(descriptor);
}

void verbs_transport::state::take(const ibv_wc& one) noexcept {
  const work_id which{one.wr_id};
  if (which.kind() == work::receive) [[likely]] {
    if (leaving) [[unlikely]]
      drop(one, which.detail(), 0);
    else receive(one, which.detail(), 0);
    return;
  }
  connection* const at = connections.of(which);
  parts_wait |= one.status != IBV_WC_SUCCESS || which.kind() != work::send;
  if (one.status != IBV_WC_SUCCESS) failed(one, at);
  else if (!at) return;
  else if (which.kind() == work::send) sender.completed(at->eager, which.detail());
  else if (at->is_open()) payloads.completed(*at, which.detail());
}

void verbs_transport::state::completed(const ibv_wc& one, std::uint8_t rail) noexcept {
  const work_id which{one.wr_id};
  if (which.kind() != work::receive) take(one);
  else if (leaving) drop(one, which.detail(), rail);
  else receive(one, which.detail(), rail);
}

inline void verbs_transport::state::receive(const ibv_wc& one, slot_id slot,
                                            std::uint8_t rail) noexcept {
  connection* const from = connections.of_queue(one.qp_num, rail);
  if (one.status != IBV_WC_SUCCESS || !from || from->is_lost()) [[unlikely]] {
    parts_wait = true;
    if (rail == 0 && (endpoint.shared() || from)) endpoint.recycle(slot, nullptr);
    if (one.status != IBV_WC_SUCCESS) failed(one, from);
    return;
  }
  if (!from->is_open()) [[unlikely]] {
    parts_wait = true;
    connector.heard(*from);
  }
  from->lifetime.heard(endpoint.epoch);
  std::uint32_t flags = 0;
  if (one.wc_flags & IBV_WC_WITH_IMM) {
    flags = one.imm_data;
    if (const char* const problem = hear(*from, flags, one.byte_len)) [[unlikely]] {
      violated(*from, problem);
      recycle(slot, *from);
      return;
    }
  }
  const std::byte* const packet = endpoint.slots.at(slot);
  parts_wait |= (flags & ~immediate::credit_bits) != 0;
  if (flags & immediate::staged) payloads.arrived(*from, {packet, one.byte_len});
  else deliver(*from, {packet, one.byte_len});
  recycle(slot, *from);
  if (!(flags & immediate::uncounted) && from->eager.took()) {
    if (from->eager.credits.overdrawn()) [[unlikely]]
      violated(*from, "more packets than it had credits for");
    else sender.note(*from);
  }
}

/// Null, or why a peer that is in order does not say so.
const char* verbs_transport::state::hear(connection& from, std::uint32_t said,
                                         std::size_t bytes) noexcept {
  if (!from.eager.hear(said)) [[unlikely]]
    return "more credits than it may grant";
  if ((said & immediate::uncounted) && bytes > 0) [[unlikely]]
    return "a packet without a credit for it";
  if (from.eager.is_to_tell_refusal()) [[unlikely]]
    sender.note(from);
  if ((said & (immediate::asks_back | immediate::gives_up)) && !window_keeper.heard(from, said))
      [[unlikely]]
    return "news of credits given up that it did not have";
  if (said & immediate::last) promoter.heard_last(from);
  return nullptr;
}

inline void verbs_transport::state::deliver(connection& from,
                                            std::span<const std::byte> packet) noexcept {
  const char* const problem = parse_messages(
      packet, [&](envelope e, const std::byte* payload) { out.arrived(from.peer, e, payload); });
  if (problem) [[unlikely]]
    violated(from, problem);
}

void verbs_transport::report(std::vector<counter>& into) const {
  const state& s = *state_;
  verbs::report(s.endpoint.counters, s.cache.counters(), s.datagrams.counted(), s.rails, into);
  const auto add = [&](const char* name, std::uint64_t value, std::string_view meaning) {
    into.push_back({name, value, meaning});
  };
  add("verbs.connections_most", s.promoter.most(), "connections that this rank may have at a time");
  std::size_t pairs = 0;
  for (std::size_t rail = 0; rail < s.rails.size(); ++rail) pairs += s.endpoint.bulk_pairs.on(rail);
  add("verbs.bulk_pairs", pairs, "queue pairs for large messages, of all connections");
  add("verbs.bulk_pairs_used", s.endpoint.choice.count(),
      "queue pairs over which a large message from one peer is spread, where there are as many");
  add("verbs.slots", s.endpoint.slots.size(), "pieces of registered memory for messages");
  add("verbs.slots_free", s.endpoint.slots.free(), "those of them that wait for use");
  add("verbs.receives", s.endpoint.posted(), "those of them in which messages are received");
  if (s.endpoint.shared())
    add("verbs.receives_allotted", s.endpoint.budget().allotted(),
        "packets that all peers together may send before they get credits back");
  std::size_t pinned = s.endpoint.slots.size() * slot_bytes;
  for (const handshake_port* each : s.all_ports) pinned += each->memory_bytes();
  add("verbs.pinned_bytes", pinned,
      "bytes of pinned memory for messages, datagrams and handshakes: at most PEAL_VERBS_PINNED");
  add("verbs.datagram_doorbells", s.port.doorbells(),
      "posts that rang a doorbell for packets, acknowledgements and handshakes: several may share "
      "one");
  for (const port_counters& each : s.ports) each.report(into);
  add_further(into);
}

}  // namespace peal
