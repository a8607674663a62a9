// Collectives on strided views: what is read, what is filled, or both; blocking, nonblocking and as
// plans.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;

/// Every other element of each row of a matrix that has a column too many.
template <class T>
struct checkered {
  using element_type = T;
  T* first;
  std::size_t rows, columns;
  T* data_handle() const { return first; }
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t i) const { return i == 0 ? rows : columns; }
  std::size_t stride(std::size_t i) const { return i == 0 ? 2 * columns + 1 : 2; }
};

/// The memory of one: what is between its elements must stay.
struct board {
  board(std::size_t r, std::size_t c) : rows{r}, columns{c}, memory(r * (2 * c + 1), -7) {}
  [[nodiscard]] checkered<int> view() { return {memory.data(), rows, columns}; }
  [[nodiscard]] checkered<const int> seen() const { return {memory.data(), rows, columns}; }
  void fill(const std::vector<int>& values) {
    std::fill(memory.begin(), memory.end(), -7);
    for (std::size_t i = 0; i < values.size(); ++i) at(i) = values[i];
  }
  [[nodiscard]] bool holds(const std::vector<int>& values) {
    board other{rows, columns};
    other.fill(values);
    return values.size() == rows * columns && other.memory == memory;
  }
  int& at(std::size_t i) { return memory[i / columns * (2 * columns + 1) + i % columns * 2]; }
  std::size_t rows, columns;
  std::vector<int> memory;
};

std::vector<int> values_of(int rank, int turn, std::size_t count) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = rank * 10'000 + turn * 1000 + static_cast<int>(i % 997);
  return made;
}
std::vector<int> summed(int ranks, int turn, std::size_t count) {
  std::vector<int> made(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto theirs = values_of(rank, turn, count);
    for (std::size_t i = 0; i < count; ++i) made[i] += theirs[i];
  }
  return made;
}

struct form {
  std::string name;
  std::function<void()> run;
};
template <class Fill, class Check>
void in_all_forms(const std::vector<form>& forms, const Fill& fill, const Check& check) {
  int turn = 0;
  for (const form& each : forms)
    for (int i = 0; i < 2; ++i, ++turn) {
      fill(turn);
      each.run();
      job::check(check(turn), each.name);
    }
}

void reads(const communicator& world) {
  const int me = world.rank(), size = world.size();
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
    board mine{rows, 5};
    const std::size_t count = rows * 5;
    mine.fill(values_of(me, 0, count));
    const auto view = mine.seen();
    job::check(world.allreduce(view) == summed(size, 0, count), "allreduce");
    job::check(world.iallreduce(view).wait() == summed(size, 0, count), "iallreduce");
    job::check(world.scan(view) == summed(me + 1, 0, count), "scan");
    job::check(
        world.reduce(view, 0) == (me == 0 ? std::optional{summed(size, 0, count)} : std::nullopt),
        "reduce");
    std::vector<int> all;
    for (int rank = 0; rank < size; ++rank) {
      const auto theirs = values_of(rank, 0, count);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    job::check(world.allgather(view) == all, "allgather");
    job::check(world.igather(view, size - 1).wait() ==
                   (me == size - 1 ? std::optional{all} : std::nullopt),
               "igather");
  }
}

