// Every collective as a plan: started again and again with other data, many at once, beside plain
// collectives; plan_lives.cpp: moved, dropped, misused.
#include <algorithm>
#include <complex>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../support.hpp"
#include "plan_lives.hpp"

namespace {

using peal::communicator;

const std::vector<std::size_t> lengths{0, 1, 3, 1000, 40'001};
constexpr int starts = 3;

// What rank `rank` gives at start `turn`.
template <class T>
T given(int rank, int turn, std::size_t i) {
  return static_cast<T>(
      (static_cast<std::size_t>(rank) * 7 + static_cast<std::size_t>(turn) * 5 + i * 3 + 1) % 11);
}
template <class T>
std::vector<T> numbers(int rank, int turn, std::size_t count, std::size_t from = 0) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = given<T>(rank, turn, from + i);
  return made;
}
template <class T, class Op>
std::vector<T> joined(int ranks, int turn, std::size_t count, Op op, std::size_t from = 0) {
  auto made = numbers<T>(0, turn, count, from);
  for (int rank = 1; rank < ranks; ++rank)
    for (std::size_t i = 0; i < count; ++i)
      made[i] = static_cast<T>(op(made[i], given<T>(rank, turn, from + i)));
  return made;
}

template <class T>
bool same(std::optional<std::span<const T>> found, const std::optional<std::vector<T>>& expected) {
  return found ? expected &&
                     std::equal(found->begin(), found->end(), expected->begin(), expected->end())
               : !expected;
}
template <class T>
bool same(std::span<const T> found, const std::vector<T>& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
}
template <class T>
bool same_blocks(std::span<const std::span<const T>> found,
                 const std::vector<std::vector<T>>& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                    [](std::span<const T> a, const std::vector<T>& b) { return same(a, b); });
}

void barriers(const communicator& world) {
  auto plan = world.barrier_plan();
  for (int last = 0; last < world.size(); ++last) {
    if (world.rank() == last)
      for (int to = 0; to < world.size(); ++to) world.send(last, to, peal::tag{1});
    plan.start().wait();
    job::equal(world.improbe(last, peal::tag{1}).has_value(), true,
               "what was sent before a barrier is there after it");
  }
  for (int i = 0; i < 200; ++i) plan.start().wait();
}

void bcasts(const communicator& world) {
  for (int root = 0; root < world.size(); ++root) {
    const bool gives = world.rank() == root;
    double value = -1;
    auto one = world.bcast_plan(value, root);
    for (const std::size_t count : lengths) {
      std::vector<int> values(count), into(count);
      auto many = world.bcast_plan(values, root);
      auto filled = world.bcast_plan(peal::in_place(into), root);
      for (int turn = 0; turn < starts; ++turn) {
        const auto expected = numbers<int>(root, turn, count);
        value = gives ? turn + 0.5 : -1;
        job::equal(one.start().wait(), turn + 0.5, "bcast_plan of a value");
        std::fill(values.begin(), values.end(), -1);
        std::fill(into.begin(), into.end(), -1);
        if (gives) {
          std::copy(expected.begin(), expected.end(), values.begin());
          std::copy(expected.begin(), expected.end(), into.begin());
        }
        job::check(same(many.start().wait(), expected), "bcast_plan");
        job::check(gives || values == std::vector<int>(count, -1),
                   "bcast_plan leaves what the others gave");
        filled.start().wait();
        job::check(into == expected, "bcast_plan in place");
      }
    }
  }
}

