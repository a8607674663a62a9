// collectives [part ...]: every collective against what a loop over the ranks' known inputs gives,
// for many lengths, roots, types and operations, blocking and nonblocking.
#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "../support.hpp"

namespace {

using peal::communicator;

// On both sides of what a message, a box, a piece of the algorithms holds; not multiples of
// anything.
constexpr std::size_t lengths[] = {0,  1,   2,   3,    7,    16,     31,
                                   64, 100, 257, 1000, 4096, 10'007, 100'003};

// Rank `rank`'s element `i`: small, so that sums are exact and products of a few stay in range.
template <class T>
T element(int rank, std::size_t i) {
  const auto value = static_cast<int>((static_cast<std::size_t>(rank) * 7 + i * 3 + 1) % 11);
  if constexpr (std::is_same_v<T, bool>) return value % 2 == 0;
  else return static_cast<T>(value);
}

template <class T>
std::vector<T> input(int rank, std::size_t count) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = element<T>(rank, i);
  return made;
}

template <class T, class Op>
std::vector<T> reduced(int ranks, std::size_t count, Op op) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    T value = element<T>(0, i);
    for (int rank = 1; rank < ranks; ++rank) value = static_cast<T>(op(value, element<T>(rank, i)));
    all[i] = value;
  }
  return all;
}

std::vector<int> roots(const communicator& world) {
  std::vector<int> some{0};
  if (world.size() > 1) some.push_back(world.size() - 1);
  if (world.size() > 2) some.push_back(world.size() / 2);
  return some;
}

void barriers(const communicator& world) {
  // Nobody leaves before everybody has come: the last to come says so first.
  for (int last = 0; last < world.size(); ++last) {
    auto word = world.irecv<int>(last, peal::tag{1});
    if (world.rank() == last)
      for (int to = 0; to < world.size(); ++to) world.send(last, to, peal::tag{1});
    world.barrier();
    job::equal(word.wait(), last, "what was sent before a barrier");
  }
  for (int i = 0; i < 500; ++i) world.barrier();
  for (int i = 0; i < 100; ++i) world.ibarrier().wait();
}

void bcasts(const communicator& world) {
  for (const std::size_t count : lengths)
    for (const int root : roots(world)) {
      auto values = world.rank() == root ? input<int>(root, count) : std::vector<int>(count, -1);
      world.bcast(peal::in_place(values), root);
      job::check(values == input<int>(root, count), "bcast in place of " + std::to_string(count));
      job::check(
          world.bcast(world.rank() == root ? input<double>(root, count) : std::vector<double>{},
                      root) == input<double>(root, count),
          "bcast of " + std::to_string(count) + " that only the root knows");
      const auto text = std::string(count, 'a') + std::to_string(root);
      job::check(world.ibcast(world.rank() == root ? text : std::string{}, root).wait() == text,
                 "ibcast of a string");
    }
  const std::vector<std::string> names{"a", "", "ccc"};
  job::check(world.bcast(world.rank() == 0 ? names : std::vector<std::string>{}, 0) == names,
             "bcast of strings");
}

template <class T, class Op>
void reductions_of(const communicator& world, Op op, const std::string& what,
                   std::size_t most = std::numeric_limits<std::size_t>::max()) {
  for (const std::size_t count : lengths) {
    if (count > most) continue;
    const auto mine = input<T>(world.rank(), count);
    const auto expected = reduced<T>(world.size(), count, op);
    const std::string label = what + " of " + std::to_string(count);
    job::check(world.allreduce(mine, op) == expected, "allreduce " + label);
    job::check(world.iallreduce(mine, op).wait() == expected, "iallreduce " + label);
    if constexpr (!std::is_same_v<T, bool>) {
      auto in_place = mine;
      world.allreduce(peal::in_place(in_place), op);
      job::check(in_place == expected, "allreduce in place " + label);
      std::vector<T> into(count);
      world.allreduce(mine, peal::into(into), op);
      job::check(into == expected, "allreduce into " + label);
    }
    for (const int root : roots(world)) {
      const auto at_root = world.reduce(mine, root, op);
      if (world.rank() == root) job::check(at_root == expected, "reduce " + label);
    }
  }
  const T one = element<T>(world.rank(), 5);
  T expected = element<T>(0, 5);
  for (int rank = 1; rank < world.size(); ++rank)
    expected = static_cast<T>(op(expected, element<T>(rank, 5)));
  job::check(world.allreduce(one, op) == expected, "allreduce of one value, " + what);
}

