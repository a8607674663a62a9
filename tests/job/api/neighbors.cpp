// Ranks with neighbours: grids and graphs, every collective between them in every form, beside what
// a loop over all edges gives.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;

/// Block i of this rank came from entry `as` of `from`; proc_null: from nobody.
struct origin {
  int from;
  std::size_t as;
};

int value_of(int rank, int turn, std::size_t entry, std::size_t i) {
  return rank * 1000 + turn * 100 + static_cast<int>(entry) * 10 + static_cast<int>(i % 10) + 1;
}
std::vector<int> part_of(int rank, int turn, std::size_t entry, std::size_t count) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = value_of(rank, turn, entry, i);
  return made;
}
std::size_t uneven(int rank, std::size_t entry, std::size_t base) {
  return (static_cast<std::size_t>(rank) + entry * 2) % 4 * base;
}

using parts = std::vector<std::vector<int>>;
std::vector<int> together(const parts& some) {
  std::vector<int> all;
  for (const auto& each : some) all.insert(all.end(), each.begin(), each.end());
  return all;
}
template <class Blocks>
bool same_blocks(const Blocks& found, const parts& expected) {
  if (found.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!std::equal(found[i].begin(), found[i].end(), expected[i].begin(), expected[i].end()))
      return false;
  return true;
}
bool same(std::span<const int> found, const std::vector<int>& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
}

// Every collective in every form. `from`: whence the block of each source.
void exchange(const peal::graph& near, const std::vector<origin>& from, std::size_t count) {
  const int me = near.rank();
  const std::size_t out = near.destinations().size(), in = near.sources().size();
  job::equal(in, from.size(), "as many sources");
  for (std::size_t i = 0; i < in; ++i) job::equal(near.sources()[i], from[i].from, "the sources");
  // What comes of `make(rank, entry)` of whoever sent it.
  const auto arriving = [&from](const auto& make, std::size_t missing) {
    parts made;
    for (const origin& each : from)
      made.push_back(each.from == peal::proc_null ? std::vector<int>(missing)
                                                  : make(each.from, each.as));
    return made;
  };
  std::vector<int> mine(count), many(out * count), some(uneven(me, 0, count)), into(in * count),
      exchanged(in * count);
  parts blocks;
  for (std::size_t i = 0; i < out; ++i) blocks.emplace_back(uneven(me, i, count));
  const bool divides = out != 0 || in == 0;
  auto gather = near.neighbor_allgather_plan(mine);
  auto gather_into = near.neighbor_allgather_plan(mine, peal::into(into));
  auto gatherv = near.neighbor_allgatherv_plan(some);
  auto swapped = near.neighbor_alltoall_plan(many, peal::into(exchanged));
  auto swappedv = near.neighbor_alltoallv_plan(blocks);
  for (int turn = 0; turn < 3; ++turn) {
    const auto own = part_of(me, turn, 0, count);
    std::copy(own.begin(), own.end(), mine.begin());
    const auto longer = part_of(me, turn, 0, some.size());
    std::copy(longer.begin(), longer.end(), some.begin());
    for (std::size_t i = 0; i < out; ++i) {
      const auto part = part_of(me, turn, i, count);
      std::copy(part.begin(), part.end(), many.begin() + static_cast<std::ptrdiff_t>(i * count));
      blocks[i] = part_of(me, turn, i, uneven(me, i, count));
    }
    const auto gathered =
        together(arriving([&](int r, std::size_t) { return part_of(r, turn, 0, count); }, count));
    const auto gatheredv =
        arriving([&](int r, std::size_t) { return part_of(r, turn, 0, uneven(r, 0, count)); }, 0);
    const auto got = together(
        arriving([&](int r, std::size_t as) { return part_of(r, turn, as, count); }, count));
    const auto gotv = arriving(
        [&](int r, std::size_t as) { return part_of(r, turn, as, uneven(r, as, count)); }, 0);

    // Nonblocking and planned ones all at once.
    auto r1 = near.ineighbor_allgather(mine);
    auto r2 = near.ineighbor_allgatherv(some);
    auto r3 = near.ineighbor_alltoallv(blocks);
    auto r4 = gather.start();
    auto r5 = gatherv.start();
    auto r6 = swappedv.start();
    std::fill(exchanged.begin(), exchanged.end(), 0);
    auto r7 = swapped.start();
    job::equal(near.allreduce(1), near.size(), "an ordinary collective between");
    r7.wait();
    job::check(exchanged == got, "neighbor_alltoall_plan into");
    job::check(same_blocks(r6.wait(), gotv), "neighbor_alltoallv_plan");
    job::check(same_blocks(r5.wait(), gatheredv), "neighbor_allgatherv_plan");
    job::check(same(r4.wait(), gathered), "neighbor_allgather_plan");
    job::check(same_blocks(r3.wait(), gotv), "ineighbor_alltoallv");
    job::check(same_blocks(r2.wait(), gatheredv), "ineighbor_allgatherv");
    job::check(r1.wait() == gathered, "ineighbor_allgather");

    job::check(near.neighbor_allgather(mine) == gathered, "neighbor_allgather");
    std::fill(into.begin(), into.end(), 0);
    near.neighbor_allgather(mine, peal::into(into));
    job::check(into == gathered, "neighbor_allgather into");
    std::fill(into.begin(), into.end(), 0);
    near.ineighbor_allgather(mine, peal::into(into)).wait();
    job::check(into == gathered, "ineighbor_allgather into");
    std::fill(into.begin(), into.end(), 0);
    gather_into.start().wait();
    job::check(into == gathered, "neighbor_allgather_plan into");
    job::check(same_blocks(near.neighbor_allgatherv(some), gatheredv), "neighbor_allgatherv");
    job::check(same_blocks(near.neighbor_alltoallv(blocks), gotv), "neighbor_alltoallv");
    std::fill(exchanged.begin(), exchanged.end(), 0);
    near.neighbor_alltoall(many, peal::into(exchanged));
    job::check(exchanged == got, "neighbor_alltoall into");
    std::fill(exchanged.begin(), exchanged.end(), 0);
    near.ineighbor_alltoall(many, peal::into(exchanged)).wait();
    job::check(exchanged == got, "ineighbor_alltoall into");
    // Those whose part is not told by what a rank gives: only where every rank can tell it.
    if (near.allreduce(divides, std::logical_and<>{})) {
      job::check(near.neighbor_alltoall(many) == got, "neighbor_alltoall");
      job::check(near.ineighbor_alltoall(many).wait() == got, "ineighbor_alltoall");
      auto plan = near.neighbor_alltoall_plan(many);
      for (int i = 0; i < 2; ++i)
        job::check(same(plan.start().wait(), got), "neighbor_alltoall_plan");
    }
    std::vector<int> ranks;
    for (const origin& each : from)
      ranks.push_back(each.from == peal::proc_null ? 0 : each.from + turn);
    job::check(near.neighbor_allgather(me + turn) == ranks, "neighbor_allgather of a value");
  }
}

