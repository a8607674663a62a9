// Collectives whose blocks differ in length, from and into memory of the caller's: counts and
// displacements, in every form.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <peal/topology.hpp>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;
using ints = std::vector<int>;
using sizes = std::vector<std::size_t>;

int element(int from, int to, int turn, std::size_t i) {
  return from * 100'000 + to * 1000 + turn * 500 + static_cast<int>(i % 500);
}
ints block(int from, int to, int turn, std::size_t count) {
  ints made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = element(from, to, turn, i);
  return made;
}
/// Some are empty.
std::size_t count_of(int from, int to, std::size_t base) {
  return base * static_cast<std::size_t>((from * 2 + to) % 3);
}

/// Blocks apart from each other, in the order from the last to the first; what is between them
/// stays.
struct apart {
  sizes counts, displacements;
  ints memory;
  explicit apart(sizes of) : counts{std::move(of)}, displacements(counts.size()) {
    std::size_t next = 1;
    for (std::size_t i = counts.size(); i-- > 0;) {
      displacements[i] = next;
      next += counts[i] + 2;
    }
    memory.assign(next, -7);
  }
  void put(std::size_t i, const ints& values) {
    std::copy(values.begin(), values.end(),
              memory.begin() + static_cast<std::ptrdiff_t>(displacements[i]));
  }
  void clear() { std::fill(memory.begin(), memory.end(), -7); }
};

struct form {
  std::string name;
  std::function<void()> run;
};
template <class Fill, class Check>
void in_all_forms(const std::vector<form>& forms, const Fill& fill, const Check& check) {
  for (const form& each : forms)
    for (int turn = 0; turn < 2; ++turn) {
      fill(turn);
      each.run();
      job::check(check(turn), each.name);
    }
}

