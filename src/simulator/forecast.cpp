// Which ranks are played, and what follows from them for all.
#include "simulator/forecast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>

#include "collective/choice/choice.hpp"
#include "simulator/amount.hpp"

namespace peal::simulator {

namespace {

using detail::collective;

constexpr double little = 1 << 22;         // messages that are played without a thought
constexpr double most_messages = 1 << 26;  // more take minutes
constexpr double most_steps = 1 << 28;     // of all ranks' schedules
// Segments of each stream that are played, and as many again: with 2 the times of 24 and 32 ranks
// were up to 10 % off, with 4 up to 8 %, and mostly below 5 % (forecast_test.cpp).
constexpr std::size_t rounds_of_segments = 4;
// On an adapter, if all ranks sent everything to all; the clock ends at 9e15.
constexpr double most_ns = 2e15;
// Steps of one rank's schedule, which has to be in memory as a whole.
constexpr double most_of_one = 1 << 23;

shape shape_of(const question& q, int rank, relation by) {
  schedule built;
  build(*q.how, make_problem(q, rank), q.cut, built);
  return {built, rank, q.ranks, by};
}

/// Such a call of so many ranks at most, on several nodes where the algorithm goes by nodes.
question with_ranks(question q, int few) {
  if (q.ranks <= few) return q;
  q.ranks = few;
  if (q.how->by_node) q.ranks_per_node = std::min(q.ranks_per_node, few / 4);
  return q;
}

/// In which way more ranks look alike.
relation better_relation(const question& q) {
  const question few = with_ranks(q, floor_power(q.ranks) == q.ranks ? 64 : 63);
  const auto differing = [&](relation by) {
    const shape first = shape_of(few, 0, by);
    int found = 0;
    for (int rank = 1; rank < few.ranks; ++rank) found += shape_of(few, rank, by) != first;
    return found;
  };
  return differing(relation::bits) < differing(relation::distance) ? relation::bits
                                                                   : relation::distance;
}

/// The shape of all ranks, if they have one. All of them are compared where they are few, some
/// where they are many.
std::optional<shape> common_shape(const question& q, relation by) {
  question few = with_ranks(q, floor_power(q.ranks) == q.ranks ? 64 : 60 + q.ranks % 4);
  if (few.ranks < q.ranks && shared_out(q.how->kind))
    few.bytes = std::max(q.bytes / static_cast<std::size_t>(q.ranks), q.element) *
                static_cast<std::size_t>(few.ranks);
  const shape first = shape_of(few, 0, by);
  for (int rank = 1; rank < few.ranks; ++rank)
    if (shape_of(few, rank, by) != first) return std::nullopt;
  shape found = shape_of(q, 0, by);
  for (const int rank : {1, q.ranks / 3, q.ranks - 1})
    if (rank < q.ranks && shape_of(q, rank, by) != found) return std::nullopt;
  return found;
}

population everyone(const question& q, relation by) {
  population made{.ranks = q.ranks, .shape_of = {}, .shapes = {}};
  made.shape_of.reserve(static_cast<std::size_t>(q.ranks));
  std::unordered_multimap<std::size_t, std::uint32_t> known;
  schedule built;
  for (int rank = 0; rank != q.ranks; ++rank) {
    build(*q.how, make_problem(q, rank), q.cut, built);
    shape mine{built, rank, q.ranks, by};
    const std::size_t hash = mine.hash();
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(
        first, last, [&](const auto& each) { return made.shapes[each.second] == mine; });
    if (same != last) {
      made.shape_of.push_back(same->second);
      continue;
    }
    made.shape_of.push_back(static_cast<std::uint32_t>(made.shapes.size()));
    known.emplace(hash, made.shape_of.back());
    made.shapes.push_back(std::move(mine));
  }
  return made;
}

void take(forecast& into, const outcome& from, int ranks, int simulated) {
  const double times = static_cast<double>(ranks) / simulated;
  into.time = from.time;
  into.rounds = from.rounds;
  into.messages = static_cast<double>(from.messages) * times;
  into.bytes = static_cast<double>(from.bytes) * times;
  into.doorbells = static_cast<double>(from.doorbells) * times;
  into.misses = from.misses;
  into.simulated = simulated;
  if (!from.ended) into.refusal = "its ranks wait for each other for ever: the schedule is wrong";
}

/// Goes on from the played rounds to those dropped: each of them takes as long as those that `more`
/// has and `less` has not.
void extrapolate(forecast& into, const forecast& less, double dropped_less, const forecast& more,
                 double dropped_more) {
  const double times = dropped_more / (dropped_less - dropped_more);
  const auto further = [&](double a, double b) { return b + (b - a) * times; };
  into = more;
  into.time = static_cast<picoseconds>(
      further(static_cast<double>(less.time), static_cast<double>(more.time)));
  into.rounds = further(less.rounds, more.rounds);
  into.messages = further(less.messages, more.messages);
  into.bytes = further(less.bytes, more.bytes);
  into.doorbells = further(less.doorbells, more.doorbells);
  into.extrapolated = true;
}

forecast simulate_some(const machine& on, const question& q, const shape& all, int simulated) {
  const auto play = [&](const shape& plays) {
    forecast made;
    const population ranks{
        .ranks = q.ranks,
        .shape_of = std::vector<std::uint32_t>(static_cast<std::size_t>(simulated), 0),
        .shapes = {plays}};
    take(made, simulate(on, ranks), q.ranks, simulated);
    return made;
  };
  if (static_cast<double>(all.sends().size()) * simulated > little) {
    // A multiple of the simulated ranks: a ring then has been all around.
    const auto less =
        static_cast<std::uint32_t>(simulated * std::max(2, (256 + simulated - 1) / simulated));
    const shape::shortened shorter = all.cut(less);
    const shape::shortened longer = all.cut(2 * less);
    if (longer.dropped != 0) {
      forecast made;
      const forecast first = play(shorter.what);
      const forecast second = play(longer.what);
      extrapolate(made, first, shorter.dropped, second, longer.dropped);
      return made;
    }
  }
  forecast made;
  if (static_cast<double>(all.sends().size()) * simulated > most_messages)
    made.refusal = "ranks that stand for all would send " +
                   std::to_string(all.sends().size() * static_cast<std::size_t>(simulated)) +
                   " messages";
  else made = play(all);
  return made;
}

std::string in_millions(double amount) {
  return std::to_string(static_cast<long long>(amount / 1e6)) + " million";
}

forecast by_classes(const machine& on, question q, relation by) {
  forecast made;
  // The network looks alike from rank to rank + span.
  const int span = on.ranks_per_node * on.net.leaf_nodes;
  if (span >= q.ranks) {
    made.refusal = "one leaf switch holds all ranks, so none stands for others";
    return made;
  }
  if (by == relation::bits && !std::has_single_bit(static_cast<unsigned>(span))) {
    made.refusal = "ranks stand for others only where a leaf switch has a power of two of them";
    return made;
  }
  std::optional<shape> all = common_shape(q, by);
  bool rounded = false;
  if (!all && shared_out(q.how->kind)) {
    const std::size_t grain = q.element * static_cast<std::size_t>(q.ranks);
    const std::size_t above = (q.bytes + grain - 1) / grain * grain;
    rounded = above != q.bytes;
    q.bytes = above;
    if (rounded) all = common_shape(q, by);
  }
  if (!all) {
    made.refusal = "its ranks differ, so none stands for others";
    return made;
  }
  made = simulate_some(on, q, *all, span);
  made.rounded = rounded;
  made.uneven = q.ranks % span != 0;
  return made;
}

forecast by_all(const machine& on, const question& q, const amount& expected, relation by) {
  forecast made;
  if (expected.messages > most_messages)
    made.refusal = "all ranks would send " + in_millions(expected.messages) + " messages";
  else if (expected.steps > most_steps)
    made.refusal = "the schedules of all ranks have " + in_millions(expected.steps) + " steps";
  else take(made, simulate(on, everyone(q, by)), q.ranks, q.ranks);
  return made;
}

/// Those that stand for all, where there are such and they are not many; else all.
forecast by_few_or_all(const machine& on, const question& q, const amount& expected, relation by) {
  if (expected.messages <= little && expected.steps <= most_steps)
    return by_all(on, q, expected, by);
  forecast made = by_classes(on, q, by);
  if (made.refusal.empty()) return made;
  const std::string first = made.refusal;
  made = by_all(on, q, expected, by);
  if (!made.refusal.empty()) made.refusal += ", and " + first;
  return made;
}

/// Of a vector that is cut: only so many of its segments, in two numbers.
forecast by_segments(const machine& on, const question& q, const amount& expected, relation by) {
  forecast made;
  const auto [segment, all] = cutting_of(q);
  const std::size_t less = rounds_of_segments * q.cut.streams + all % q.cut.streams;
  const std::size_t more = less + rounds_of_segments * q.cut.streams;
  if (all <= more) {
    made.refusal = "it has too few segments for some to stand for all";
    return made;
  }
  const auto play = [&, segment = segment, all = all](std::size_t segments) {
    question part = q;
    part.bytes -= (all - segments) * segment;
    const double times = static_cast<double>(segments) / static_cast<double>(all);
    return by_few_or_all(
        on, part, {expected.messages * times, expected.steps * times, expected.longest * times},
        by);
  };
  forecast second = play(more);
  if (!second.refusal.empty()) return second;
  extrapolate(made, play(less), static_cast<double>(all - less), second,
              static_cast<double>(all - more));
  return made;
}

/// Null where nodes do not matter. The last one is kept.
const node_map* nodes_for(int ranks, int per_node) {
  if (per_node <= 1 || per_node >= ranks) return nullptr;
  struct {
    int ranks = 0, per_node = 0;
    std::optional<node_map> made;
  } thread_local static last;
  if (last.ranks != ranks || last.per_node != per_node) {
    std::vector<std::uint32_t> by_rank(static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank != by_rank.size(); ++rank)
      by_rank[rank] = static_cast<std::uint32_t>(rank) / static_cast<std::uint32_t>(per_node);
    last.made.emplace(by_rank);
    last.ranks = ranks;
    last.per_node = per_node;
  }
  return &*last.made;
}

}  // namespace

problem make_problem(const question& q, int rank) {
  problem p;
  p.rank = rank;
  p.size = q.ranks;
  const std::size_t bytes = q.how->kind == collective::barrier ? 0 : q.bytes;
  p.bytes =
      q.how->kind == collective::reduce_scatter ? bytes * static_cast<std::size_t>(q.ranks) : bytes;
  if (detail::is_reduction(q.how->kind)) p.element = q.element;
  p.radix = q.radix;
  p.nodes = nodes_for(q.ranks, q.ranks_per_node);
  p.send.equal = p.receive.equal = bytes;
  return p;
}

forecast predict(const machine& on, question q, method by) {
  forecast made;
  q.ranks_per_node = on.ranks_per_node;
  if (!q.how->serves(make_problem(q, 0))) {
    made.refusal = q.how->power_of_two ? "needs a number of ranks that is a power of two"
                   : q.how->by_node
                       ? "needs several nodes with several ranks each (--ranks-per-node)"
                       : "does not serve such a call";
    return made;
  }
  const double worst = static_cast<double>(q.bytes) * q.ranks * on.ranks_per_node /
                       on.nic.link_rate * std::max(on.net.oversubscription, 1.0);
  if (worst > most_ns) {
    made.refusal = "it might take weeks, and the clock ends there";
    return made;
  }
  const amount expected = estimate(q);
  if (expected.longest > most_of_one) {
    made.refusal = "the schedule of one rank has " + in_millions(expected.longest) + " steps";
    return made;
  }
  const relation alike = better_relation(q);
  if (by == method::classes) return by_classes(on, q, alike);
  if (by == method::full) return by_all(on, q, expected, alike);
  if (by == method::segments) return by_segments(on, q, expected, alike);
  if (expected.messages > little) {
    made = by_segments(on, q, expected, alike);
    if (made.refusal.empty()) return made;
  }
  return by_few_or_all(on, q, expected, alike);
}

question ask(const algorithm& how, int ranks, std::size_t bytes, std::size_t element,
             int ranks_per_node) {
  question q{.how = &how,
             .ranks = ranks,
             .bytes = bytes,
             .element = element,
             .ranks_per_node = ranks_per_node};
  const chosen rules = choice{}.of(how.kind, make_problem(q, 0));
  q.cut = rules.how == &how ? rules.cut : usual_cut(how);
  if (rules.how == &how) q.radix = rules.radix;
  return q;
}

const algorithm& usual(collective kind, int ranks, std::size_t bytes, std::size_t element,
                       int ranks_per_node) {
  const auto any = std::ranges::find(all_algorithms(), kind, &algorithm::kind);
  const question q{.how = &*any,
                   .ranks = ranks,
                   .bytes = bytes,
                   .element = element,
                   .ranks_per_node = ranks_per_node};
  return *choice{}.of(kind, make_problem(q, 0)).how;
}

}  // namespace peal::simulator
