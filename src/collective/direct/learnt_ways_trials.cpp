// Which way is tried next, for how many calls, and what that may cost.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "collective/direct/learnt_ways.hpp"

namespace peal::direct {

namespace {

// As logarithms to the base of 2.
constexpr float much = 0.6F;      // 1.5 times
constexpr float very_much = 2;    // 4 times
constexpr float disturbance = 5;  // 32 times: longer does not last

/// 2 to the power of it, 6 % more at most. All ranks must compute the same, and a mathematical
/// library may round in another way on another processor. Requires: 0 to 30.
constexpr float times_of(float gap) noexcept {
  const int whole = static_cast<int>(gap);
  return static_cast<float>(1 << whole) * (1 + (gap - static_cast<float>(whole)));
}

/// What a call loses that costs so much more, in calls of the best way.
constexpr float excess_of(float gap) noexcept {
  return times_of(std::clamp(gap, 0.0F, disturbance)) - 1;
}

}  // namespace

/// A way that has not been measured so often as it should be, and may be tried now.
bool learnt_ways::find_trial(entry& of) noexcept {
  of.waits_for = no_loss;
  // Before that is known nobody can tell what a trial loses: first calls take long by any way.
  if (is_long(of.of) && of.measured[of.best] < rounds && !next_is_direct(of)) return true;
  for (std::uint8_t round = 0; round != rounds; ++round)
    for (std::size_t each = 0; each != of.ways.size(); ++each) {
      const bool is_hopeless =
          round != 0 && !is_long(of.of) && of.cost[each] - of.cost[of.best] >= very_much;
      if (of.measured[each] > round || is_hopeless) continue;
      if (!may_try(of, each)) {
        of.waits_for = std::min(of.waits_for, expected_loss(of, each));
        continue;
      }
      of.now = static_cast<std::uint8_t>(each);
      return true;
    }
  return false;
}

/// Of the best way, where there is room. True: there is something new to try.
bool learnt_ways::add_neighbors(entry& of) {
  const auto bit = static_cast<std::uint16_t>(1U << of.best);
  if (!neighbors_of_ || (of.refined & bit) != 0) return false;
  of.refined |= bit;
  const tuned_algorithm* const best = of.best == 0 ? of.usual.by : of.ways[of.best].by;
  if (best == nullptr) return false;
  const std::size_t before = of.ways.size();
  for (const tuned_algorithm& each : neighbors_of_(of.of, *best)) {
    const tuned_algorithm* const by = &kept(each);
    if (of.ways.size() != most_ways && by != of.usual.by &&
        std::ranges::find(of.ways, by, &call_way::by) == of.ways.end())
      of.ways.push_back({.by = by});
  }
  return of.ways.size() != before;
}

/// Which way it goes in the next window. True: it is a trial.
bool learnt_ways::plan_trial(entry& of) noexcept {
  const bool was_trial = of.now != of.best;
  of.now = of.best;
  const auto gap = [&](std::size_t each) { return of.cost[each] - of.cost[of.best]; };
  if (!of.steady) {
    if (find_trial(of)) return true;
    if (of.waits_for != no_loss) return false;
  }
  if (add_neighbors(of)) {
    of.steady = false;
    return find_trial(of);
  }
  if (!std::exchange(of.steady, true) || was_trial) return false;
  // One of the others, now and then: the machine may have changed.
  ++of.turn;
  const std::size_t other = of.turn % of.ways.size(), cycle = of.turn / of.ways.size();
  // What is known to be slow comes in one of so many cycles, and not in the first one, before which
  // it was measured. A way whose only window so far was slow may have been disturbed then.
  const bool is_sure = of.measured[other] == rounds && (of.guessed >> other & 1) == 0;
  const std::size_t rest = !is_sure || gap(other) <= much ? 1 : gap(other) <= very_much ? 4 : 16;
  if (other == of.best || cycle % rest != (rest == 1 ? 0 : 1) || !may_try(of, other)) return false;
  of.now = static_cast<std::uint8_t>(other);
  return true;
}

/// How many calls it has. Of what is known to be slow few are enough to see that it is so still.
/// What took long once did so because it was the first call, perhaps; two show whether it goes on
/// to become faster.
std::uint32_t learnt_ways::calls_of_trial(const entry& of, std::size_t way) noexcept {
  const float gap = of.cost[way] - of.cost[of.best];
  if (is_long(of.of)) {
    if (of.measured[way] == 0 || gap >= very_much) return 1;
    return of.measured[way] == 1 && gap > much ? 2 : short_trial_window;
  }
  return of.measured[way] == rounds && gap > much ? short_trial_window : trial_window;
}

/// Where a program makes other calls between, a window has more of them.
std::uint32_t learnt_ways::window_of_trial(const entry& of) noexcept {
  return std::max(calls_of_trial(of, of.now), 1U << of.reach);
}

/// Of a trial that saw no call: whether the window was too short for the calls that lie between.
bool learnt_ways::goes_on_with_trial(entry& of) const noexcept {
  if (of.now == of.best || !is_long(of.of) || window_ >= least_window) return false;
  of.reach = static_cast<std::uint8_t>(std::min(of.reach + 1, most_reach));
  return true;
}

/// In calls of the best way.
float learnt_ways::expected_loss(const entry& of, std::size_t way) noexcept {
  const auto by_messages = [&](std::size_t each) {
    return (each == 0 ? of.usual : of.ways[each]).by != nullptr;
  };
  float cost = of.cost[way];
  if (of.measured[way] == 0) {
    // As what is most like it: where messages are slow, they are so by any algorithm.
    cost = std::numeric_limits<float>::max();
    for (std::size_t each = 0; by_messages(way) && each != of.ways.size(); ++each)
      if (of.measured[each] != 0 && by_messages(each)) cost = std::min(cost, of.cost[each]);
    if (cost == std::numeric_limits<float>::max()) return 0;
  }
  return static_cast<float>(calls_of_trial(of, way)) * excess_of(cost - of.cost[of.best]);
}

/// A window is over. A shape that is met for the first time had only some of its calls, perhaps.
void learnt_ways::charge(entry& of) const noexcept {
  const auto calls = static_cast<float>(
      of.measured[of.now] == 0 && of.now == of.best ? std::min(window_, trial_window) : window_);
  of.calls += calls;
  of.may_lose += trials_share * std::min(1.0F, of.calls / few_calls) * calls;
  if (of.now != of.best && of.measured[of.best] != 0)
    of.may_lose -= calls * excess_of(of.heard - of.cost[of.best]);
}

bool learnt_ways::may_try(const entry& of, std::size_t way) noexcept {
  return !is_long(of.of) || (of.may_lose > 0 && of.may_lose >= expected_loss(of, way));
}

std::uint32_t learnt_ways::calls_until_it_may(const entry& of) noexcept {
  const float calls = 1 + (of.waits_for - of.may_lose) / trials_share;
  return static_cast<std::uint32_t>(
      std::clamp(calls, float{short_trial_window}, float{least_window}));
}

/// Whether the next trial goes directly, so that its times count whatever messages try.
bool learnt_ways::next_is_direct(const entry& of) noexcept {
  for (std::size_t each = 0; each != of.ways.size(); ++each)
    if (of.measured[each] == 0 && each != of.now) return of.ways[each].directly;
  return false;
}

/// Whether it goes on as it goes for one more window, of which the messages may be settled. Not
/// before calls that go directly have been tried: then it is known what is slow. What is
/// slow already has less time for that: four times less where calls take twice as long as by the
/// best way.
bool learnt_ways::may_settle(entry& of) noexcept {
  if (of.settled || next_is_direct(of) || (of.now != of.best && is_long(of.of) && of.may_lose <= 0))
    return false;
  const float excess = of.measured[of.best] == 0 || of.now == of.best
                           ? 0
                           : std::clamp(of.heard - of.cost[of.best], 0.0F, disturbance);
  return static_cast<float>(++of.settling) * times_of(2 * excess) <= most_settling;
}

}  // namespace peal::direct