// x -> a x + b: composing is associative and not commutative, so that the order of the ranks shows.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
affine composed(const affine& first, const affine& second) {
  return {first.a * second.a, first.b * second.a + second.b};
}

void reductions(const communicator& world) {
  reductions_of<int>(world, std::plus<>{}, "sum of int");
  reductions_of<float>(world, std::plus<>{}, "sum of float");
  reductions_of<double>(world, peal::max, "max of double");
  reductions_of<std::int8_t>(world, peal::min, "min of int8", 1000);
  reductions_of<std::uint16_t>(world, std::bit_xor<>{}, "xor of uint16", 1000);
  reductions_of<std::int64_t>(world, std::multiplies<>{}, "product of int64", 1000);
  reductions_of<std::uint64_t>(world, std::bit_or<>{}, "or of uint64", 1000);
  reductions_of<unsigned>(world, std::bit_and<>{}, "and of unsigned", 1000);
  reductions_of<long double>(world, std::plus<>{}, "sum of long double", 1000);
  reductions_of<std::complex<double>>(world, std::plus<>{}, "sum of complex", 1000);
  reductions_of<short>(world, peal::op<peal::commute::yes>([](short a, short b) {
                         return static_cast<short>(std::max(a, b));
                       }),
                       "max by a lambda", 10'007);
  const int offset = world.size();  // captured state
  reductions_of<int>(
      world, [offset](int a, int b) { return std::max(a + offset, b + offset) - offset; },
      "max by a bare lambda", 10'007);
}

void in_rank_order(const communicator& world) {
  for (const std::size_t count : lengths) {
    std::vector<affine> mine(count), expected(count);
    const auto of = [](int rank, std::size_t i) {
      return affine{static_cast<std::uint64_t>(rank) * 2 + i + 3,
                    static_cast<std::uint64_t>(rank) + i * 5 + 1};
    };
    for (std::size_t i = 0; i < count; ++i) {
      mine[i] = of(world.rank(), i);
      expected[i] = of(0, i);
      for (int rank = 1; rank < world.size(); ++rank)
        expected[i] = composed(expected[i], of(rank, i));
    }
    job::check(world.allreduce(mine, composed) == expected,
               "allreduce in rank order of " + std::to_string(count));
    for (const int root : roots(world)) {
      const auto at_root = world.reduce(mine, root, composed);
      if (world.rank() == root)
        job::check(at_root == expected, "reduce in rank order of " + std::to_string(count));
    }
  }
}

// What each rank gets a part of: all types of kernels, odd lengths, in rank order, again and again
// the same bits.
void partial_ones(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size()),
             me = static_cast<std::size_t>(world.rank());
  const auto of = [](int rank, std::size_t i) {
    return affine{static_cast<std::uint64_t>(rank) * 2 + i + 3,
                  static_cast<std::uint64_t>(rank) + i * 5 + 1};
  };
  // Elements [first, first + count) of the ranks below `upto`, composed.
  const auto below = [&of](int upto, std::size_t first, std::size_t count) {
    std::vector<affine> made(count);
    for (std::size_t i = 0; i < count; ++i)
      for (int rank = 0; rank < upto; ++rank)
        made[i] = rank == 0 ? of(0, first + i) : composed(made[i], of(rank, first + i));
    return made;
  };
  for (const std::size_t count : lengths) {
    if (count * ranks > 400'000) continue;
    const std::string what = " of " + std::to_string(count);
    std::vector<affine> mine(count * ranks);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = of(world.rank(), i);
    job::check(world.reduce_scatter_block(mine, composed) == below(world.size(), count * me, count),
               "reduce_scatter_block" + what);
    job::check(world.ireduce_scatter_block(mine, composed).wait() ==
                   below(world.size(), count * me, count),
               "ireduce_scatter_block" + what);
    std::vector<std::vector<affine>> parts;
    std::size_t before = 0;
    for (std::size_t rank = 0, at = 0; rank < ranks; ++rank) {
      if (rank == me) before = at;
      const std::size_t length = count * (rank * 5 % 4) / 3;
      parts.emplace_back(mine.begin() + static_cast<std::ptrdiff_t>(at),
                         mine.begin() + static_cast<std::ptrdiff_t>(at + length));
      at += length;
    }
    const auto block = below(world.size(), before, parts[me].size());
    job::check(world.reduce_scatter(parts, composed) == block, "reduce_scatter" + what);
    job::check(world.ireduce_scatter(parts, composed).wait() == block, "ireduce_scatter" + what);
    mine.resize(count);
    const auto upto = below(world.rank() + 1, 0, count), lower = below(world.rank(), 0, count);
    job::check(world.scan(mine, composed) == upto, "scan" + what);
    job::check(world.iscan(mine, composed).wait() == upto, "iscan" + what);
    job::check(world.exscan(mine, composed) == (me == 0 ? std::nullopt : std::optional{lower}),
               "exscan" + what);
    job::check(
        world.iexscan(mine, composed).wait() == (me == 0 ? std::nullopt : std::optional{lower}),
        "iexscan" + what);

    job::random r{me + 1};
    std::vector<double> sizes(count * ranks);
    for (auto& value : sizes)
      value = static_cast<double>(r.next()) / 1e3 * (r.one_in(2) ? 1 : 1e-12);
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
      return a.size() == b.size() &&
             (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
    };
    job::check(same(world.reduce_scatter_block(sizes), world.reduce_scatter_block(sizes)),
               "reduce_scatter_block again" + what);
    job::check(same(world.scan(sizes), world.scan(sizes)), "scan again" + what);
  }
}

// Floating-point sums whose value depends on the order: all ranks must have the same bits, and the
// same again.
void same_bits(const communicator& world) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{50'000}}) {
    job::random r{static_cast<std::uint64_t>(world.rank()) + 1};
    std::vector<double> mine(count);
    for (auto& value : mine)
      value = static_cast<double>(r.next()) / 1e3 * (r.one_in(2) ? 1 : 1e-12);
    const auto first = world.allreduce(mine), second = world.allreduce(mine);
    job::check(std::memcmp(first.data(), second.data(), count * sizeof(double)) == 0,
               "the same sum again has other bits");
    const auto of_zero = world.bcast(first, 0);
    job::check(std::memcmp(first.data(), of_zero.data(), count * sizeof(double)) == 0,
               "the ranks' sums differ in bits");
  }
}

void gathers(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  for (const std::size_t count : lengths) {
    if (count * ranks > 400'000) continue;
    const auto mine = input<int>(world.rank(), count);
    std::vector<int> expected;
    for (int rank = 0; rank < world.size(); ++rank) {
      const auto part = input<int>(rank, count);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    const std::string what = " of " + std::to_string(count);
    job::check(world.allgather(mine) == expected, "allgather" + what);
    std::vector<int> into(expected.size(), -1);
    world.allgather(mine, peal::into(into));
    job::check(into == expected, "allgather into" + what);
    job::check(world.iallgather(mine).wait() == expected, "iallgather" + what);
    for (const int root : roots(world)) {
      const auto at_root = world.gather(mine, root);
      job::check(at_root == (world.rank() == root ? std::optional{expected} : std::nullopt),
                 "gather" + what);
      job::check(world.scatter(world.rank() == root ? expected : std::vector<int>{}, root) == mine,
                 "scatter" + what);
    }
  }
  std::vector<std::string> names;
  for (int rank = 0; rank < world.size(); ++rank)
    names.push_back(std::string(static_cast<std::size_t>(rank) * 1000, 'x') + std::to_string(rank));
  job::check(world.allgather(names[static_cast<std::size_t>(world.rank())]) == names,
             "allgather of strings of many lengths");
  std::vector<int> everyone(ranks);
  std::iota(everyone.begin(), everyone.end(), 0);
  job::check(world.allgather(world.rank()) == everyone, "allgather of a value");
}

// Rank r gives `base * r % 7` elements, so that some give none.
std::size_t uneven(int rank, std::size_t base) {
  return static_cast<std::size_t>(rank) % 3 == 1 ? 0
                                                 : base * static_cast<std::size_t>(rank % 7 + 1);
}

void uneven_ones(const communicator& world) {
  for (const std::size_t base :
       {std::size_t{1}, std::size_t{13}, std::size_t{1000}, std::size_t{20'000}}) {
    const auto mine = input<int>(world.rank(), uneven(world.rank(), base));
    std::vector<std::vector<int>> all;
    for (int rank = 0; rank < world.size(); ++rank)
      all.push_back(input<int>(rank, uneven(rank, base)));
    const auto same = [&all](const peal::blocks<int>& found) {
      if (found.size() != all.size()) return false;
      for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (!std::equal(found[rank].begin(), found[rank].end(), all[rank].begin(), all[rank].end()))
          return false;
      return true;
    };
    job::check(same(world.allgatherv(mine)), "allgatherv");
    job::check(same(world.iallgatherv(mine).wait()), "iallgatherv");
    for (const int root : roots(world)) {
      const auto found = world.gatherv(mine, root);
      job::check(world.rank() == root ? found && same(*found) : !found, "gatherv");
      job::check(world.scatterv(world.rank() == root ? all : std::vector<std::vector<int>>{},
                                root) == mine,
                 "scatterv");
    }
    // From a to b go uneven(a + 2 b) elements.
    std::vector<std::vector<int>> out;
    for (int to = 0; to < world.size(); ++to)
      out.push_back(input<int>(world.rank() * 100 + to, uneven(world.rank() + 2 * to, base)));
    const auto in = world.alltoallv(out);
    for (int from = 0; from < world.size(); ++from) {
      const auto expected =
          input<int>(from * 100 + world.rank(), uneven(from + 2 * world.rank(), base));
      const auto found = in[static_cast<std::size_t>(from)];
      job::check(std::equal(found.begin(), found.end(), expected.begin(), expected.end()),
                 "alltoallv");
    }
  }
}

void exchanges(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  for (const std::size_t count : lengths) {
    if (count * ranks > 400'000) continue;
    std::vector<int> out, expected;
    for (int other = 0; other < world.size(); ++other) {
      const auto to = input<int>(world.rank() * 100 + other, count),
                 from = input<int>(other * 100 + world.rank(), count);
      out.insert(out.end(), to.begin(), to.end());
      expected.insert(expected.end(), from.begin(), from.end());
    }
    job::check(world.alltoall(out) == expected, "alltoall of " + std::to_string(count));
    std::vector<int> into(expected.size());
    world.alltoall(out, peal::into(into));
    job::check(into == expected, "alltoall into of " + std::to_string(count));
    job::check(world.ialltoall(out).wait() == expected, "ialltoall of " + std::to_string(count));
  }
}

// Many at once, ended in another order than begun, with messages of the same communicator between.
void overlapping(const communicator& world) {
  const int right = (world.rank() + 1) % world.size();
  std::vector<peal::request<std::vector<int>>> sums;
  std::vector<peal::request<>> barriers;
  std::vector<std::vector<int>> inputs(20);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = input<int>(world.rank(), i * i * 50);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sums.push_back(world.iallreduce(inputs[i]));
    barriers.push_back(world.ibarrier());
    auto sent = world.isend(std::vector<int>(1, static_cast<int>(i)), right, peal::tag{1});
    job::equal(world.recv<std::vector<int>>(peal::any_source, peal::any_tag).at(0),
               static_cast<int>(i), "a message among collectives");
    sent.wait();
  }
  for (std::size_t i = inputs.size(); i-- > 0;)
    job::check(sums[i].wait() == reduced<int>(world.size(), inputs[i].size(), std::plus<>{}),
               "overlapping iallreduce");
  for (auto& barrier : barriers) barrier.wait();
}

// What an operation throws comes out where it is thrown; the others hear of it, and the
// communicator goes on.
void throwing(const communicator& world) {
  const auto thrower = [](int a, int b) {
    if (a < 0 || b < 0) throw std::runtime_error{"no negative numbers"};
    return a + b;
  };
  bool told = false;
  try {
    (void)world.allreduce(world.rank() == world.size() - 1 ? -1 : 1, thrower);
  } catch (const peal::error& e) {
    job::check(e.code() == peal::errc::operation_failed, std::string{"another error: "} + e.what());
    told = true;
  } catch (const std::runtime_error& e) {
    job::equal(std::string{e.what()}, std::string{"no negative numbers"},
               "what the operation threw");
    told = true;
  }
  job::check(told || world.size() == 1, "a rank took a poisoned result");
  job::equal(world.allreduce(1, thrower), world.size(), "the next reduction");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(
      argc, argv,
      {job::part{"barriers", barriers}, job::part{"bcasts", bcasts},
       job::part{"reductions", reductions}, job::part{"in_rank_order", in_rank_order},
       job::part{"partial", partial_ones}, job::part{"same_bits", same_bits},
       job::part{"gathers", gathers}, job::part{"uneven", uneven_ones},
       job::part{"exchanges", exchanges}, job::part{"overlapping", overlapping},
       job::part{"throwing", throwing}});
}
