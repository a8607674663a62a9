// Collectives into buffers of the caller's and in the place of what was given, blocking,
// nonblocking and as plans, beside a loop over what the ranks gave.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;

const std::vector<std::size_t> lengths{0, 1, 5, 700, 30'001};

// x -> a x + b, composed: the order of the ranks shows.
struct affine {
  std::uint32_t a, b;
  bool operator==(const affine&) const = default;
};
constexpr auto compose = [](const affine& f, const affine& g) {
  return affine{f.a * g.a, f.b * g.a + g.b};
};

affine given(int rank, int turn, std::size_t i) {
  return {static_cast<std::uint32_t>(static_cast<std::size_t>(rank) * 2 + i * 5 + 3) | 1U,
          static_cast<std::uint32_t>(static_cast<std::size_t>(turn) * 7 + i +
                                     static_cast<std::size_t>(rank))};
}
std::vector<affine> of(int rank, int turn, std::size_t count, std::size_t first = 0) {
  std::vector<affine> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = given(rank, turn, first + i);
  return made;
}
// Of the ranks below `upto`.
std::vector<affine> composed(int upto, int turn, std::size_t count, std::size_t first = 0) {
  auto made = of(0, turn, count, first);
  for (int rank = 1; rank < upto; ++rank)
    for (std::size_t i = 0; i < count; ++i)
      made[i] = compose(made[i], given(rank, turn, first + i));
  return made;
}

constexpr int turns = 2;

/// Calls do(form, turn) for the three forms; `start(form)` must make a fresh start of it.
struct form {
  std::string name;
  std::function<void()> run;
};
template <class Fill, class Check>
void in_all_forms(const std::vector<form>& forms, const Fill& fill, const Check& check) {
  for (const form& each : forms)
    for (int turn = 0; turn < turns; ++turn) {
      fill(turn);
      each.run();
      job::check(check(turn), each.name);
    }
}

void reductions(const communicator& world) {
  const int me = world.rank(), size = world.size();
  for (const std::size_t count : lengths) {
    const int root = static_cast<int>(count + 1) % size;
    std::vector<affine> values(count), into(count), changed(count);
    const auto fill = [&](int turn) {
      const auto mine = of(me, turn, count);
      std::copy(mine.begin(), mine.end(), values.begin());
      std::copy(mine.begin(), mine.end(), changed.begin());
      std::fill(into.begin(), into.end(), affine{9, 9});
    };
    const auto untouched = [&] { return into == std::vector<affine>(count, affine{9, 9}); };
    auto in_place = world.reduce_plan(peal::in_place(changed), root, compose);
    in_all_forms(
        {{"reduce in place", [&] { world.reduce(peal::in_place(changed), root, compose); }},
         {"ireduce in place",
          [&] { world.ireduce(peal::in_place(changed), root, compose).wait(); }},
         {"reduce_plan in place", [&] { in_place.start().wait(); }}},
        fill, [&](int turn) {
          return changed == (me == root ? composed(size, turn, count) : of(me, turn, count));
        });
    in_all_forms(
        {{"ireduce into", [&] { world.ireduce(values, peal::into(into), root, compose).wait(); }}},
        fill,
        [&](int turn) { return me == root ? into == composed(size, turn, count) : untouched(); });
    in_all_forms(
        {{"iallreduce into", [&] { world.iallreduce(values, peal::into(into), compose).wait(); }}},
        fill, [&](int turn) { return into == composed(size, turn, count); });
    auto upto = world.scan_plan(values, peal::into(into), compose);
    in_all_forms({{"scan into", [&] { world.scan(values, peal::into(into), compose); }},
                  {"iscan into", [&] { world.iscan(values, peal::into(into), compose).wait(); }},
                  {"scan_plan into", [&] { upto.start().wait(); }}},
                 fill, [&](int turn) {
                   return into == composed(me + 1, turn, count) && values == of(me, turn, count);
                 });
    auto below = world.exscan_plan(values, peal::into(into), compose);
    in_all_forms(
        {{"exscan into", [&] { world.exscan(values, peal::into(into), compose); }},
         {"iexscan into", [&] { world.iexscan(values, peal::into(into), compose).wait(); }},
         {"exscan_plan into", [&] { below.start().wait(); }}},
        fill, [&](int turn) { return me == 0 ? untouched() : into == composed(me, turn, count); });
  }
  int one = me + 1, all = 0;
  world.scan(one, peal::into(all));
  job::equal(all, (me + 1) * (me + 2) / 2, "scan into of a value");
  world.reduce(peal::in_place(one), 0);
  job::equal(one, me == 0 ? size * (size + 1) / 2 : me + 1, "reduce in place of a value");
}

void parts(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(me);
  for (const std::size_t count : lengths) {
    if (count * ranks > 100'000) continue;
    std::vector<std::size_t> several;
    std::size_t total = 0, before = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank == mine) before = total;
      several.push_back(count * ((rank * 3 + 1) % 4) / 2);
      total += several.back();
    }
    std::vector<affine> values(count * ranks), changed(values.size()), into(count),
        differing(total), changing(total), part(several[mine]);
    const auto fill = [&](int turn) {
      const auto equal = of(me, turn, values.size()), varying = of(me, turn, total);
      std::copy(equal.begin(), equal.end(), values.begin());
      std::copy(equal.begin(), equal.end(), changed.begin());
      std::copy(varying.begin(), varying.end(), differing.begin());
      std::copy(varying.begin(), varying.end(), changing.begin());
    };
    const auto begins_with = [](const std::vector<affine>& found,
                                const std::vector<affine>& wanted) {
      return std::equal(wanted.begin(), wanted.end(), found.begin());
    };
    in_all_forms({{"ireduce_scatter_block into",
                   [&] { world.ireduce_scatter_block(values, peal::into(into), compose).wait(); }}},
                 fill, [&](int turn) { return into == composed(size, turn, count, mine * count); });
    auto equal = world.reduce_scatter_block_plan(peal::in_place(changed), compose);
    in_all_forms({{"reduce_scatter_block in place",
                   [&] { world.reduce_scatter_block(peal::in_place(changed), compose); }},
                  {"ireduce_scatter_block in place",
                   [&] { world.ireduce_scatter_block(peal::in_place(changed), compose).wait(); }},
                  {"reduce_scatter_block_plan in place", [&] { equal.start().wait(); }}},
                 fill, [&](int turn) {
                   return begins_with(changed, composed(size, turn, count, mine * count));
                 });
    auto varying =
        world.reduce_scatter_plan(peal::blocks_of(differing, several), peal::into(part), compose);
    in_all_forms(
        {{"reduce_scatter into",
          [&] {
            world.reduce_scatter(peal::blocks_of(differing, several), peal::into(part), compose);
          }},
         {"ireduce_scatter into",
          [&] {
            world.ireduce_scatter(peal::blocks_of(differing, several), peal::into(part), compose)
                .wait();
          }},
         {"reduce_scatter_plan into", [&] { varying.start().wait(); }}},
        fill, [&](int turn) { return part == composed(size, turn, several[mine], before); });
    auto in_place = world.reduce_scatter_plan(peal::in_place(changing, several), compose);
    in_all_forms(
        {{"reduce_scatter in place",
          [&] { world.reduce_scatter(peal::in_place(changing, several), compose); }},
         {"ireduce_scatter in place",
          [&] { world.ireduce_scatter(peal::in_place(changing, several), compose).wait(); }},
         {"reduce_scatter_plan in place", [&] { in_place.start().wait(); }}},
        fill, [&](int turn) {
          return begins_with(changing, composed(size, turn, several[mine], before));
        });
  }
}

