// Every collective in every form: values, ranges, blocks of different lengths; blocking,
// nonblocking, into memory of the caller's.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

using namespace std::literals;

namespace {

struct point {
  int index;
  double x;
  bool operator==(const point&) const = default;
};

const std::vector<std::size_t> lengths{0, 1, 3, 1000, 70'001};

template <class T>
std::vector<T> numbers(std::size_t count, int rank) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<T>(i % 7 + static_cast<std::size_t>(rank) + 1);
  return made;
}

void barriers(const peal::communicator& world) {
  for (int i = 0; i < 100; ++i) world.barrier();
  std::vector<peal::request<>> several;
  for (int i = 0; i < 20; ++i) several.push_back(world.ibarrier());
  peal::wait_all(several);
  // Nobody leaves before the last has come.
  if (world.rank() == 0) {
    for (int other = 1; other < world.size(); ++other) (void)world.recv<int>(other);
    world.ibarrier().wait();
  } else {
    auto barrier = world.ibarrier();
    job::check(!barrier.ready() || world.size() == 1, "a barrier ended before its last rank came");
    world.send(1, 0);
    barrier.wait();
  }
}

void bcasts(const peal::communicator& world) {
  for (int root = 0; root < world.size(); ++root) {
    const bool gives = world.rank() == root;
    job::equal(world.bcast(gives ? 42 : -1, root), 42, "int");
    job::check(world.bcast(point{gives ? root : -1, 1.5}, root) == point{root, 1.5}, "aggregate");
    job::equal(world.ibcast(gives ? 4.5 : 0, root).wait(), 4.5, "ibcast");
    for (const std::size_t length : {0U, 5U, 56U, 57U, 100'000U}) {
      const std::string text(length, 'x');
      job::check(world.bcast(gives ? text : "something else"s, root) == text,
                 "string of " + std::to_string(length));
      job::check(world.ibcast(gives ? text : ""s, root).wait() == text,
                 "ibcast of a string of " + std::to_string(length));
      std::vector<int> filled(length, gives ? root : -1);
      world.bcast(peal::in_place(filled), root);
      job::check(filled == std::vector<int>(length, root), "bcast in place");
      std::fill(filled.begin(), filled.end(), gives ? 9 : -1);
      world.ibcast(peal::in_place(filled), root).wait();
      job::check(filled == std::vector<int>(length, 9), "ibcast in place");
    }
    const std::map<std::string, std::vector<int>> table{{"one", {1}},
                                                        {"many", std::vector<int>(1000, 3)}};
    job::check(world.bcast(gives ? table : decltype(table){}, root) == table, "map");
  }
}

template <class T, class Op>
void reduces(const peal::communicator& world, Op op, const std::string& what) {
  const int size = world.size();
  for (const std::size_t length : lengths) {
    const auto mine = numbers<T>(length, world.rank());
    auto expected = numbers<T>(length, 0);
    for (int rank = 1; rank < size; ++rank) {
      const auto theirs = numbers<T>(length, rank);
      for (std::size_t i = 0; i < length; ++i)
        expected[i] = static_cast<T>(op(expected[i], theirs[i]));
    }
    job::check(world.allreduce(mine, op) == expected,
               what + ": allreduce of " + std::to_string(length));
    job::check(world.iallreduce(mine, op).wait() == expected, what + ": iallreduce");
    job::check(world.iallreduce(std::vector<T>{mine}, op).wait() == expected,
               what + ": iallreduce, owned");
    auto changed = mine;
    world.allreduce(peal::in_place(changed), op);
    job::check(changed == expected, what + ": allreduce in place");
    changed = mine;
    world.iallreduce(peal::in_place(changed), op).wait();
    job::check(changed == expected, what + ": iallreduce in place");
    std::vector<T> into(length);
    world.allreduce(mine, peal::into(into), op);
    job::check(into == expected, what + ": allreduce into");
    for (int root = 0; root < size; ++root) {
      const bool receives = world.rank() == root;
      const auto at_root = receives ? std::optional{expected} : std::nullopt;
      job::check(world.reduce(mine, root, op) == at_root, what + ": reduce");
      job::check(world.ireduce(mine, root, op).wait() == at_root, what + ": ireduce");
      std::vector<T> here(receives ? length : 0);
      world.reduce(mine, peal::into(here), root, op);
      job::check(!receives || here == expected, what + ": reduce into");
    }
  }
}

void reductions(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  reduces<int>(world, std::plus<>{}, "plus of int");
  reduces<double>(world, std::multiplies<>{}, "multiplies of double");
  reduces<unsigned char>(world, peal::max, "max of unsigned char");
  reduces<long>(world, peal::min, "min of long");
  reduces<unsigned>(world, std::bit_xor<>{}, "bit_xor of unsigned");
  reduces<int>(world, [](int a, int b) { return std::max(a, b); }, "a lambda");
  reduces<float>(world, std::plus<double>{}, "plus of double on floats");

  job::equal(world.allreduce(rank + 1), size * (size + 1) / 2, "a value");
  job::equal(world.allreduce(rank == 0, std::logical_or<>{}), true, "bool");
  job::equal(world.allreduce(rank == 0, std::logical_and<>{}), size == 1, "bool");
  job::check(world.allreduce(std::complex<double>{1.0, rank * 1.0}) ==
                 std::complex<double>{size * 1.0, size * (size - 1) / 2.0},
             "complex");
  const std::optional<int> top = world.reduce(rank, size - 1, peal::max);
  job::check(top == (rank == size - 1 ? std::optional{size - 1} : std::nullopt),
             "reduce gives the others nothing");

  // Captures, a type of one's own, and the order of ranks for what does not commute.
  const int offset = size;
  const auto sum = peal::op<peal::commute::yes>(
      [offset](point a, point b) { return point{a.index + b.index + offset, a.x * b.x}; });
  job::check(world.allreduce(point{rank, 2}, sum) ==
                 point{size * (size - 1) / 2 + offset * (size - 1), std::pow(2.0, size)},
             "an aggregate");
  // Composition of x -> a x + b: associative, not commutative.
  struct affine {
    long a, b;
    bool operator==(const affine&) const = default;
  };
  const auto compose = [](const affine& f, const affine& g) {
    return affine{f.a * g.a % 1009, (f.a * g.b + f.b) % 1009};
  };
  affine expected{2, 1};
  for (int r = 1; r < size; ++r) expected = compose(expected, affine{r + 2, r + 1});
  job::check(world.allreduce(affine{rank + 2, rank + 1}, compose) == expected, "rank order");
  job::check(world.iallreduce(affine{rank + 2, rank + 1}, compose).wait() == expected,
             "rank order, nonblocking");

  // An operation that throws: its rank gets the exception, the others an error or a result.
  if (size > 1) {
    const auto throws_somewhere = [&](int a, int b) -> int {
      if (a + b >= 0) throw std::runtime_error{"from an operation"};
      return a + b;
    };
    try {
      (void)world.allreduce(1, throws_somewhere);
      job::fail("the operation's exception is lost");
    } catch (const std::runtime_error& e) {
      job::check(
          e.what() == "from an operation"s || dynamic_cast<const peal::error*>(&e) != nullptr,
          e.what());
    }
    job::equal(world.allreduce(1), size, "the next collective is sound");
  }
}

void gathers(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::string> texts;
  for (int r = 0; r < size; ++r)
    texts.push_back(std::string(static_cast<std::size_t>(r * 40), 'a') + std::to_string(r));
  const std::string& mine = texts[static_cast<std::size_t>(rank)];

  job::check(world.allgather(rank) == ranks, "allgather of a value");
  job::check(world.iallgather(rank).wait() == ranks, "iallgather of a value");
  job::check(world.allgather(mine) == texts, "allgather of strings");
  job::check(world.iallgather(std::string{mine}).wait() == texts, "iallgather of strings");
  const auto flags = world.allgather(rank % 2 == 0);
  for (int r = 0; r < size; ++r)
    job::check(flags[static_cast<std::size_t>(r)] == (r % 2 == 0), "allgather of bool");
  for (const std::size_t length : lengths) {
    const auto block = numbers<int>(length, rank);
    std::vector<int> all;
    for (int r = 0; r < size; ++r) {
      const auto theirs = numbers<int>(length, r);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    job::check(world.allgather(block) == all, "allgather of ranges");
    std::vector<int> into(all.size());
    world.allgather(block, peal::into(into));
    job::check(into == all, "allgather into");
    std::fill(into.begin(), into.end(), 0);
    world.iallgather(block, peal::into(into)).wait();
    job::check(into == all, "iallgather into");
    const int root = size - 1;
    job::check(world.gather(block, root) == (rank == root ? std::optional{all} : std::nullopt),
               "gather of ranges");
    world.gather(block, peal::into(into), root);
    job::check(rank != root || into == all, "gather into");
  }
  for (int root = 0; root < size; ++root) {
    const bool receives = rank == root;
    const auto all = receives ? std::optional{ranks} : std::nullopt;
    job::check(world.gather(rank, root) == all, "gather of a value");
    job::check(world.igather(rank, root).wait() == all, "igather of a value");
    job::check(world.gather(mine, root) == (receives ? std::optional{texts} : std::nullopt),
               "gather of strings");
    // Of different lengths, some empty.
    const std::vector<long> block(static_cast<std::size_t>(rank % 3 * 100), rank);
    for (const auto& got : {world.gatherv(block, root), world.igatherv(block, root).wait()}) {
      job::equal(got.has_value(), receives, "gatherv gives only the root anything");
      if (!got) continue;
      job::equal(got->size(), static_cast<std::size_t>(size), "gatherv: blocks");
      for (std::size_t r = 0; r < got->size(); ++r)
        job::check(
            std::ranges::equal((*got)[r], std::vector<long>(r % 3 * 100, static_cast<long>(r))),
            "gatherv: a block");
    }
  }
  const std::vector<int> block(static_cast<std::size_t>(size - rank), rank);
  const auto got = world.allgatherv(block);
  job::equal(got.values().size(), static_cast<std::size_t>(size * (size + 1) / 2),
             "allgatherv: all values");
  int r = 0;
  for (const auto& each : got) {
    job::check(each.size() == static_cast<std::size_t>(size - r) &&
                   std::ranges::all_of(each, [&](int value) { return value == r; }),
               "allgatherv");
    ++r;
  }
  job::check(world.iallgatherv(std::vector<int>{block}).wait().values() == got.values(),
             "iallgatherv");
  job::check(world.allgatherv(std::vector<int>{}).values().empty(), "allgatherv of nothing");
}

void scatters(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int root = 0; root < size; ++root) {
    const bool gives = rank == root;
    for (const std::size_t length : lengths) {
      std::vector<int> all;
      for (int r = 0; gives && r < size; ++r) {
        const auto theirs = numbers<int>(length, r);
        all.insert(all.end(), theirs.begin(), theirs.end());
      }
      const auto expected = numbers<int>(length, rank);
      job::check(world.scatter(all, root) == expected, "scatter");
      job::check(world.iscatter(all, root).wait() == expected, "iscatter");
      std::vector<int> into(length);
      world.scatter(all, peal::into(into), root);
      job::check(into == expected, "scatter into");
    }
    std::vector<std::string> texts;
    for (int i = 0; gives && i < 2 * size; ++i) texts.push_back("text " + std::to_string(i));
    job::check(world.scatter(texts, root) == std::vector{"text " + std::to_string(2 * rank),
                                                         "text " + std::to_string(2 * rank + 1)},
               "scatter of strings");
    std::vector<std::vector<double>> parts;
    for (int r = 0; gives && r < size; ++r)
      parts.emplace_back(static_cast<std::size_t>(r * 10), r * 0.5);
    const std::vector<double> expected(static_cast<std::size_t>(rank * 10), rank * 0.5);
    job::check(world.scatterv(parts, root) == expected, "scatterv");
    job::check(world.iscatterv(parts, root).wait() == expected, "iscatterv");
    job::check(world.scatterv(world.gatherv(expected, root).value_or(peal::blocks<double>{}),
                              root) == expected,
               "scatterv of what gatherv gave");
  }
}

void alltoalls(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (const std::size_t length : lengths) {
    std::vector<int> given, expected;
    for (int r = 0; r < size; ++r) {
      given.insert(given.end(), length, rank * 100 + r);
      expected.insert(expected.end(), length, r * 100 + rank);
    }
    job::check(world.alltoall(given) == expected, "alltoall");
    job::check(world.ialltoall(given).wait() == expected, "ialltoall");
    std::vector<int> into(given.size());
    world.alltoall(given, peal::into(into));
    job::check(into == expected, "alltoall into");
  }
  std::vector<std::vector<int>> parts;
  for (int r = 0; r < size; ++r)
    parts.emplace_back(static_cast<std::size_t>((rank + r) % 3 * 500), rank * 100 + r);
  for (const auto& got : {world.alltoallv(parts), world.ialltoallv(parts).wait()}) {
    job::equal(got.size(), static_cast<std::size_t>(size), "alltoallv: blocks");
    for (int r = 0; r < size; ++r)
      job::check(std::ranges::equal(got[static_cast<std::size_t>(r)],
                                    std::vector<int>(static_cast<std::size_t>((rank + r) % 3 * 500),
                                                     r * 100 + rank)),
                 "alltoallv: a block");
  }
}

// Of each rank's numbers<T>(length, rank).
template <class T, class Op>
std::vector<T> joined(std::size_t length, int ranks, Op op) {
  auto made = numbers<T>(length, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    const auto theirs = numbers<T>(length, rank);
    for (std::size_t i = 0; i < length; ++i) made[i] = static_cast<T>(op(made[i], theirs[i]));
  }
  return made;
}

template <class T, class Op>
void scans_with(const peal::communicator& world, Op op, const std::string& what) {
  const int rank = world.rank();
  for (const std::size_t length : lengths) {
    const auto mine = numbers<T>(length, rank);
    const auto upto = joined<T>(length, rank + 1, op);
    const auto below = rank == 0 ? std::nullopt : std::optional{joined<T>(length, rank, op)};
    const std::string with = what + " of " + std::to_string(length);
    job::check(world.scan(mine, op) == upto, "scan, " + with);
    job::check(world.iscan(mine, op).wait() == upto, "iscan, " + with);
    job::check(world.iscan(std::vector<T>{mine}, op).wait() == upto, "iscan, owned, " + with);
    job::check(world.exscan(mine, op) == below, "exscan, " + with);
    job::check(world.iexscan(mine, op).wait() == below, "iexscan, " + with);
    job::check(world.iexscan(std::vector<T>{mine}, op).wait() == below, "iexscan, owned, " + with);
    auto changed = mine;
    world.scan(peal::in_place(changed), op);
    job::check(changed == upto, "scan in place, " + with);
    changed = mine;
    world.iscan(peal::in_place(changed), op).wait();
    job::check(changed == upto, "iscan in place, " + with);
    changed = mine;
    world.exscan(peal::in_place(changed), op);
    job::check(changed == below.value_or(mine), "exscan in place, " + with);
    changed = mine;
    world.iexscan(peal::in_place(changed), op).wait();
    job::check(changed == below.value_or(mine), "iexscan in place, " + with);
  }
}

void scans(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  scans_with<int>(world, std::plus<>{}, "plus of int");
  scans_with<float>(world, peal::max, "max of float");
  scans_with<long>(world, [](long a, long) { return a; }, "a lambda that keeps the lowest rank's");
  scans_with<float>(world, std::plus<double>{}, "plus of double on floats");

  job::equal(world.scan(rank + 1), (rank + 1) * (rank + 2) / 2, "scan of a value");
  job::equal(world.iscan(rank + 1).wait(), (rank + 1) * (rank + 2) / 2, "iscan of a value");
  job::equal(world.exscan(rank + 1).value_or(0), rank * (rank + 1) / 2, "exscan of a value");
  job::check(world.exscan(1).has_value() == (rank > 0), "rank 0 gets nothing from exscan");
  job::check(world.iexscan(1).wait().has_value() == (rank > 0), "rank 0 gets nothing from iexscan");
  job::equal(world.scan(rank == 1, std::logical_or<>{}), rank >= 1, "bool");
  int value = rank + 1;
  world.exscan(peal::in_place(value));
  job::equal(value, rank == 0 ? 1 : rank * (rank + 1) / 2,
             "exscan in place leaves rank 0 its value");

  // An operation that throws where it is first called, on rank 1; what depends on it fails, the
  // ranks below do not.
  const auto throws = [](int, int) -> int { throw std::runtime_error{"from an operation"}; };
  try {
    job::equal(world.scan(rank, throws), 0, "scan of rank 0");
    job::equal(rank, 0, "only rank 0 joins nothing");
  } catch (const std::runtime_error& e) {
    job::check(rank > 0, "rank 0 calls no operation");
    job::check(e.what() == "from an operation"s || dynamic_cast<const peal::error*>(&e) != nullptr,
               e.what());
  }
  job::equal(world.scan(1), rank + 1, "the next scan is sound");
  job::equal(world.allreduce(1), size, "the next collective is sound");
}

template <class T, class Op>
void reduce_scatters_with(const peal::communicator& world, Op op, const std::string& what) {
  const auto size = static_cast<std::size_t>(world.size()),
             rank = static_cast<std::size_t>(world.rank());
  for (const std::size_t length : lengths) {
    const std::string with = what + " of " + std::to_string(length);
    const auto cut = [](const std::vector<T>& from, std::size_t first, std::size_t count) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    const auto mine = numbers<T>(length * size, world.rank());
    const auto expected = cut(joined<T>(length * size, world.size(), op), length * rank, length);
    job::check(world.reduce_scatter_block(mine, op) == expected, "reduce_scatter_block, " + with);
    job::check(world.ireduce_scatter_block(mine, op).wait() == expected,
               "ireduce_scatter_block, " + with);
    job::check(world.ireduce_scatter_block(std::vector<T>{mine}, op).wait() == expected,
               "ireduce_scatter_block, owned, " + with);
    std::vector<T> into(length);
    world.reduce_scatter_block(mine, peal::into(into), op);
    job::check(into == expected, "reduce_scatter_block into, " + with);

    // Blocks of differing lengths, each third one empty.
    std::vector<std::size_t> counts;
    std::size_t total = 0, before = 0;
    for (std::size_t r = 0; r < size; ++r) {
      if (r == rank) before = total;
      counts.push_back(r % 3 == 1 ? 0 : length * (r % 3 + 1) / 2 + r);
      total += counts.back();
    }
    const auto all = numbers<T>(total, world.rank());
    std::vector<std::vector<T>> parts;
    for (std::size_t r = 0, at = 0; r < size; at += counts[r++])
      parts.push_back(cut(all, at, counts[r]));
    const auto block = cut(joined<T>(total, world.size(), op), before, counts[rank]);
    job::check(world.reduce_scatter(parts, op) == block, "reduce_scatter, " + with);
    job::check(world.ireduce_scatter(parts, op).wait() == block, "ireduce_scatter, " + with);
  }
}

void reduce_scatters(const peal::communicator& world) {
  reduce_scatters_with<int>(world, std::plus<>{}, "plus of int");
  reduce_scatters_with<double>(world, peal::min, "min of double");
  reduce_scatters_with<unsigned char>(world, std::bit_xor<>{}, "bit_xor of unsigned char");
  reduce_scatters_with<int>(world, [](int a, int b) { return std::max(a, b); }, "a lambda");
  reduce_scatters_with<long>(
      world, [](long a, long) { return a; }, "a lambda that keeps the lowest rank's");
}

// Nonblocking collectives of unknown lengths, many at a time, ended in another order than they were
// started, with others between.
void overlapping(const peal::communicator& world) {
  const int size = world.size(), rank = world.rank();
  std::vector<peal::request<peal::blocks<int>>> gathered;
  std::vector<peal::request<std::string>> told;
  std::vector<peal::request<int>> summed;
  for (int i = 0; i < 20; ++i) {
    gathered.push_back(
        world.iallgatherv(std::vector<int>(static_cast<std::size_t>((rank + i) % 4), i)));
    told.push_back(world.ibcast(
        rank == i % size ? std::string(static_cast<std::size_t>(i * 20), 't') : ""s, i % size));
    summed.push_back(world.iallreduce(i + 0));
    if (i % 5 == 0) world.barrier();
  }
  for (int i = 19; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    job::equal(summed[at].wait(), i * size, "a sum between others");
    job::equal(told[at].wait().size(), at * 20, "a text between others");
    const auto blocks = gathered[at].wait();
    for (int r = 0; r < size; ++r)
      job::equal(blocks.count(static_cast<std::size_t>(r)), static_cast<std::size_t>((r + i) % 4),
                 "a block between others");
  }
}

void wrong_arguments(const peal::communicator& world) {
  const int size = world.size();
  const auto e = job::throws(peal::errc::invalid_root, [&] { (void)world.bcast(1, size); });
  job::check(std::string{e.what()}.find(std::to_string(size)) != std::string::npos, e.what());
  job::throws(peal::errc::invalid_root, [&] { (void)world.reduce(1, -1); });
  job::throws(peal::errc::invalid_root, [&] { (void)world.gather("x"s, size); });
  job::throws(peal::errc::invalid_root,
              [&] { (void)world.iscatterv(std::vector<std::vector<int>>{}, size); });
  std::vector<int> small(static_cast<std::size_t>(size) - 1);
  job::throws(peal::errc::invalid_argument, [&] { world.allgather(1, peal::into(small)); });
  if (size > 1) job::throws(peal::errc::invalid_argument, [&] { (void)world.alltoall(small); });
  if (size > 1)
    job::throws(peal::errc::invalid_argument, [&] { (void)world.reduce_scatter_block(small); });
  if (size > 1)
    job::throws(peal::errc::invalid_argument, [&] { (void)world.ireduce_scatter_block(small); });
  const std::vector<int> parts(static_cast<std::size_t>(2 * size), 1);
  int one_part = 0;
  job::throws(peal::errc::invalid_argument,
              [&] { world.reduce_scatter_block(parts, peal::into(one_part)); });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)world.reduce_scatter(std::vector(small.size(), std::vector{1})); });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)world.ireduce_scatter(std::vector<std::vector<int>>{}); });
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"barriers", barriers},
                         {"bcasts", bcasts},
                         {"reductions", reductions},
                         {"gathers", gathers},
                         {"scatters", scatters},
                         {"alltoalls", alltoalls},
                         {"scans", scans},
                         {"reduce_scatters", reduce_scatters},
                         {"overlapping", overlapping},
                         {"wrong_arguments", wrong_arguments}});
}
