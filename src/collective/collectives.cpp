// Takes a call, makes a problem of it, finds or builds its schedule, and starts a run.
#include "collective/collectives.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "collective/call_key.hpp"
#include "collective/choice/tuned_algorithm.hpp"
#include "collective/collectives_state.hpp"
#include "collective/problem.hpp"
#include "peal/error.hpp"

namespace peal {

using detail::collective;
using detail::is_reduction;

namespace {

/// As many as wait for each other where they share cores (direct/calls/short_call.hpp).
constexpr int most_ranks_tried_at_once = 64;
/// As learnt_ways::is_long.
constexpr std::size_t longest_tried_freely = 128 << 10;

// Sizes without offsets: packed in rank order, into `packed`.
blocks make_blocks(std::size_t equal, const std::size_t* sizes, const std::size_t* offsets,
                   std::size_t count, std::vector<std::size_t>& packed) {
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

cached_schedule& collectives::state::find_schedule(collective_state::state& of,
                                                   const collective_call& call,
                                                   const tuned_algorithm* by) {
  schedule_key key = key_of(call, of.members.rank());
  key.by = by;
  if (!has_varying_blocks(call))
    if (cached_schedule* known = of.schedules.find(key)) return *known;
  cached_schedule& built = of.schedules.replace();
  build_schedule(of, call, key, built);
  return built;
}

void collectives::state::build_schedule(collective_state::state& of, const collective_call& call,
                                        const schedule_key& key, cached_schedule& built) {
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
  p.send = make_blocks(call.bytes, call.send_bytes, packed ? nullptr : call.send_offsets, outgoing,
                       send_offsets);
  p.receive =
      make_blocks(call.bytes, call.receive_bytes, call.receive_offsets, incoming, receive_offsets);
  if (packed) p.bytes = p.send.offset(p.size - 1) + p.send.bytes(p.size - 1);
  built.key = key;
  built.keyed = !varying;
  built.how = nullptr;
  if (among_neighbors) {
    p.near = of.near;
    built.steps.clear();
    (call.kind == collective::neighbor_allgather ? algorithms::neighbor_allgather
                                                 : algorithms::neighbor_alltoall)(p, built.steps);
    return;
  }
  // A segment of moved bytes is a multiple of a cache line of its own accord, since the rules cut
  // in KiB.
  const chosen by = key.by != nullptr && key.by->how->serves(p)
                        ? chosen{key.by->how, key.by->radix, key.by->cut}
                        : rules.of(call.kind, p, of.where);
  p.radix = by.radix;
  built.how = by.how;
  build(*by.how, p, by.cut, built.steps);
}

// With the first schedule that is built: not every communicator has collectives.
const node_map* collectives::state::nodes_of(collective_state::state& of) const {
  if (!of.looked_for_nodes) {
    of.looked_for_nodes = true;
    std::vector<std::uint32_t> by_rank;
    for (const peer_id each : of.members.peers())
      if (!nodes.empty()) by_rank.push_back(nodes[each]);
    if (node_map found{by_rank}; found.has_levels())
      of.nodes = std::make_shared<const node_map>(std::move(found));
  }
  return of.nodes.get();
}

collectives::state::active_run& collectives::state::take_run() {
  if (!free_runs) {
    active_runs.push_back(std::make_unique<active_run>(messages));
    active_runs.back()->home = this;
    return *active_runs.back();
  }
  return *std::exchange(free_runs, free_runs->next_free);
}

inline operation& collectives::state::make_operation() noexcept {
  operation& promised = messages.make_operation();
  if (!thrown.empty())
    std::erase_if(thrown, [&](const auto& each) { return each.first == &promised; });
  return promised;
}

operation& collectives::state::refuse(collective_state::state& of, operation& promised) noexcept {
  promised.result.error =
      of.failed.load(std::memory_order_relaxed) ? errc::peer_failed : errc::invalid_argument;
  messages.finish(promised);
  return promised;
}

operation& collectives::state::start(collective_state::state& of, const collective_call& call,
                                     completion_hook hook, const tuned_algorithm* by) noexcept {
  operation& promised = make_operation();
  active_run& f = take_run();
  run_task& task = f.run.task();
  task.reduces = is_reduction(call.kind);
  if (task.reduces) task.join.set(call);
  const bool failed = of.failed.load(std::memory_order_relaxed);
  if (failed || (task.reduces && !task.join.valid())) [[unlikely]] {
    f.next_free = std::exchange(free_runs, &f);
    return refuse(of, promised);
  }
  cached_schedule& schedule = find_schedule(of, call, by);
  ++schedule.users;
  f.schedule = &schedule;
  last = schedule.how;
  task.plan = &schedule.steps;
  task.members = &of.members;
  task.send = static_cast<std::byte*>(const_cast<void*>(call.send));
  task.receive = static_cast<std::byte*>(call.receive);
  task.bytes = call.bytes;
  task.spoilt = call.spoilt;
  if (!absent.empty()) [[unlikely]]
    leave_out_absent(of, f.run);
  return execute(f, of, tag_of(of.started++), promised, hook);
}

operation& collectives::state::start(prepared_collective::state& made,
                                     completion_hook hook) noexcept {
  operation& promised = make_operation();
  active_run& f = made.active;
  const run_task& task = f.run.task();
  if (made.of.failed.load(std::memory_order_relaxed) || (task.reduces && !task.join.valid()))
      [[unlikely]]
    return refuse(made.of, promised);
  for (const absence& each : absent)  // stay, for the next starts
    if (each.of.made_ready && each.of.context == made.of.members.collective_context() &&
        first_tag_of(each.of) == made.first_tag)
      f.run.leave_out(rank_of(made.of.members, each.who));
  return execute(f, made.of, made.first_tag, promised, hook);
}

inline operation& collectives::state::execute(active_run& f, collective_state::state& of,
                                              std::uint32_t first_tag, operation& promised,
                                              completion_hook hook) noexcept {
  f.of = &of;
  f.promised = &promised;
  f.run.task().first_tag = first_tag;
  f.run.start(
      [](void* context, run&) noexcept {
        static_cast<active_run*>(context)->home->ended(*static_cast<active_run*>(context));
      },
      &f);
  // As with messages, the hook is not called for what has ended by now. relaxed: the engine's lock
  // is held.
  if (!promised.finished.load(std::memory_order_relaxed)) promised.hook = hook;
  return promised;
}

void collectives::state::ended(active_run& f) noexcept {
  operation& promised = *f.promised;
  collective_state::state& of = *f.of;
  promised.result.bytes = f.run.task().bytes;
  if (const std::error_code error = f.run.error()) {
    promised.result.bytes = 0;
    promised.result.error = error;
    if (error == errc::operation_failed) promised.result.source = f.run.absent_rank();
    if (std::exception_ptr problem = f.run.take_exception())
      thrown.emplace_back(&promised, std::move(problem));
  }
  f.of = nullptr;
  if (!f.reserved) {
    --f.schedule->users;
    f.next_free = std::exchange(free_runs, &f);
  }
  // A rank that has given this collective up takes part in no later one of the communicator, and
  // the other ranks must not wait for it there.
  if (promised.result.error == errc::peer_failed) fail(of);
  messages.finish(promised);
}

collective_state::state* collectives::state::find(std::uint32_t context) const noexcept {
  const auto found = std::ranges::find(
      states, context, [](const auto* each) { return each->members.collective_context(); });
  return found == states.end() ? nullptr : *found;
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

collective_state::collective_state(collectives& in, const team& members,
                                   const collective_state* like)
    : state_{std::make_unique<state>(*in.state_, members, like ? like->state_.get() : nullptr)} {
  collectives::state& home = *in.state_;
  state_->place = home.states.size();
  home.states.push_back(state_.get());
  if (home.messages.somebody_gone() && std::ranges::any_of(members.peers(), [&](peer_id peer) {
        return home.messages.has_failed(peer);
      }))
    home.fail(*state_);
}

collective_state::~collective_state() {
  collectives::state& home = state_->home;
  // The last one takes its place: there may be very many.
  home.states[state_->place] = home.states.back();
  home.states[state_->place]->place = state_->place;
  home.states.pop_back();
  if (!home.absent.empty())
    std::erase_if(home.absent, [&](const auto& each) {
      return each.of.context == state_->members.collective_context();
    });
  if (!state_->drain) return;
  // Withdrawn without its hook, which would post it again.
  operation& last = *state_->drain;
  last.hook = {};
  if (home.messages.cancel(last)) home.messages.release(last);
  else home.messages.detach(last);
}

const std::atomic<bool>& collective_state::failed() const noexcept { return state_->failed; }

void collective_state::set_neighbors(const detail::neighborhood& near) noexcept {
  state_->near = &near;
}

collectives::collectives(messaging& messages, const algorithm_settings& from,
                         std::span<const std::uint32_t> nodes, const cost_basis& basis)
    : state_{std::make_unique<state>(messages, from, nodes, basis)} {}

collectives::~collectives() = default;

operation& collectives::start(collective_state& of, const collective_call& call,
                              completion_hook hook, const tuned_algorithm* by) noexcept {
  return state_->start(*of.state_, call, hook, by);
}

std::exception_ptr collectives::take_exception(const operation& over) noexcept {
  const auto found =
      std::ranges::find(state_->thrown, &over, [](const auto& each) { return each.first; });
  if (found == state_->thrown.end()) return {};
  std::exception_ptr problem = std::move(found->second);
  state_->thrown.erase(found);
  return problem;
}

void collectives::keep_exception(const operation& over, std::exception_ptr problem) {
  std::erase_if(state_->thrown, [&](const auto& each) { return each.first == &over; });
  if (problem) state_->thrown.emplace_back(&over, std::move(problem));
}

std::string_view collectives::last_algorithm() const noexcept {
  return state_->last != nullptr ? state_->last->name : "linear";
}

bool collectives::forced(detail::collective kind) const noexcept {
  return state_->rules.forces(kind);
}

bool collectives::leaves_open(detail::collective kind) const noexcept {
  return state_->rules.leaves_open(kind);
}

collectives::alternatives_of_call collectives::alternatives(const collective_state& among,
                                                            detail::collective kind,
                                                            std::size_t bytes,
                                                            bool commutative) const {
  collective_state::state& of = *among.state_;
  const team& members = of.members;
  problem asked;
  asked.size = members.size();
  asked.bytes =
      kind == collective::reduce_scatter ? bytes * static_cast<std::size_t>(asked.size) : bytes;
  asked.send.equal = asked.receive.equal = bytes;
  asked.commutative = commutative;
  asked.nodes = state_->nodes_of(of);
  alternatives_of_call found;
  const std::vector<candidate> all =
      state_->rules.candidates(kind, asked, state_->basis.of(members.peers(), state_->nodes));
  // Prices are off, but not by so much. Long calls take as long as their copies, which is known
  // better, and a trial of them costs more.
  const double hopeless = bytes <= longest_tried_freely ? 3 : 2;
  for (const candidate& each : all) {
    const tuned_algorithm& as = kept({each.as.how, each.as.radix, each.as.cut});
    if (each.taken) found.taken = &as;
    // How long it takes that so many send to one at once is in no price.
    else if (as.how->all_at_once && asked.size > most_ranks_tried_at_once) continue;
    if (!each.price || *each.price <= hopeless * *all.front().price) found.all.push_back(&as);
  }
  return found;
}

bool collectives::busy() const noexcept {
  return std::ranges::any_of(state_->active_runs,
                             [](const auto& each) { return each->of != nullptr; });
}

const team* collectives::team_of(std::uint32_t context) const noexcept {
  const collective_state::state* const found = state_->find(context + 1);
  return found == nullptr ? nullptr : &found->members;
}

std::uint32_t collective_state::next_number() const noexcept { return state_->started; }

const team& collective_state::members() const noexcept { return state_->members; }

void collective_state::go_on_with(std::uint32_t number) noexcept { state_->started = number; }

std::uint32_t collective_state::number_prepared() noexcept { return state_->prepared++; }

prepared_collective::prepared_collective(collectives& in, collective_state& of,
                                         const collective_call& call, std::uint32_t number)
    : state_{new state{
          *in.state_, *of.state_, in.state_->take_run(), first_prepared_tag | tag_of(number), {}}} {
  collectives::state& home = state_->home;
  collectives::state::active_run& f = state_->active;
  const team& members = state_->of.members;
  cached_schedule& steps = state_->steps;
  f.reserved = true;
  f.schedule = &steps;
  home.build_schedule(state_->of, call, key_of(call, members.rank()), steps);
  run_task& task = f.run.task();
  task.reduces = is_reduction(call.kind);
  if (task.reduces) task.join.set(call);
  task.plan = &steps.steps;
  task.members = &members;
  task.send = static_cast<std::byte*>(const_cast<void*>(call.send));
  task.receive = static_cast<std::byte*>(call.receive);
  task.bytes = call.bytes;
  f.run.reserve();
}

prepared_collective::~prepared_collective() {
  collectives::state::active_run& f = state_->active;
  f.run.forget_reserve();
  f.reserved = false;
  f.next_free = std::exchange(state_->home.free_runs, &f);
}

operation& prepared_collective::start(completion_hook hook) noexcept {
  return state_->home.start(*state_, hook);
}

}  // namespace peal