template <class T, class Op>
void reductions_of(const communicator& world, Op op, const std::string& what) {
  const int size = world.size(), rank = world.rank();
  for (const std::size_t count : lengths) {
    std::vector<T> values(count), changed(count), into(count), summed(count), below(count);
    auto all = world.allreduce_plan(values, op);
    auto all_into = world.allreduce_plan(values, peal::into(into), op);
    auto in_place = world.allreduce_plan(peal::in_place(changed), op);
    auto upto = world.scan_plan(values, op);
    auto before = world.exscan_plan(values, op);
    auto upto_in_place = world.scan_plan(peal::in_place(summed), op);
    auto before_in_place = world.exscan_plan(peal::in_place(below), op);
    const int root = static_cast<int>(count) % size;
    std::vector<T> at_root(rank == root ? count : 0);
    auto one = world.reduce_plan(values, root, op);
    auto one_into = world.reduce_plan(values, peal::into(at_root), root, op);
    for (int turn = 0; turn < starts; ++turn) {
      const auto mine = numbers<T>(rank, turn, count);
      for (auto* each : {&values, &changed, &summed, &below})
        std::copy(mine.begin(), mine.end(), each->begin());
      const auto expected = joined<T>(size, turn, count, op);
      const auto lower = rank == 0 ? std::vector<T>{} : joined<T>(rank, turn, count, op);
      // All at once, and waited for from the last to the first.
      auto r1 = all.start();
      auto r2 = all_into.start();
      auto r3 = in_place.start();
      auto r4 = upto.start();
      auto r5 = before.start();
      auto r6 = upto_in_place.start();
      auto r7 = before_in_place.start();
      auto r8 = one.start();
      auto r9 = one_into.start();
      r9.wait();
      job::check(rank != root || at_root == expected, what + ": reduce_plan into");
      job::check(same(r8.wait(), rank == root ? std::optional{expected} : std::nullopt),
                 what + ": reduce_plan");
      r7.wait();
      job::check(below == (rank == 0 ? mine : lower), what + ": exscan_plan in place");
      r6.wait();
      job::check(summed == joined<T>(rank + 1, turn, count, op), what + ": scan_plan in place");
      const auto some = r5.wait();
      job::check(some.has_value() == (rank != 0) && (rank == 0 || same(*some, lower)),
                 what + ": exscan_plan");
      job::check(same(r4.wait(), summed), what + ": scan_plan");
      r3.wait();
      job::check(changed == expected, what + ": allreduce_plan in place");
      r2.wait();
      job::check(into == expected, what + ": allreduce_plan into");
      job::check(same(r1.wait(), expected), what + ": allreduce_plan");
    }
  }
}

struct affine {
  std::uint64_t a, b;
  bool operator==(const affine&) const = default;
};

void reductions(const communicator& world) {
  reductions_of<int>(world, std::plus<>{}, "plus of int");
  reductions_of<double>(world, peal::max, "max of double");
  const int offset = world.size();  // captured state
  reductions_of<long>(
      world, [offset](long a, long b) { return std::max(a + offset, b + offset) - offset; },
      "a lambda with a capture");

  // Values; what does not commute; bool, whose vector has no memory of its own.
  const int size = world.size(), rank = world.rank();
  affine mine{};
  bool yes = false;
  const auto compose = [](const affine& f, const affine& g) {
    return affine{f.a * g.a, f.b * g.a + g.b};
  };
  auto all = world.allreduce_plan(mine, compose);
  auto top = world.reduce_plan(mine, size - 1, compose);
  auto below = world.exscan_plan(mine, compose);
  auto some = world.allreduce_plan(yes, std::logical_or<>{});
  bool several[2] = {false, false};
  auto both = world.allreduce_plan(std::span{several}, std::logical_and<>{});
  for (int turn = 0; turn < starts; ++turn) {
    const auto of = [turn](int r) {
      return affine{static_cast<std::uint64_t>(r + turn + 2),
                    static_cast<std::uint64_t>(r * turn + 1)};
    };
    mine = of(rank);
    affine expected = of(0);
    for (int r = 1; r < size; ++r) expected = compose(expected, of(r));
    job::check(all.start().wait() == expected, "a value in rank order");
    job::check(top.start().wait() == (rank == size - 1 ? std::optional{expected} : std::nullopt),
               "reduce_plan gives the others nothing");
    const auto lower = below.start().wait();
    job::equal(lower.has_value(), rank != 0, "exscan_plan of a value");
    yes = rank == turn % size;
    job::equal(some.start().wait(), true, "bool");
    several[0] = yes;
    several[1] = true;
    const auto and_of = both.start().wait();
    job::check(and_of.size() == 2 && and_of[0] == (size == 1) && and_of[1], "bools");
  }
}