void gathers(const communicator& world, std::size_t base) {
  const int me = world.rank(), size = world.size(), root = size / 2;
  const auto mine = static_cast<std::size_t>(me);
  sizes counts;
  for (int rank = 0; rank < size; ++rank) counts.push_back(count_of(rank, 0, base));
  ints given(counts[mine]),
      side_by_side(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  apart spread{counts};
  const auto fill = [&](int turn) {
    const ints values = block(me, 0, turn, counts[mine]);
    std::copy(values.begin(), values.end(), given.begin());  // plans read it where it is
    std::fill(side_by_side.begin(), side_by_side.end(), -7);
    spread.clear();
  };
  const auto fill_own = [&](int turn) {
    fill(turn);
    spread.put(mine, block(me, 0, turn, counts[mine]));
    ints own = block(me, 0, turn, counts[mine]);
    std::copy(own.begin(), own.end(),
              side_by_side.begin() + static_cast<std::ptrdiff_t>(std::accumulate(
                                         counts.begin(), counts.begin() + me, std::size_t{0})));
  };
  const auto together = [&](int turn) {
    ints all;
    for (int rank = 0; rank < size; ++rank) {
      const ints theirs = block(rank, 0, turn, counts[static_cast<std::size_t>(rank)]);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    return side_by_side == all;
  };
  const auto spread_out = [&](int turn) {
    apart all{counts};
    for (int rank = 0; rank < size; ++rank)
      all.put(static_cast<std::size_t>(rank),
              block(rank, 0, turn, counts[static_cast<std::size_t>(rank)]));
    return spread.memory == all.memory;
  };
  const auto to = [&] { return peal::into(spread.memory, spread.counts, spread.displacements); };
  const auto in = [&] {
    return peal::in_place(spread.memory, spread.counts, spread.displacements);
  };

  auto plan = world.allgatherv_plan(given, peal::into(side_by_side, counts));
  in_all_forms(
      {{"allgatherv into", [&] { world.allgatherv(given, peal::into(side_by_side, counts)); }},
       {"iallgatherv into",
        [&] { world.iallgatherv(given, peal::into(side_by_side, counts)).wait(); }},
       {"allgatherv_plan into", [&] { plan.start().wait(); }},
       {"allgatherv in place", [&] { world.allgatherv(peal::in_place(side_by_side, counts)); }}},
      fill_own, together);
  auto spread_plan = world.allgatherv_plan(given, to());
  in_all_forms({{"allgatherv into places", [&] { world.allgatherv(given, to()); }},
                {"iallgatherv into places", [&] { world.iallgatherv(given, to()).wait(); }},
                {"allgatherv_plan into places", [&] { spread_plan.start().wait(); }},
                {"allgatherv in place, in places", [&] { world.allgatherv(in()); }},
                {"iallgatherv in place, in places", [&] { world.iallgatherv(in()).wait(); }}},
               fill_own, spread_out);
  auto gather_plan = world.gatherv_plan(given, to(), root);
  in_all_forms({{"gatherv into", [&] { world.gatherv(given, to(), root); }},
                {"igatherv into", [&] { world.igatherv(given, to(), root).wait(); }},
                {"gatherv_plan into", [&] { gather_plan.start().wait(); }},
                {"gatherv in place",
                 [&] {
                   if (me == root) world.gatherv(in(), root);
                   else world.gatherv(peal::in_place(given, {}), root);
                 }}},
               fill_own, [&](int turn) { return me != root || spread_out(turn); });

  if (size > 1) {
    sizes wrong = counts;
    wrong[mine] += 1;
    job::throws(peal::errc::invalid_argument,
                [&] { world.allgatherv(given, peal::into(side_by_side, wrong)); });
    wrong.pop_back();
    job::throws(peal::errc::invalid_argument,
                [&] { world.allgatherv(given, peal::into(side_by_side, wrong)); });
    const sizes beyond(counts.size(), std::size_t(-1));
    job::throws(peal::errc::invalid_argument,
                [&] { world.allgatherv(given, peal::into(side_by_side, counts, beyond)); });
    job::equal(world.allreduce(1), size, "behind what all were refused");
  }
}

void scatters(const communicator& world, std::size_t base) {
  const int me = world.rank(), size = world.size(), root = size - 1;
  const auto mine = static_cast<std::size_t>(me);
  sizes counts;
  for (int rank = 0; rank < size; ++rank) counts.push_back(count_of(root, rank, base));
  apart all{counts};
  ints side_by_side(std::accumulate(counts.begin(), counts.end(), std::size_t{0})),
      part(counts[mine]);
  const auto fill = [&](int turn) {
    auto at = side_by_side.begin();
    for (int rank = 0; rank < size; ++rank) {
      const ints theirs = block(root, rank, turn, counts[static_cast<std::size_t>(rank)]);
      all.put(static_cast<std::size_t>(rank), theirs);
      at = std::copy(theirs.begin(), theirs.end(), at);
    }
    std::fill(part.begin(), part.end(), -1);
  };
  const auto has_come = [&](int turn) { return part == block(root, me, turn, counts[mine]); };
  const auto places = [&] { return peal::blocks_of(all.memory, all.counts, all.displacements); };
  const auto blocks = [&] { return peal::blocks_of(side_by_side, counts); };
  auto plan = world.scatterv_plan(places(), peal::into(part), root);
  auto got = world.scatterv_plan(blocks(), root);
  in_all_forms(
      {{"scatterv into", [&] { world.scatterv(blocks(), peal::into(part), root); }},
       {"scatterv of places into", [&] { world.scatterv(places(), peal::into(part), root); }},
       {"iscatterv into", [&] { world.iscatterv(places(), peal::into(part), root).wait(); }},
       {"scatterv_plan into", [&] { plan.start().wait(); }},
       {"scatterv", [&] { part = world.scatterv(places(), root); }},
       {"iscatterv", [&] { part = world.iscatterv(blocks(), root).wait(); }},
       {"scatterv_plan",
        [&] {
          const auto found = got.start().wait();
          part.assign(found.begin(), found.end());
        }}},
      fill, has_come);
}

void exchanges(const communicator& world, std::size_t base) {
  const int me = world.rank(), size = world.size();
  sizes going, coming;
  for (int other = 0; other < size; ++other) {
    going.push_back(count_of(me, other, base));
    coming.push_back(count_of(other, me, base));
  }
  apart out{going}, in{coming};
  const auto fill = [&](int turn) {
    for (int other = 0; other < size; ++other) {
      const auto i = static_cast<std::size_t>(other);
      out.put(i, block(me, other, turn, going[i]));
    }
    in.clear();
  };
  const auto has_come = [&](int turn) {
    apart expected{coming};
    for (int other = 0; other < size; ++other) {
      const auto i = static_cast<std::size_t>(other);
      expected.put(i, block(other, me, turn, coming[i]));
    }
    return in.memory == expected.memory;
  };
  const auto from = [&] { return peal::blocks_of(out.memory, out.counts, out.displacements); };
  const auto to = [&] { return peal::into(in.memory, in.counts, in.displacements); };
  auto plan = world.alltoallv_plan(from(), to());
  in_all_forms({{"alltoallv into", [&] { world.alltoallv(from(), to()); }},
                {"ialltoallv into", [&] { world.ialltoallv(from(), to()).wait(); }},
                {"alltoallv_plan into", [&] { plan.start().wait(); }},
                {"alltoallv",
                 [&] {
                   const auto found = world.alltoallv(from());
                   for (std::size_t i = 0; i < found.size(); ++i)
                     in.put(i, ints(found[i].begin(), found[i].end()));
                 }}},
               fill, has_come);

  const int next = (me + 1) % size, last = (me + size - 1) % size;
  const peal::graph ring{world, std::vector<int>{last}, std::vector<int>{next}};
  const auto to_next = static_cast<std::size_t>(next), from_last = static_cast<std::size_t>(last);
  const sizes there{going[to_next]}, here{coming[from_last]}, at_there{out.displacements[to_next]},
      at_here{in.displacements[from_last]};
  fill(1);
  ring.neighbor_alltoallv(peal::blocks_of(out.memory, there, at_there),
                          peal::into(in.memory, here, at_here));
  apart expected{coming};
  expected.put(from_last, block(last, me, 1, coming[from_last]));
  job::check(in.memory == expected.memory, "neighbor_alltoallv into");
  in.clear();
  const auto gathered = count_of(me, 0, base), theirs = count_of(last, 0, base);
  ints near(theirs, -1);
  ring.neighbor_allgatherv(block(me, 0, 1, gathered), peal::into(near, sizes{theirs}));
  job::check(near == block(last, 0, 1, theirs), "neighbor_allgatherv into");
}

void wrong(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  ints values(ranks * 2), part(2);
  job::throws(peal::errc::invalid_argument,
              [&] { (void)world.reduce_scatter(peal::blocks_of(values, sizes(ranks, 3))); });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)peal::blocks_of(values, sizes(ranks, 2), sizes(ranks + 1, 0)); });
  job::throws(peal::errc::invalid_argument, [&] {
    world.alltoallv(peal::blocks_of(values, sizes(ranks, 2)), peal::into(values, sizes(ranks, 3)));
  });
  world.reduce_scatter(peal::blocks_of(values, sizes(ranks, 2)), peal::into(part));
  job::equal(world.allreduce(1), world.size(), "behind what was refused");
}

void all_lengths(const communicator& world) {
  for (const std::size_t base :
       {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{30'000}}) {
    gathers(world, base);
    scatters(world, base);
    exchanges(world, base);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"all lengths", all_lengths}, job::part{"wrong", wrong}});
}
