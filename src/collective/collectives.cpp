// Takes a call, makes a problem of it, finds or builds its schedule, and starts a run.
#include "collective/collectives.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "collective/call_key.hpp"
#include "collective/choice.hpp"
#include "collective/node_map.hpp"
#include "collective/plan_cache.hpp"
#include "collective/problem.hpp"
#include "collective/run.hpp"
#include "peal/error.hpp"

namespace peal {

using detail::collective;
using detail::is_reduction;

namespace {

// Tags of collectives made ready begin here, each with one of its own for all its starts; the others take the tags below in turn. Starts of
// one follow each other, and messages of a pair with one tag keep their order.
constexpr std::uint32_t first_prepared_tag = std::uint32_t{1} << 30;

constexpr std::uint32_t tag_of(std::uint32_t number) noexcept { return (number * schedule::max_lanes) & (first_prepared_tag - 1); }

constexpr std::uint32_t first_tag_of(const collective_name& of) noexcept {
  return tag_of(of.number) | (of.made_ready ? first_prepared_tag : 0);
}

// A number that is less than so many behind another one comes later; they wrap.
constexpr std::uint32_t half_of_numbers = std::uint32_t{1} << 31;

int rank_of(const team& in, peer_id who) noexcept { return static_cast<int>(std::ranges::find(in.peers(), who) - in.peers().begin()); }

// Sizes without offsets: packed in rank order, into `packed`.
blocks make_blocks(std::size_t equal, const std::size_t* sizes, const std::size_t* offsets, std::size_t count,
                   std::vector<std::size_t>& packed) {
  if (sizes && !offsets) {
    packed.clear();
    std::size_t next = 0;
    for (std::size_t i = 0; i != count; ++i) {
      packed.push_back(next);
      next += sizes[i];
    }
    offsets = packed.data();
  }
  return {equal, sizes, offsets};
}

}  // namespace

struct collective_state::state {
  state(collectives::state& in, const team& of, const state* like);

  collectives::state& home;
  const team& members;
  const detail::neighborhood* near = nullptr;
  const spread where;          // how the team lies on nodes, where prices count
  std::uint32_t started = 0;   // without those made ready
  std::uint32_t prepared = 0;  // how many were made ready
  plan_cache plans;
  std::shared_ptr<const node_map> nodes;  // where there are such with several members
  std::size_t place = 0;                  // among the states
  bool looked_for_nodes = false;
  std::atomic<bool> failed{false};  // a member is dead. Written under the engine's lock; relaxed: a flag that stays
  operation* drain = nullptr;       // once failed: takes what others still send
};

struct collectives::state {
  // A collective under way.
  struct flight {
    explicit flight(messaging& messages) : playing{messages} {}

    run playing;
    state* home = nullptr;
    collective_state::state* of = nullptr;  // null: not in use
    plan* plays = nullptr;
    operation* promised = nullptr;
    flight* next_free = nullptr;
    bool reserved = false;  // of a prepared_collective, between its starts too
  };

  state(messaging& m, const algorithm_settings& from, std::span<const std::uint32_t> on, const cost_basis& with)
      : messages{m}, basis{with}, rules{from, basis.costs}, nodes{on} {}

  operation& start(collective_state::state&, const collective_call&, completion_hook) noexcept;
  operation& start(prepared_collective::state&, completion_hook) noexcept;
  plan& find_plan(collective_state::state&, const collective_call&);
  void build_plan(collective_state::state&, const collective_call&, const plan_key&, plan&);
  operation& make_operation() noexcept;
  operation& refuse(collective_state::state&, operation& promised) noexcept;
  operation& play(flight&, collective_state::state&, std::uint32_t first_tag, operation& promised, completion_hook) noexcept;
  const node_map* nodes_of(collective_state::state&) const;
  flight& take_flight();
  void ended(flight&) noexcept;
  void fail(collective_state::state&) noexcept;
  void drain(collective_state::state&) noexcept;
  collective_state::state* find(std::uint32_t context) const noexcept;
  void leave_out_absent(collective_state::state&, run&) noexcept;