void parts_of_reductions(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size()),
             me = static_cast<std::size_t>(world.rank());
  for (const std::size_t count : lengths) {
    if (count * ranks > 100'000) continue;
    std::vector<int> values(count * ranks), into(count);
    std::vector<std::vector<int>> blocks;
    std::size_t before = 0, at = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r == me) before = at;
      blocks.emplace_back(count * (r * 5 % 4) / 3);
      at += blocks.back().size();
    }
    auto equal = world.reduce_scatter_block_plan(values);
    auto equal_into = world.reduce_scatter_block_plan(values, peal::into(into));
    auto varying = world.reduce_scatter_plan(blocks);
    for (int turn = 0; turn < starts; ++turn) {
      const auto mine = numbers<int>(world.rank(), turn, values.size());
      std::copy(mine.begin(), mine.end(), values.begin());
      at = 0;
      for (auto& each : blocks) {
        each = numbers<int>(world.rank(), turn, each.size(), at);  // may lie elsewhere now
        at += each.size();
      }
      const auto expected = joined<int>(world.size(), turn, count, std::plus<>{}, me * count);
      job::check(same(equal.start().wait(), expected), "reduce_scatter_block_plan");
      equal_into.start().wait();
      job::check(into == expected, "reduce_scatter_block_plan into");
      job::check(same(varying.start().wait(),
                      joined<int>(world.size(), turn, blocks[me].size(), std::plus<>{}, before)),
                 "reduce_scatter_plan");
    }
  }
}

// Rank r gives so many, some none.
std::size_t uneven(int rank, std::size_t base) {
  return static_cast<std::size_t>(rank) % 3 == 1 ? 0
                                                 : base * static_cast<std::size_t>(rank % 5 + 1);
}