void filled(const communicator& world) {
  const int me = world.rank(), size = world.size();
  const auto ranks = static_cast<std::size_t>(size);
  for (const std::size_t rows :
       {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{300}}) {
    const std::size_t count = rows * 7;
    const int root = static_cast<int>(rows) % size;
    board one{rows, 7}, other{rows, 7}, all{rows * ranks, 7}, goal{rows * ranks, 7};
    std::vector<int> row(count);
    const auto v = one.view(), w = other.view(), a = all.view(), g = goal.view();
    const auto mine = [&](int turn) { return values_of(me, turn, count); };
    const auto everyones = [&](int turn) {
      std::vector<int> made;
      for (int rank = 0; rank < size; ++rank) {
        const auto theirs = values_of(rank, turn, count);
        made.insert(made.end(), theirs.begin(), theirs.end());
      }
      return made;
    };

    auto bcast = world.bcast_plan(peal::in_place(v), root);
    in_all_forms(
        {{"bcast in place", [&] { world.bcast(peal::in_place(v), root); }},
         {"ibcast in place", [&] { world.ibcast(peal::in_place(v), root).wait(); }},
         {"bcast_plan in place", [&] { bcast.start().wait(); }}},
        [&](int turn) { one.fill(mine(turn)); },
        [&](int turn) { return one.holds(values_of(root, turn, count)); });

    auto sum = world.allreduce_plan(v, peal::into(w));
    in_all_forms(
        {{"allreduce into", [&] { world.allreduce(v, peal::into(w)); }},
         {"iallreduce into", [&] { world.iallreduce(v, peal::into(w)).wait(); }},
         {"allreduce_plan into", [&] { sum.start().wait(); }}},
        [&](int turn) { one.fill(mine(turn)); },
        [&](int turn) { return other.holds(summed(size, turn, count)) && one.holds(mine(turn)); });
    auto from_row = world.reduce_plan(row, peal::into(w), root);
    in_all_forms(
        {{"reduce into", [&] { world.reduce(row, peal::into(w), root); }},
         {"ireduce into", [&] { world.ireduce(row, peal::into(w), root).wait(); }},
         {"reduce_plan into", [&] { from_row.start().wait(); }}},
        [&](int turn) {
          other.fill(mine(turn));
          const auto given = mine(turn);
          std::copy(given.begin(), given.end(), row.begin());
        },
        [&](int turn) { return other.holds(me == root ? summed(size, turn, count) : mine(turn)); });
    auto in_place = world.allreduce_plan(peal::in_place(v));
    in_all_forms(
        {{"allreduce in place", [&] { world.allreduce(peal::in_place(v)); }},
         {"iallreduce in place", [&] { world.iallreduce(peal::in_place(v)).wait(); }},
         {"allreduce_plan in place", [&] { in_place.start().wait(); }}},
        [&](int turn) { one.fill(mine(turn)); },
        [&](int turn) { return one.holds(summed(size, turn, count)); });

    const auto fill_all = [&](int turn) {
      one.fill(mine(turn));
      all.fill(everyones(turn));
      goal.fill(std::vector<int>(count * ranks, 3));
    };
    auto gather = world.gather_plan(v, peal::into(g), root);
    in_all_forms(
        {{"gather into", [&] { world.gather(v, peal::into(g), root); }},
         {"igather into", [&] { world.igather(v, peal::into(g), root).wait(); }},
         {"gather_plan into", [&] { gather.start().wait(); }}},
        fill_all, [&](int turn) {
          return goal.holds(me == root ? everyones(turn) : std::vector<int>(count * ranks, 3));
        });
    auto allgather = world.allgather_plan(v, peal::into(g));
    in_all_forms({{"allgather into", [&] { world.allgather(v, peal::into(g)); }},
                  {"iallgather into", [&] { world.iallgather(v, peal::into(g)).wait(); }},
                  {"allgather_plan into", [&] { allgather.start().wait(); }}},
                 fill_all, [&](int turn) { return goal.holds(everyones(turn)); });
    auto scatter = world.scatter_plan(a, peal::into(w), root);
    in_all_forms({{"scatter into", [&] { world.scatter(a, peal::into(w), root); }},
                  {"iscatter into", [&] { world.iscatter(a, peal::into(w), root).wait(); }},
                  {"scatter_plan into", [&] { scatter.start().wait(); }}},
                 fill_all, [&](int turn) { return other.holds(mine(turn)); });
    auto alltoall = world.alltoall_plan(a, peal::into(g));
    in_all_forms({{"alltoall into", [&] { world.alltoall(a, peal::into(g)); }},
                  {"ialltoall into", [&] { world.ialltoall(a, peal::into(g)).wait(); }},
                  {"alltoall_plan into", [&] { alltoall.start().wait(); }}},
                 fill_all, [&](int turn) {
                   std::vector<int> wanted;
                   for (std::size_t i = 0; i < ranks; ++i) {
                     const auto part = mine(turn);
                     wanted.insert(wanted.end(), part.begin(), part.end());
                   }
                   return goal.holds(wanted);
                 });
  }
  board small{1, 3}, large{2, 3};
  if (size > 1)
    job::throws(peal::errc::invalid_argument,
                [&] { world.allgather(large.view(), peal::into(small.view())); });
  job::throws(peal::errc::invalid_argument,
              [&] { world.allreduce(large.view(), peal::into(small.view())); });
  job::throws(peal::errc::invalid_root, [&] { world.bcast(peal::in_place(small.view()), size); });
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv, {job::part{"reads", reads}, job::part{"filled", filled}});
}