void grids(const communicator& world) {
  const int size = world.size();
  std::vector<std::vector<int>> shapes{{size}, {1, size}, {size, 1, 1}};
  for (int rows = 2; rows < size; ++rows)
    if (size % rows == 0) shapes.push_back({rows, size / rows});
  if (size == 8) shapes.push_back({2, 2, 2});
  for (const auto& extents : shapes)
    for (const bool first : {false, true})
      for (const bool others : {false, true}) {
        std::vector<bool> periodic(extents.size(), others);
        periodic[0] = first;
        const peal::grid grid{world, extents, periodic};
        job::equal(grid.size(), size, "the size of a grid");
        job::equal(grid.rank(), world.rank(), "the rank in a grid");
        const auto here = grid.coordinates();
        std::vector<origin> from;
        for (std::size_t d = 0; d < extents.size(); ++d)
          for (const int by : {-1, 1}) {
            auto there = here;
            there[d] += by;
            const int rank = grid.rank_at(there);
            const bool outside = (there[d] < 0 || there[d] >= extents[d]) && !periodic[d];
            job::equal(rank == peal::proc_null, outside, "beyond the end");
            job::equal(grid.shifted(d, by), rank, "shifted");
            if (!outside) {
              there[d] = (there[d] + extents[d]) % extents[d];
              job::check(grid.coordinates(rank) == there, "coordinates");
            }
            // What comes from below was sent by it as to the one above.
            from.push_back({rank, 2 * d + (by < 0 ? 1 : 0)});
          }
        exchange(grid, from, 7);
      }
  const peal::grid ring{world, {size}, {true}};
  job::equal(ring.shifted(0, 5 * size + 1), (world.rank() + 1) % size, "round and round");
  job::equal(ring.shifted(0, -3 * size - 1), (world.rank() + size - 1) % size,
             "round and round the other way");
  exchange(ring, {{ring.shifted(0, -1), 1}, {ring.shifted(0, 1), 0}}, 30'000);
}

// What is left of a grid when dimensions are taken away: all ways to do so.
void sub_grids(const communicator& world) {
  const int size = world.size(), me = world.rank();
  std::vector<std::vector<int>> shapes{{size}, {size, 1}};
  for (int rows = 2; rows < size; ++rows)
    if (size % rows == 0) shapes.push_back({rows, size / rows});
  if (size == 8) shapes.push_back({2, 2, 2});
  for (const auto& extents : shapes) {
    std::vector<bool> periodic(extents.size(), false);
    periodic.back() = true;
    const peal::grid whole{world, extents, periodic};
    for (unsigned ways = 0; ways < 1U << extents.size(); ++ways) {
      std::vector<bool> kept;
      for (std::size_t d = 0; d < extents.size(); ++d) kept.push_back((ways >> d & 1U) != 0);
      const peal::grid part = whole.sub(kept);
      // Who belongs to it, in order of rank: the coordinates that are gone are the same.
      std::vector<int> members;
      for (int rank = 0; rank < size; ++rank) {
        bool same = true;
        for (std::size_t d = 0; d < extents.size(); ++d)
          same = same && (kept[d] || whole.coordinates(rank)[d] == whole.coordinates()[d]);
        if (same) members.push_back(rank);
      }
      job::check(part.allgather(me) == members, "the ranks of a sub-grid");
      std::vector<int> left;
      for (std::size_t d = 0, at = 0; d < extents.size(); ++d)
        if (kept[d]) {
          job::equal(part.extents()[at], extents[d], "an extent of a sub-grid");
          job::equal(part.periodic(at), periodic[d], "whether it is periodic");
          const int beside = part.shifted(at, 1);
          job::equal(beside == peal::proc_null ? beside : members[static_cast<std::size_t>(beside)],
                     whole.shifted(d, 1), "the neighbour in a sub-grid");
          left.push_back(whole.coordinates()[d]);
          ++at;
        }
      job::check(part.coordinates() == left, "coordinates in a sub-grid");
      job::equal(part.dimensions(), left.size(), "dimensions of a sub-grid");
      std::vector<int> near;
      for (const int each : part.sources())
        near.push_back(each == peal::proc_null ? 0 : members[static_cast<std::size_t>(each)]);
      job::check(part.neighbor_allgather(me) == near, "neighbours exchange in a sub-grid");
    }
  }
}

// The same edges on every rank, by their seed; each in the order of the list.
std::vector<peal::edge> random_edges(int size, std::uint64_t seed) {
  job::random r{seed};
  const auto n = static_cast<std::size_t>(size);
  std::vector<peal::edge> made(r.below(4 * n));
  for (auto& each : made) each = {static_cast<int>(r.below(n)), static_cast<int>(r.below(n))};
  return made;
}

struct expected {
  std::vector<int> sources, destinations;
  std::vector<origin> from;
};
expected of_list(const std::vector<peal::edge>& edges, int me) {
  expected made;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].from == me) made.destinations.push_back(edges[k].to);
    if (edges[k].to != me) continue;
    made.sources.push_back(edges[k].from);
    const auto before = std::count_if(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(k),
                                      [&](const peal::edge& e) { return e.from == edges[k].from; });
    made.from.push_back({edges[k].from, static_cast<std::size_t>(before)});
  }
  return made;
}