  /// A rank that takes no part in a collective to come.
  struct absence {
    collective_name of;
    peer_id who;
  };

  messaging& messages;
  const cost_basis basis;
  choice rules;
  std::span<const std::uint32_t> nodes;  // by peer; empty: one
  std::vector<collective_state::state*> states;
  std::vector<std::unique_ptr<flight>> flights;
  flight* free_flights = nullptr;
  std::vector<absence> absent;
  std::vector<std::pair<const operation*, std::exception_ptr>> thrown;
  std::vector<std::size_t> send_offsets;  // of packed blocks, while a schedule is built
  std::vector<std::size_t> receive_offsets;
  void (*tell_failure)(void* owner, std::uint32_t context) noexcept = nullptr;
  void* failure_owner = nullptr;
};

struct prepared_collective::state {
  collectives::state& home;
  collective_state::state& of;
  collectives::state::flight& playing;
  std::uint32_t first_tag;
  plan steps;
};

plan& collectives::state::find_plan(collective_state::state& of, const collective_call& call) {
  const plan_key key = key_of(call, of.members.rank());
  if (!has_varying_blocks(call))
    if (plan* known = of.plans.find(key)) return *known;
  plan& built = of.plans.replace();
  build_plan(of, call, key, built);
  return built;
}

void collectives::state::build_plan(collective_state::state& of, const collective_call& call, const plan_key& key, plan& built) {
  const team& members = of.members;
  const bool among_neighbors = is_among_neighbors(call.kind);
  const bool varying = has_varying_blocks(call);
  problem p;
  p.rank = members.rank();
  p.size = members.size();
  p.root = call.root;
  p.bytes = call.bytes;
  p.element = key.element;
  p.commutative = key.commutative || !is_reduction(call.kind);
  p.in_place = key.in_place;
  p.varying = varying;
  p.nodes = nodes_of(of);
  const bool packed = call.kind == collective::reduce_scatter;
  const auto size = static_cast<std::size_t>(p.size);
  const std::size_t outgoing = among_neighbors ? of.near->destinations.size() : size;
  const std::size_t incoming = among_neighbors ? of.near->sources.size() : size;
  p.send = make_blocks(call.bytes, call.send_bytes, packed ? nullptr : call.send_offsets, outgoing, send_offsets);
  p.receive = make_blocks(call.bytes, call.receive_bytes, call.receive_offsets, incoming, receive_offsets);
  if (packed) p.bytes = p.send.offset(p.size - 1) + p.send.bytes(p.size - 1);
  built.key = key;
  built.keyed = !varying;
  if (among_neighbors) {
    p.near = of.near;
    built.steps.clear();
    (call.kind == collective::neighbor_allgather ? algorithms::neighbor_allgather : algorithms::neighbor_alltoall)(p, built.steps);
    return;
  }
  // A segment of moved bytes is a multiple of a cache line of its own accord, since the rules cut in KiB.
  const chosen by = rules.of(call.kind, p, of.where);
  p.radix = by.radix;
  build(*by.how, p, by.cut, built.steps);
}

// With the first schedule that is built: not every communicator has collectives.
const node_map* collectives::state::nodes_of(collective_state::state& of) const {
  if (!of.looked_for_nodes) {
    of.looked_for_nodes = true;
    std::vector<std::uint32_t> by_rank;
    for (const peer_id each : of.members.peers())
      if (!nodes.empty()) by_rank.push_back(nodes[each]);
    if (node_map found{by_rank}; found.has_levels()) of.nodes = std::make_shared<const node_map>(std::move(found));
  }
  return of.nodes.get();
}

collectives::state::flight& collectives::state::take_flight() {
  if (!free_flights) {
    flights.push_back(std::make_unique<flight>(messages));
    flights.back()->home = this;
    return *flights.back();
  }
  return *std::exchange(free_flights, free_flights->next_free);
}

inline operation& collectives::state::make_operation() noexcept {
  operation& promised = messages.make_operation();
  if (!thrown.empty()) std::erase_if(thrown, [&](const auto& each) { return each.first == &promised; });
  return promised;
}

operation& collectives::state::refuse(collective_state::state& of, operation& promised) noexcept {
  promised.result.error = of.failed.load(std::memory_order_relaxed) ? errc::peer_failed : errc::invalid_argument;
  messages.finish(promised);
  return promised;
}

operation& collectives::state::start(collective_state::state& of, const collective_call& call, completion_hook hook) noexcept {
  operation& promised = make_operation();
  flight& f = take_flight();
  run_task& task = f.playing.task();
  task.reduces = is_reduction(call.kind);
  if (task.reduces) task.join.set(call);
  const bool failed = of.failed.load(std::memory_order_relaxed);
  if (failed || (task.reduces && !task.join.valid())) [[unlikely]] {
    f.next_free = std::exchange(free_flights, &f);
    return refuse(of, promised);
  }
  plan& plays = find_plan(of, call);
  ++plays.users;
  f.plays = &plays;
  task.plan = &plays.steps;
  task.members = &of.members;
  task.send = static_cast<std::byte*>(const_cast<void*>(call.send));
  task.receive = static_cast<std::byte*>(call.receive);
  task.bytes = call.bytes;
  task.spoilt = call.spoilt;
  if (!absent.empty()) [[unlikely]]
    leave_out_absent(of, f.playing);
  return play(f, of, tag_of(of.started++), promised, hook);
}

operation& collectives::state::start(prepared_collective::state& made, completion_hook hook) noexcept {
  operation& promised = make_operation();
  flight& f = made.playing;
  const run_task& task = f.playing.task();
  if (made.of.failed.load(std::memory_order_relaxed) || (task.reduces && !task.join.valid())) [[unlikely]]
    return refuse(made.of, promised);
  for (const absence& each : absent)  // stay, for the next starts
    if (each.of.made_ready && each.of.context == made.of.members.collective_context() && first_tag_of(each.of) == made.first_tag)
      f.playing.leave_out(rank_of(made.of.members, each.who));
  return play(f, made.of, made.first_tag, promised, hook);
}

inline operation& collectives::state::play(flight& f, collective_state::state& of, std::uint32_t first_tag, operation& promised,
                                           completion_hook hook) noexcept {
  f.of = &of;
  f.promised = &promised;
  f.playing.task().first_tag = first_tag;
  f.playing.start([](void* context, run&) noexcept { static_cast<flight*>(context)->home->ended(*static_cast<flight*>(context)); }, &f);
  // As with messages, the hook is not called for what has ended by now. relaxed: the engine's lock is held.
  if (!promised.finished.load(std::memory_order_relaxed)) promised.hook = hook;
  return promised;
}

void collectives::state::ended(flight& f) noexcept {
  operation& promised = *f.promised;
  collective_state::state& of = *f.of;
  promised.result.bytes = f.playing.task().bytes;
  if (const std::error_code error = f.playing.error()) {
    promised.result.bytes = 0;
    promised.result.error = error;
    if (std::exception_ptr problem = f.playing.take_exception()) thrown.emplace_back(&promised, std::move(problem));
  }
  f.of = nullptr;
  if (!f.reserved) {
    --f.plays->users;
    f.next_free = std::exchange(free_flights, &f);
  }
  // Who gave this one up takes part in none that comes behind it, and the others must not wait for that.
  if (promised.result.error == errc::peer_failed) fail(of);
  messages.finish(promised);
}

collective_state::state* collectives::state::find(std::uint32_t context) const noexcept {
  const auto found = std::ranges::find(states, context, [](const auto* each) { return each->members.collective_context(); });
  return found == states.end() ? nullptr : *found;
}

/// Before the next collective starts.
void collectives::state::leave_out_absent(collective_state::state& of, run& next) noexcept {
  const std::uint32_t context = of.members.collective_context();
  std::erase_if(absent, [&](const absence& each) {
    const std::uint32_t ahead = each.of.number - of.started;
    if (each.of.made_ready || each.of.context != context || (ahead != 0 && ahead < half_of_numbers)) return false;
    if (ahead == 0) next.leave_out(rank_of(of.members, each.who));
    return true;
  });
}

void collectives::state::fail(collective_state::state& of) noexcept {
  if (of.failed.load(std::memory_order_relaxed)) return;
  of.failed.store(true, std::memory_order_relaxed);
  for (std::size_t i = 0; i != flights.size(); ++i)  // hooks may start further ones
    if (flights[i]->of == &of) flights[i]->playing.give_up();
  drain(of);
  if (tell_failure) tell_failure(failure_owner, of.members.context());
}

// Those who have not heard of the death yet, or have sent already, must not wait for receives that nobody posts any more: from now on
// whatever comes is taken and thrown away.
void collectives::state::drain(collective_state::state& of) noexcept {
  for (;;) {
    const completion_hook again{[](void* context, operation& over) noexcept {
                                  auto& failed = *static_cast<collective_state::state*>(context);
                                  failed.home.messages.release(over);
                                  failed.home.drain(failed);
                                },
                                &of};
    operation& taken = messages.start_recv(of.members, of.members.collective_context(), nullptr, 0, detail::any_source_value,
                                           detail::any_tag_value, again);
    of.drain = &taken;
    if (!taken.finished.load(std::memory_order_relaxed)) return;
    // A message that had come already, or the news of a death, which ends one receive only.
    messages.release(taken);
  }
}

collective_state::state::state(collectives::state& in, const team& of, const state* like)
    : home{in},
      members{of},
      where{like             ? like->where
            : in.basis.costs ? in.basis.of(of.peers(), in.nodes)
                             : spread{}} {
  if (like == nullptr) return;
  nodes = like->nodes;
  looked_for_nodes = like->looked_for_nodes;
}

collective_state::collective_state(collectives& in, const team& members, const collective_state* like)
    : state_{std::make_unique<state>(*in.state_, members, like ? like->state_.get() : nullptr)} {
  collectives::state& home = *in.state_;
  state_->place = home.states.size();
  home.states.push_back(state_.get());
  if (home.messages.somebody_gone() && std::ranges::any_of(members.peers(), [&](peer_id peer) { return home.messages.has_failed(peer); }))
    home.fail(*state_);
}

collective_state::~collective_state() {
  collectives::state& home = state_->home;
  // The last one takes its place: there may be very many.
  home.states[state_->place] = home.states.back();
  home.states[state_->place]->place = state_->place;
  home.states.pop_back();
  if (!home.absent.empty())
    std::erase_if(home.absent, [&](const auto& each) { return each.of.context == state_->members.collective_context(); });
  if (!state_->drain) return;
  // Withdrawn without its hook, which would post it again.
  operation& last = *state_->drain;
  last.hook = {};
  if (home.messages.cancel(last)) home.messages.release(last);
  else home.messages.detach(last);
}

const std::atomic<bool>& collective_state::failed() const noexcept { return state_->failed; }

void collective_state::set_neighbors(const detail::neighborhood& near) noexcept { state_->near = &near; }

collectives::collectives(messaging& messages, const algorithm_settings& from, std::span<const std::uint32_t> nodes, const cost_basis& basis)
    : state_{std::make_unique<state>(messages, from, nodes, basis)} {}

collectives::~collectives() = default;

operation& collectives::start(collective_state& of, const collective_call& call, completion_hook hook) noexcept {
  return state_->start(*of.state_, call, hook);
}

std::exception_ptr collectives::take_exception(const operation& over) noexcept {
  const auto found = std::ranges::find(state_->thrown, &over, [](const auto& each) { return each.first; });
  if (found == state_->thrown.end()) return {};
  std::exception_ptr problem = std::move(found->second);
  state_->thrown.erase(found);
  return problem;
}

void collectives::keep_exception(const operation& over, std::exception_ptr problem) {
  std::erase_if(state_->thrown, [&](const auto& each) { return each.first == &over; });
  if (problem) state_->thrown.emplace_back(&over, std::move(problem));
}

bool collectives::forced(detail::collective kind) const noexcept { return state_->rules.forces(kind); }

static bool belongs_to(const team& members, peer_id peer) noexcept {
  return std::ranges::find(members.peers(), peer) != members.peers().end();
}

void collectives::peer_failed(peer_id dead) noexcept {
  const auto all = state_->states;
  for (collective_state::state* each : all)
    if (belongs_to(each->members, dead)) state_->fail(*each);
}

void collectives::fail(std::uint32_t first, std::uint32_t count, peer_id member) noexcept {
  const auto all = state_->states;
  for (collective_state::state* each : all)
    if (each->members.context() - first < count && belongs_to(each->members, member)) state_->fail(*each);
}

collectives::health collectives::health_of(std::uint32_t first, std::uint32_t count, peer_id member) const noexcept {
  health found = health::unknown;
  for (const collective_state::state* each : state_->states) {
    if (each->members.context() - first >= count || !belongs_to(each->members, member)) continue;
    if (each->failed.load(std::memory_order_relaxed)) return health::fails;
    found = health::works;
  }
  return found;
}

void collectives::on_failure(void (*call)(void* owner, std::uint32_t context) noexcept, void* owner) noexcept {
  state_->tell_failure = call;
  state_->failure_owner = owner;
}

bool collectives::busy() const noexcept {
  return std::ranges::any_of(state_->flights, [](const auto& each) { return each->of != nullptr; });
}

void collectives::leave_out(const collective_name& what, peer_id who) noexcept {
  const collective_state::state* const of = state_->find(what.context);
  const bool to_come = of == nullptr || what.number - of->started < half_of_numbers;
  if (what.made_ready || to_come) state_->absent.push_back({what, who});
  if (of == nullptr || (!what.made_ready && to_come)) return;
  for (std::size_t i = 0; i != state_->flights.size(); ++i) {  // hooks may start further ones
    state::flight& each = *state_->flights[i];
    if (each.of != of || each.playing.task().first_tag != first_tag_of(what)) continue;
    return each.playing.leave_out(rank_of(of->members, who));
  }
}

void collectives::throw_away(const collective_name& what, peer_id from) noexcept {
  const collective_state::state* const of = state_->find(what.context);
  if (of == nullptr) return;
  const int rank = rank_of(of->members, from);
  outcome got;
  for (std::uint32_t lane = 0; lane != schedule::max_lanes; ++lane)
    while (detail::matched_message* const taken =
               state_->messages.take(of->members, what.context, rank, static_cast<int>(first_tag_of(what) + lane), got))
      state_->messages.discard(*taken);
}

const team* collectives::team_of(std::uint32_t context) const noexcept {
  const collective_state::state* const found = state_->find(context + 1);
  return found == nullptr ? nullptr : &found->members;
}

std::uint32_t collective_state::next_number() const noexcept { return state_->started; }

const team& collective_state::members() const noexcept { return state_->members; }

void collective_state::go_on_with(std::uint32_t number) noexcept { state_->started = number; }

std::uint32_t collective_state::number_prepared() noexcept { return state_->prepared++; }

prepared_collective::prepared_collective(collectives& in, collective_state& of, const collective_call& call, std::uint32_t number)
    : state_{new state{*in.state_, *of.state_, in.state_->take_flight(), first_prepared_tag | tag_of(number), {}}} {
  collectives::state& home = state_->home;
  collectives::state::flight& f = state_->playing;
  const team& members = state_->of.members;
  plan& steps = state_->steps;
  f.reserved = true;
  f.plays = &steps;
  home.build_plan(state_->of, call, key_of(call, members.rank()), steps);
  run_task& task = f.playing.task();
  task.reduces = is_reduction(call.kind);
  if (task.reduces) task.join.set(call);
  task.plan = &steps.steps;
  task.members = &members;
  task.send = static_cast<std::byte*>(const_cast<void*>(call.send));
  task.receive = static_cast<std::byte*>(call.receive);
  task.bytes = call.bytes;
  f.playing.reserve();
}

prepared_collective::~prepared_collective() {
  collectives::state::flight& f = state_->playing;
  f.playing.forget_reserve();
  f.reserved = false;
  f.next_free = std::exchange(state_->home.free_flights, &f);
}

operation& prepared_collective::start(completion_hook hook) noexcept { return state_->home.start(*state_, hook); }

}  // namespace peal
