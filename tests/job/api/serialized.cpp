// Collectives of values that are no plain bytes: strings, containers, optionals; moved and
// combined, blocking, nonblocking and between neighbours.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <peal/topology.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;
using texts = std::vector<std::string>;

/// Every rank's differs in length; some are empty.
std::string text_of(int rank, std::size_t number = 0) {
  return std::string((static_cast<std::size_t>(rank) * 37 + number * 11) % 90,
                     static_cast<char>('a' + rank % 26));
}
texts texts_of(int rank, std::size_t count) {
  texts made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(text_of(rank, i));
  return made;
}

template <class T, class Op>
T joined(int ranks, Op op, T (*of)(int)) {
  T all = of(0);
  for (int rank = 1; rank < ranks; ++rank) all = op(all, of(rank));
  return all;
}

void combined(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const auto mine = text_of(me);
  const auto upto = [](int ranks) {
    return joined<std::string>(ranks, std::plus<>{}, [](int rank) { return text_of(rank); });
  };
  job::check(world.allreduce(mine) == upto(size), "strings are put together in rank order");
  job::check(world.iallreduce(std::string{mine}).wait() == upto(size), "nonblocking");
  job::check(world.scan(mine) == upto(me + 1), "scan");
  job::check(world.exscan(mine) == (me == 0 ? std::nullopt : std::optional{upto(me)}), "exscan");
  job::check(world.iexscan(mine).wait() == (me == 0 ? std::nullopt : std::optional{upto(me)}),
             "iexscan");
  for (int root = 0; root < size; ++root) {
    job::check(world.reduce(mine, root) == (me == root ? std::optional{upto(size)} : std::nullopt),
               "reduce");
    job::check(
        world.ireduce(mine, root).wait() == (me == root ? std::optional{upto(size)} : std::nullopt),
        "ireduce");
  }

  using counts = std::map<std::string, int>;
  const auto add = [](counts a, const counts& b) {
    for (const auto& [key, count] : b) a[key] += count;
    return a;
  };
  const auto all = world.allreduce(counts{{"everyone", 1}, {std::to_string(me), me}}, add);
  job::check(all.size() == static_cast<std::size_t>(size) + 1 && all.at("everyone") == size &&
                 all.at(std::to_string(size - 1)) == size - 1,
             "maps");
  const auto first = [](std::optional<int> a, std::optional<int> b) { return a ? a : b; };
  job::check(
      world.allreduce(me == size - 1 ? std::optional{7} : std::nullopt, first) == std::optional{7},
      "optionals");
  const std::vector<texts> nested{texts_of(me, 2)};
  const auto append = [](std::vector<texts> a, const std::vector<texts>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  job::check(world.allreduce(nested, append).back() == texts_of(size - 1, 2), "nested vectors");
  job::check(world.allreduce(std::array{me, -me, 1}) ==
                 std::array{size * (size - 1) / 2, -size * (size - 1) / 2, size},
             "a std::array is its elements, and gives one");

  if (size > 1) {
    try {
      (void)world.allreduce(mine, [](const std::string&, const std::string&) -> std::string {
        throw std::runtime_error{"from an operation"};
      });
      job::fail("the operation's exception is lost");
    } catch (const std::runtime_error& e) {
      job::check(e.what() == std::string{"from an operation"}, e.what());
    }
    job::equal(world.allreduce(1), size, "behind an operation that throws");
  }
}

void moved(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(me);
  std::vector<texts> everyones;
  for (int rank = 0; rank < size; ++rank)
    everyones.push_back(texts_of(rank, static_cast<std::size_t>(rank % 4)));
  job::check(world.allgatherv(everyones[mine]) == everyones, "allgatherv");
  job::check(world.iallgatherv(texts{everyones[mine]}).wait() == everyones, "iallgatherv");
  job::check(world.allgather(everyones[mine]) == everyones,
             "a vector of strings is one value to allgather");
  const int root = size - 1;
  job::check(world.gatherv(everyones[mine], root) ==
                 (me == root ? std::optional{everyones} : std::nullopt),
             "gatherv");
  job::check(world.scatterv(me == root ? everyones : std::vector<texts>{}, root) == everyones[mine],
             "scatterv");
  job::check(world.iscatterv(me == root ? everyones : std::vector<texts>{}, root).wait() ==
                 everyones[mine],
             "iscatterv");

  // From a to b go texts of a, from b on.
  texts given, expected;
  std::vector<texts> parts, arriving;
  for (std::size_t other = 0; other < ranks; ++other) {
    for (std::size_t i = 0; i < 2; ++i) {
      given.push_back(text_of(me, other * 2 + i));
      expected.push_back(text_of(static_cast<int>(other), mine * 2 + i));
    }
    parts.push_back(texts_of(me, (mine + other) % 3));
    arriving.push_back(texts_of(static_cast<int>(other), (mine + other) % 3));
  }
  job::check(world.alltoall(given) == expected, "alltoall");
  job::check(world.ialltoall(texts{given}).wait() == expected, "ialltoall");
  job::check(world.alltoallv(parts) == arriving, "alltoallv");
  job::check(world.ialltoallv(parts).wait() == arriving, "ialltoallv");
  if (size > 1) {
    job::throws(peal::errc::invalid_argument, [&] { (void)world.alltoall(texts(ranks + 1)); });
    job::throws(peal::errc::invalid_argument,
                [&] { (void)world.alltoallv(std::vector<texts>(ranks + 1)); });
  }
  job::equal(world.allreduce(1), size, "behind calls that were refused");
}

void between_neighbors(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const int below = me == 0 ? peal::proc_null : me - 1,
            above = me == size - 1 ? peal::proc_null : me + 1;
  const peal::graph line{world, {below, above}};
  const auto of = [](int rank) { return rank == peal::proc_null ? std::string{} : text_of(rank); };
  job::check(line.neighbor_allgather(text_of(me)) == texts{of(below), of(above)},
             "neighbor_allgather");
  const auto several = [](int rank) {
    return rank == peal::proc_null ? texts{} : texts_of(rank, static_cast<std::size_t>(rank % 3));
  };
  job::check(
      line.neighbor_allgatherv(several(me)) == std::vector<texts>{several(below), several(above)},
      "neighbor_allgatherv");
  const texts to{std::to_string(me) + " down", std::to_string(me) + " up"};
  texts expected;
  if (below != peal::proc_null) expected.push_back(std::to_string(below) + " up");
  if (above != peal::proc_null) expected.push_back(std::to_string(above) + " down");
  job::check(line.neighbor_alltoall(to) == expected, "neighbor_alltoall");
  const auto blocks = line.neighbor_alltoallv(std::vector<texts>{{to[0]}, {to[1], to[1]}});
  job::check(blocks.size() == 2 && blocks[0].size() == (below == peal::proc_null ? 0 : 2) &&
                 blocks[1].size() == (above == peal::proc_null ? 0 : 1),
             "neighbor_alltoallv");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"combined", combined}, job::part{"moved", moved},
                         job::part{"between neighbors", between_neighbors}});
}