void graphs(const communicator& world) {
  const int me = world.rank(), size = world.size();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto edges = random_edges(size, seed);
    auto wanted = of_list(edges, me);
    exchange(peal::graph{world, wanted.sources, wanted.destinations}, wanted.from, seed % 3 * 50);
    // Told by other ranks than those at their ends, in pieces.
    std::vector<peal::edge> known;
    const std::size_t piece = edges.size() / static_cast<std::size_t>(size) + 1;
    for (std::size_t k = 0; k < edges.size(); ++k)
      if (k / piece == static_cast<std::size_t>(me)) known.push_back(edges[k]);
    exchange(peal::graph::of_edges(world, known), wanted.from, 3);
    // With nobody between the others.
    wanted.sources.insert(wanted.sources.begin(), peal::proc_null);
    wanted.from.insert(wanted.from.begin(), origin{peal::proc_null, 0});
    wanted.destinations.push_back(peal::proc_null);
    exchange(peal::graph{world, wanted.sources, wanted.destinations}, wanted.from, 4);
  }
  // Both ways with everybody, oneself too.
  std::vector<int> everybody(static_cast<std::size_t>(size));
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<origin> from;
  for (const int each : everybody) from.push_back({each, static_cast<std::size_t>(me)});
  const peal::graph complete{world, everybody};
  exchange(complete, from, 1000);
  std::vector<int> parts(everybody.size() * 10);
  std::iota(parts.begin(), parts.end(), me * 1000);
  job::check(complete.neighbor_alltoall(parts) == world.alltoall(parts),
             "of a complete graph it is alltoall");
  // Several at once, and beside their origin.
  const peal::graph other{world, {(me + 1) % size}, {(me + size - 1) % size}};
  auto one = complete.ineighbor_allgather(me), two = other.ineighbor_allgather(me + 100),
       three = world.iallgather(me);
  job::check(three.wait() == everybody, "beside the communicator it was made of");
  job::equal(two.wait().front(), (me + 1) % size + 100, "of one graph");
  job::check(one.wait() == everybody, "of another");
}