void moves(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(me);
  for (const std::size_t count : lengths) {
    if (count * ranks > 100'000) continue;
    const int root = static_cast<int>(count + 1) % size;
    const bool whole = me == root;
    std::vector<affine> one(count), all(count * ranks), goal(count * ranks),
        mixed(whole ? count * ranks : count), other(count * ranks);
    const auto block = [&](std::size_t rank) { return static_cast<std::ptrdiff_t>(rank * count); };
    // What all gave, one after the other.
    const auto joined = [&](int turn) {
      std::vector<affine> made;
      for (int rank = 0; rank < size; ++rank) {
        const auto theirs = of(rank, turn, count);
        made.insert(made.end(), theirs.begin(), theirs.end());
      }
      return made;
    };
    // What came of an exchange: rank r gives part p as of(r, turn + p).
    const auto exchanged = [&](int turn) {
      std::vector<affine> made;
      for (int rank = 0; rank < size; ++rank) {
        const auto theirs = of(rank, turn + me, count);
        made.insert(made.end(), theirs.begin(), theirs.end());
      }
      return made;
    };
    const auto fill = [&](int turn) {
      const auto own = of(me, turn, count), every = joined(turn);
      std::copy(own.begin(), own.end(), one.begin());
      std::copy(every.begin(), every.end(), all.begin());
      std::fill(goal.begin(), goal.end(), affine{8, 8});
      // in place: its own block is there
      std::copy(own.begin(), own.end(), goal.begin() + block(mine));
      std::fill(mixed.begin(), mixed.end(), affine{8, 8});
      std::copy(own.begin(), own.end(), mixed.begin() + (whole ? block(mine) : 0));
      for (std::size_t to = 0; to < ranks; ++to) {
        const auto part = of(me, turn + static_cast<int>(to), count);
        std::copy(part.begin(), part.end(), other.begin() + block(to));
      }
    };
    const auto fill_to_scatter = [&](int turn) {
      fill(turn);
      const auto every = joined(turn);
      if (whole) std::copy(every.begin(), every.end(), mixed.begin());
      else std::fill(mixed.begin(), mixed.end(), affine{8, 8});
    };
    in_all_forms({{"igather into", [&] { world.igather(one, peal::into(goal), root).wait(); }}},
                 fill, [&](int turn) { return !whole || goal == joined(turn); });
    in_all_forms({{"iscatter into", [&] { world.iscatter(all, peal::into(one), root).wait(); }}},
                 fill, [&](int turn) { return one == of(me, turn, count); });
    in_all_forms({{"ialltoall into", [&] { world.ialltoall(other, peal::into(goal)).wait(); }}},
                 fill, [&](int turn) { return goal == exchanged(turn); });
    auto allgather = world.allgather_plan(peal::in_place(goal));
    in_all_forms({{"allgather in place", [&] { world.allgather(peal::in_place(goal)); }},
                  {"iallgather in place", [&] { world.iallgather(peal::in_place(goal)).wait(); }},
                  {"allgather_plan in place", [&] { allgather.start().wait(); }}},
                 fill, [&](int turn) { return goal == joined(turn); });
    auto alltoall = world.alltoall_plan(peal::in_place(other));
    in_all_forms({{"alltoall in place", [&] { world.alltoall(peal::in_place(other)); }},
                  {"ialltoall in place", [&] { world.ialltoall(peal::in_place(other)).wait(); }},
                  {"alltoall_plan in place", [&] { alltoall.start().wait(); }}},
                 fill, [&](int turn) { return other == exchanged(turn); });
    auto gather = world.gather_plan(peal::in_place(mixed), root);
    in_all_forms({{"gather in place", [&] { world.gather(peal::in_place(mixed), root); }},
                  {"igather in place", [&] { world.igather(peal::in_place(mixed), root).wait(); }},
                  {"gather_plan in place", [&] { gather.start().wait(); }}},
                 fill,
                 [&](int turn) { return mixed == (whole ? joined(turn) : of(me, turn, count)); });
    auto scatter = world.scatter_plan(peal::in_place(mixed), root);
    in_all_forms(
        {{"scatter in place", [&] { world.scatter(peal::in_place(mixed), root); }},
         {"iscatter in place", [&] { world.iscatter(peal::in_place(mixed), root).wait(); }},
         {"scatter_plan in place", [&] { scatter.start().wait(); }}},
        fill_to_scatter,
        [&](int turn) { return mixed == (whole ? joined(turn) : of(me, turn, count)); });
  }
}

void misuse(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<int> values(ranks * 2), small(1);
  std::vector<std::size_t> two(ranks, 2), fewer(ranks - 1, 2), more(two), less(two), huge(two);
  more[0] = 3;
  less[0] = 1;
  huge[0] = static_cast<std::size_t>(-1) / 4 + 3;  // times four it is a small number
  for (const auto* wrong : {&fewer, &more, &less, &huge}) {
    job::throws(peal::errc::invalid_argument,
                [&] { world.reduce_scatter(peal::in_place(values, *wrong)); });
    job::throws(peal::errc::invalid_argument,
                [&] { world.reduce_scatter(peal::blocks_of(values, *wrong), peal::into(values)); });
  }
  job::throws(peal::errc::invalid_argument,
              [&] { world.reduce_scatter(peal::blocks_of(values, two), peal::into(small)); });
  job::throws(peal::errc::invalid_argument, [&] { world.scan(values, peal::into(small)); });
  job::throws(peal::errc::invalid_argument,
              [&] { world.iexscan(values, peal::into(small)).wait(); });
  job::throws(peal::errc::invalid_root,
              [&] { world.reduce(peal::in_place(values), world.size()); });
  job::throws(peal::errc::invalid_root, [&] { world.igather(peal::in_place(values), -1).wait(); });
  values.push_back(0);
  if (ranks == 1) return;
  job::throws(peal::errc::invalid_argument, [&] { world.allgather(peal::in_place(values)); });
  job::throws(peal::errc::invalid_argument, [&] { world.alltoall(peal::in_place(values)); });
  job::throws(peal::errc::invalid_argument,
              [&] { world.reduce_scatter_block(peal::in_place(values)); });
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"reductions", reductions}, job::part{"parts", parts},
                         job::part{"moves", moves}, job::part{"misuse", misuse}});
}
