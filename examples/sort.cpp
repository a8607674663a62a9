// sort: sorts numbers that are spread over all ranks, by regular sampling. Every rank sorts its
// own, a sample of all tells where to cut, one exchange brings each number to the rank that it
// belongs to, and there the sorted pieces are merged.
//
//     pealrun -n 4 ./sort [numbers a rank]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <peal/peal.hpp>
#include <random>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;

numbers random_numbers(std::size_t count, int rank) {
  std::mt19937_64 random{static_cast<std::uint64_t>(rank) + 1};
  numbers mine(count);
  std::generate(mine.begin(), mine.end(), random);
  return mine;
}

// The size() - 1 numbers that cut all numbers into parts of about the same size. Requires: `mine`
// is sorted.
numbers cuts(const peal::communicator& world, const numbers& mine) {
  const auto ranks = static_cast<std::size_t>(world.size());
  numbers sample(ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    sample[i] = mine.empty() ? 0 : mine[i * mine.size() / ranks];
  numbers all = world.allgather(sample);
  std::sort(all.begin(), all.end());
  numbers result;
  for (std::size_t i = 1; i < ranks; ++i) result.push_back(all[i * ranks]);
  return result;
}

// What goes to which rank. Requires: `mine` is sorted.
std::vector<numbers> cut(const numbers& mine, const numbers& at) {
  std::vector<numbers> parts;
  auto begin = mine.begin();
  for (const std::uint64_t value : at) {
    const auto end = std::lower_bound(begin, mine.end(), value);
    parts.emplace_back(begin, end);
    begin = end;
  }
  parts.emplace_back(begin, mine.end());
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 200'000);

  numbers mine = random_numbers(count, world.rank());
  const std::uint64_t sum_before =
      world.allreduce(std::accumulate(mine.begin(), mine.end(), std::uint64_t{0}));
  std::sort(mine.begin(), mine.end());

  // a part a rank, of any length
  const auto received = world.alltoallv(cut(mine, cuts(world, mine)));

  numbers sorted;
  for (const auto part : received) {
    const auto middle = static_cast<std::ptrdiff_t>(sorted.size());
    sorted.insert(sorted.end(), part.begin(), part.end());
    std::inplace_merge(sorted.begin(), sorted.begin() + middle, sorted.end());
  }

  // Is it sorted, across the ranks too, and is nothing lost? Rank r's largest must not exceed rank
  // r + 1's smallest.
  bool good = std::is_sorted(sorted.begin(), sorted.end());
  const bool first = world.rank() == 0, last = world.rank() == world.size() - 1;
  std::uint64_t largest = sorted.empty() ? 0 : sorted.back();
  if (!first) {
    const auto before = world.recv<std::uint64_t>(world.rank() - 1);
    good = good && (sorted.empty() || before <= sorted.front());
    largest = std::max(largest, before);
  }
  if (!last) world.send(largest, world.rank() + 1);
  const std::uint64_t sum_after =
      world.allreduce(std::accumulate(sorted.begin(), sorted.end(), std::uint64_t{0}));
  const auto total = world.allreduce(sorted.size());
  const auto most = world.allreduce(sorted.size(), peal::max);
  good = world.allreduce(good ? 1 : 0, peal::min) == 1 && sum_before == sum_after &&
         total == count * static_cast<std::size_t>(world.size());
  if (first)
    std::cout << (good ? "sorted " : "NOT sorted: ") << total << " numbers on " << world.size()
              << " ranks, at most " << most << " on one\n";
  return good ? 0 : 1;
}