void misuse(const communicator& world) {
  const int me = world.rank(), size = world.size();
  // Wrong on one rank: all are told, nobody waits.
  for (int odd = 0; odd < size; ++odd) {
    const std::vector<int> usual{(me + 1) % size}, back{(me + size - 1) % size};
    job::throws(me == odd ? peal::errc::invalid_rank : peal::errc::invalid_argument, [&] {
      (void)peal::graph{world, me == odd ? std::vector<int>{size} : usual, back};
    });
    const auto e = job::throws(peal::errc::invalid_argument, [&] {
      (void)peal::graph{world, me == odd ? std::vector<int>{} : usual, back};
    });
    if (me == odd)
      job::check(std::string{e.what()}.find("as a destination 1 times") != std::string::npos,
                 e.what());
  }
  job::throws(peal::errc::invalid_rank,
              [&] { (void)peal::graph::of_edges(world, {{0, me == 0 ? size : 0}}); });
  job::throws(peal::errc::invalid_argument, [&] { (void)peal::grid{world, {size + 1}, {false}}; });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)peal::grid{world, {size, 2}, {false, true}}; });
  job::throws(peal::errc::invalid_argument, [&] { (void)peal::grid{world, {0}, {false}}; });
  job::throws(peal::errc::invalid_argument, [&] { (void)peal::grid{world, {size}, {}}; });
  const peal::grid line{world, {size}, {false}};
  job::throws(peal::errc::invalid_rank, [&] { (void)line.coordinates(size); });
  job::throws(peal::errc::invalid_argument, [&] { (void)line.rank_at({0, 0}); });
  job::throws(peal::errc::invalid_argument, [&] { (void)line.sub({true, false}); });
  std::vector<int> odd(3), small(1);
  job::throws(peal::errc::invalid_argument, [&] { (void)line.neighbor_alltoall(odd); });
  job::throws(peal::errc::invalid_argument,
              [&] { line.neighbor_allgather(odd, peal::into(small)); });
  job::throws(peal::errc::invalid_argument, [&] { (void)line.neighbor_alltoallv(parts(3)); });
  // A rank with sources alone cannot say how long a part is.
  if (size > 1) {
    const peal::graph up{world, me == 0 ? std::vector<int>{} : std::vector<int>{0},
                         me == 0 ? [&] {
                           std::vector<int> others(static_cast<std::size_t>(size - 1));
                           std::iota(others.begin(), others.end(), 1);
                           return others;
                         }()
                                 : std::vector<int>{}};
    const auto parts_for_all = [&] {
      (void)up.neighbor_alltoall(std::vector<int>(static_cast<std::size_t>(size - 1)));
    };
    // nothing to compare with
    if (me == 0 && std::getenv("PEAL_CHECK"))
      job::throws(peal::errc::operation_failed, parts_for_all);
    else if (me == 0) parts_for_all();
    else
      job::throws(peal::errc::invalid_argument,
                  [&] { (void)up.neighbor_alltoall(std::vector<int>{}); });
    std::vector<int> values(me == 0 ? static_cast<std::size_t>(size - 1) * 5 : 0),
        into(me == 0 ? 0 : 5);
    std::iota(values.begin(), values.end(), 0);
    up.neighbor_alltoall(values, peal::into(into));
    for (std::size_t i = 0; i < into.size(); ++i)
      job::equal(into[i], (me - 1) * 5 + static_cast<int>(i), "a part by its room");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"grids", grids}, job::part{"sub-grids", sub_grids},
                         job::part{"graphs", graphs}, job::part{"misuse", misuse}});
}