void gathers(const communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (const std::size_t count : lengths) {
    if (count * static_cast<std::size_t>(size) > 200'000) continue;
    const int root = static_cast<int>(count) % size;
    const bool gathers_here = rank == root;
    std::vector<int> values(count), into(count * static_cast<std::size_t>(size)),
        at_root(gathers_here ? into.size() : 0);
    std::vector<int> some(uneven(rank, count)), all(gathers_here ? into.size() : 0), part(count);
    std::vector<std::vector<int>> blocks;
    if (gathers_here)
      for (int r = 0; r < size; ++r) blocks.emplace_back(uneven(r, count));
    auto gather = world.gather_plan(values, root);
    auto gather_into = world.gather_plan(values, peal::into(at_root), root);
    auto allgather = world.allgather_plan(values);
    auto allgather_into = world.allgather_plan(values, peal::into(into));
    auto gatherv = world.gatherv_plan(some, root);
    auto allgatherv = world.allgatherv_plan(some);
    auto scatter = world.scatter_plan(all, root);
    auto scatter_into = world.scatter_plan(all, peal::into(part), root);
    auto scatterv = world.scatterv_plan(blocks, root);
    for (int turn = 0; turn < starts; ++turn) {
      const auto fill = [](std::vector<int>& to, const std::vector<int>& from) {
        std::copy(from.begin(), from.end(), to.begin());
      };
      fill(values, numbers<int>(rank, turn, count));
      fill(some, numbers<int>(rank, turn, some.size()));
      std::vector<int> expected;
      std::vector<std::vector<int>> differing;
      for (int r = 0; r < size; ++r) {
        const auto theirs = numbers<int>(r, turn, count);
        expected.insert(expected.end(), theirs.begin(), theirs.end());
        differing.push_back(numbers<int>(r, turn, uneven(r, count)));
      }
      if (gathers_here) {
        fill(all, expected);
        blocks = differing;
      }
      const std::string what = " of " + std::to_string(count);
      job::check(same(gather.start().wait(), gathers_here ? std::optional{expected} : std::nullopt),
                 "gather_plan" + what);
      gather_into.start().wait();
      job::check(!gathers_here || at_root == expected, "gather_plan into" + what);
      job::check(same(allgather.start().wait(), expected), "allgather_plan" + what);
      allgather_into.start().wait();
      job::check(into == expected, "allgather_plan into" + what);
      const auto all_blocks = gatherv.start().wait();
      job::check(all_blocks ? gathers_here && same_blocks(*all_blocks, differing) : !gathers_here,
                 "gatherv_plan" + what);
      job::check(same_blocks(allgatherv.start().wait(), differing), "allgatherv_plan" + what);
      job::check(same(scatter.start().wait(), values), "scatter_plan" + what);
      scatter_into.start().wait();
      job::check(part == values, "scatter_plan into" + what);
      job::check(same(scatterv.start().wait(), differing[static_cast<std::size_t>(rank)]),
                 "scatterv_plan" + what);
    }
  }
  int number = 0;
  auto everyone = world.allgather_plan(number);
  for (int turn = 0; turn < starts; ++turn) {
    number = rank * 10 + turn;
    const auto found = everyone.start().wait();
    for (int r = 0; r < size; ++r)
      job::equal(found[static_cast<std::size_t>(r)], r * 10 + turn, "allgather_plan of a value");
  }
}

void exchanges(const communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (const std::size_t count : lengths) {
    if (count * static_cast<std::size_t>(size) > 200'000) continue;
    std::vector<int> values(count * static_cast<std::size_t>(size)), into(values.size());
    std::vector<std::vector<int>> blocks;
    for (int to = 0; to < size; ++to) blocks.emplace_back(uneven(rank + 2 * to, count));
    auto equal = world.alltoall_plan(values);
    auto equal_into = world.alltoall_plan(values, peal::into(into));
    auto varying = world.alltoallv_plan(blocks);
    for (int turn = 0; turn < starts; ++turn) {
      std::vector<int> expected;
      std::vector<std::vector<int>> arriving;
      auto at = values.begin();
      for (int other = 0; other < size; ++other) {
        const auto to = numbers<int>(rank * 100 + other, turn, count),
                   from = numbers<int>(other * 100 + rank, turn, count);
        at = std::copy(to.begin(), to.end(), at);
        expected.insert(expected.end(), from.begin(), from.end());
        blocks[static_cast<std::size_t>(other)] =
            numbers<int>(rank * 100 + other, turn, uneven(rank + 2 * other, count));
        arriving.push_back(numbers<int>(other * 100 + rank, turn, uneven(other + 2 * rank, count)));
      }
      job::check(same(equal.start().wait(), expected), "alltoall_plan");
      equal_into.start().wait();
      job::check(into == expected, "alltoall_plan into");
      job::check(same_blocks(varying.start().wait(), arriving), "alltoallv_plan");
    }
  }
}

// Plans go together by the order in which they were made, whatever the order in which each rank
// starts them.
void in_any_order(const communicator& world) {
  constexpr std::size_t many = 6;
  const std::size_t ranks = static_cast<std::size_t>(world.size());
  job::random order{static_cast<std::uint64_t>(world.rank()) + 3};
  for (const std::size_t length : {std::size_t{1}, std::size_t{100}, std::size_t{30'000}}) {
    std::vector<std::vector<int>> values(many, std::vector<int>(length)),
        sums(many, std::vector<int>(length));
    std::vector<peal::plan<>> told, added;
    for (std::size_t i = 0; i < many; ++i) {
      // One that a single rank is refused counts too.
      if (i == 3 && world.rank() == 0)
        job::throws(peal::errc::invalid_root,
                    [&] { (void)world.bcast_plan(peal::in_place(values[0]), -7); });
      if (i == 3 && world.rank() != 0)
        static_cast<void>(world.bcast_plan(peal::in_place(values[0]), 0));
      told.push_back(world.bcast_plan(peal::in_place(values[i]), static_cast<int>(i % ranks)));
      added.push_back(world.allreduce_plan(values[i], peal::into(sums[i])));
    }
    const auto shuffled = [&] {
      std::vector<std::size_t> all(many);
      std::iota(all.begin(), all.end(), std::size_t{0});
      for (std::size_t i = many; i-- > 1;) std::swap(all[i], all[order.below(i + 1)]);
      return all;
    };
    for (int turn = 0; turn < 10; ++turn) {
      const auto number = [turn](std::size_t i) { return static_cast<int>(i) * 100 + turn; };
      std::vector<peal::request<>> under_way;
      for (const std::size_t i : shuffled()) {
        std::fill(values[i].begin(), values[i].end(),
                  static_cast<std::size_t>(world.rank()) == i % ranks ? number(i) : -1);
        under_way.push_back(told[i].start());
        job::equal(world.allreduce(1), world.size(), "a plain one between");
      }
      peal::wait_all(under_way);
      for (std::size_t i = 0; i < many; ++i)
        job::check(values[i] == std::vector<int>(length, number(i)),
                   "a bcast started in any order");
      under_way.clear();
      for (const std::size_t i : shuffled()) under_way.push_back(added[i].start());
      peal::wait_all(under_way);
      for (std::size_t i = 0; i < many; ++i)
        job::check(sums[i] == std::vector<int>(length, number(i) * world.size()),
                   "a sum started in any order");
    }
  }
}

// Starts stand between plain collectives, and are followed by whatever a request can be followed
// by.
void mixed(const communicator& world) {
  constexpr std::size_t many = 12;
  std::vector<std::vector<int>> values(many, std::vector<int>(100));
  std::vector<peal::plan<std::span<const int>>> plans;
  for (auto& each : values) plans.push_back(world.allreduce_plan(each));
  job::random order{7};
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::size_t> some(many);
    std::iota(some.begin(), some.end(), std::size_t{0});
    for (std::size_t i = many; i-- > 1;) std::swap(some[i], some[order.below(i + 1)]);
    some.resize(1 + order.below(many));
    std::vector<peal::request<std::span<const int>>> under_way;
    for (const std::size_t which : some) {
      std::fill(values[which].begin(), values[which].end(),
                world.rank() + turn + static_cast<int>(which));
      under_way.push_back(plans[which].start());
      job::check(plans[which].active(), "active");
      job::equal(world.allreduce(1), world.size(), "a plain one between");
    }
    peal::wait_all(under_way);
    for (const std::size_t which : some) job::check(!plans[which].active(), "not active");
  }
  double value = 1;
  auto sum = world.allreduce_plan(value);
  job::equal(sum.start().then([](double all) { return all + 1; }).wait(), world.size() + 1.0,
             "followed by a continuation");
  auto polled = sum.start();
  std::optional<peal::completion<double>> end;
  while (!(end = polled.test())) {
  }
  job::equal(end->value, world.size() * 1.0, "polled");
  job::check(!sum.active(), "over, once test has said so");
  peal::completion_queue queue;
  queue.add(sum.start());
  (void)queue.wait();
  job::check(!sum.active(), "over, once the queue has given it");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(
      argc, argv,
      {job::part{"barriers", barriers}, job::part{"bcasts", bcasts},
       job::part{"reductions", reductions}, job::part{"parts", parts_of_reductions},
       job::part{"gathers", gathers}, job::part{"exchanges", exchanges},
       job::part{"in any order", in_any_order}, job::part{"mixed", mixed},
       job::part{"lives", plans::lives}, job::part{"misuse", plans::misuse}});
}
