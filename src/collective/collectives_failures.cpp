// Ranks that died, gave a collective up, or take no part in it: the others' calls end all the same.
#include <algorithm>
#include <utility>

#include "collective/collectives_state.hpp"
#include "peal/error.hpp"

namespace peal {

/// Before the next collective starts.
void collectives::state::leave_out_absent(collective_state::state& of, run& next) noexcept {
  const std::uint32_t context = of.members.collective_context();
  std::erase_if(absent, [&](const absence& each) {
    const std::uint32_t ahead = each.of.number - of.started;
    if (each.of.made_ready || each.of.context != context || (ahead != 0 && ahead < half_of_numbers))
      return false;
    if (ahead == 0) next.leave_out(rank_of(of.members, each.who));
    return true;
  });
}

void collectives::state::fail(collective_state::state& of) noexcept {
  if (of.failed.load(std::memory_order_relaxed)) return;
  of.failed.store(true, std::memory_order_relaxed);
  for (std::size_t i = 0; i != active_runs.size(); ++i)  // hooks may start further ones
    if (active_runs[i]->of == &of) active_runs[i]->run.give_up();
  drain(of);
  if (tell_failure) tell_failure(failure_owner, of.members.context());
}

// Ranks that have not heard of the death yet, or have sent already, must not wait for receives that
// this rank does not post any more: from now on whatever comes is taken and thrown away.
void collectives::state::drain(collective_state::state& of) noexcept {
  for (;;) {
    const completion_hook again{[](void* context, operation& over) noexcept {
                                  auto& failed = *static_cast<collective_state::state*>(context);
                                  failed.home.messages.release(over);
                                  failed.home.drain(failed);
                                },
                                &of};
    operation& taken = messages.start_recv(of.members, of.members.collective_context(), nullptr, 0,
                                           detail::any_source_value, detail::any_tag_value, again);
    of.drain = &taken;
    if (!taken.finished.load(std::memory_order_relaxed)) return;
    // A message that had come already, or the news of a death, which ends one receive only.
    messages.release(taken);
  }
}

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
    if (each->members.context() - first < count && belongs_to(each->members, member))
      state_->fail(*each);
}

collectives::health collectives::health_of(std::uint32_t first, std::uint32_t count,
                                           peer_id member) const noexcept {
  health found = health::unknown;
  for (const collective_state::state* each : state_->states) {
    if (each->members.context() - first >= count || !belongs_to(each->members, member)) continue;
    if (each->failed.load(std::memory_order_relaxed)) return health::fails;
    found = health::works;
  }
  return found;
}

void collectives::on_failure(void (*call)(void* owner, std::uint32_t context) noexcept,
                             void* owner) noexcept {
  state_->tell_failure = call;
  state_->failure_owner = owner;
}

void collectives::leave_out(const collective_name& what, peer_id who) noexcept {
  const collective_state::state* const of = state_->find(what.context);
  const bool to_come = of == nullptr || what.number - of->started < half_of_numbers;
  if (what.made_ready || to_come) state_->absent.push_back({what, who});
  if (of == nullptr || (!what.made_ready && to_come)) return;
  for (std::size_t i = 0; i != state_->active_runs.size(); ++i) {  // hooks may start further ones
    state::active_run& each = *state_->active_runs[i];
    if (each.of != of || each.run.task().first_tag != first_tag_of(what)) continue;
    return each.run.leave_out(rank_of(of->members, who));
  }
}

void collectives::throw_away(const collective_name& what, peer_id from) noexcept {
  const collective_state::state* const of = state_->find(what.context);
  if (of == nullptr) return;
  const int rank = rank_of(of->members, from);
  outcome got;
  for (std::uint32_t stream = 0; stream != schedule::max_streams; ++stream)
    while (detail::matched_message* const taken = state_->messages.take(
               of->members, what.context, rank, static_cast<int>(first_tag_of(what) + stream), got))
      state_->messages.discard(*taken);
}

}  // namespace peal
