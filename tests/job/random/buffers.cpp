// Collectives in the caller's memory: in place, and nonblocking into other buffers.
#include <functional>

#include "turn.hpp"

namespace random_collectives {

namespace {

using T = int;

/// Elements [first, first + count) of the sum of what the ranks below `upto` give.
std::vector<T> summed(const turn& t, std::size_t upto, std::size_t first, std::size_t count) {
  std::vector<T> all(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t rank = 0; rank < upto; ++rank) all[i] += t.value<T>(rank, first + i);
  return all;
}

std::vector<T> as_vector(const block<T>& from) { return {from.begin(), from.end()}; }

started reduce(turn& t) {
  const std::size_t count = t.count<T>();
  auto mine = t.keep(t.given<T>(t.me(), count));
  // In place the others' stay as they are.
  const auto in_place = t.is_root() ? summed(t, t.ranks(), 0, count) : as_vector(*mine);
  switch (t.form(3)) {
    case 0: t.in().reduce(peal::in_place(*mine), t.root()); return t.now(*mine, in_place);
    case 1: {
      auto under_way = t.in().ireduce(peal::in_place(*mine), t.root());
      return t.later_in(std::move(under_way), std::move(mine), in_place);
    }
    default: {
      auto into = t.keep(t.room<T>(t.is_root() ? count : 0));
      auto under_way = t.in().ireduce(*mine, peal::into(*into), t.root());
      return t.later_in(std::move(under_way), std::move(into),
                        t.is_root() ? in_place : std::vector<T>{}, std::move(mine));
    }
  }
}

started scans(turn& t) {
  const std::size_t count = t.count<T>();
  auto mine = t.keep(t.given<T>(t.me(), count));
  auto into = t.keep(t.room<T>(count));
  const bool exclusive = t.form(4) >= 2;
  // Of exscan rank 0's memory stays as it is.
  const auto expected = exclusive && t.rank() == 0
                            ? as_vector(*into)
                            : summed(t, exclusive ? t.me() : t.me() + 1, 0, count);
  switch (t.form(4)) {
    case 0: t.in().scan(*mine, peal::into(*into)); return t.now(*into, expected);
    case 2: t.in().exscan(*mine, peal::into(*into)); return t.now(*into, expected);
    default: {
      auto under_way = exclusive ? t.in().iexscan(*mine, peal::into(*into))
                                 : t.in().iscan(*mine, peal::into(*into));
      return t.later_in(std::move(under_way), std::move(into), expected, std::move(mine));
    }
  }
}

started allreduce(turn& t) {
  const std::size_t count = t.count<T>();
  auto mine = t.keep(t.given<T>(t.me(), count)), into = t.keep(t.room<T>(count));
  auto under_way = t.in().iallreduce(*mine, peal::into(*into));
  return t.later_in(std::move(under_way), std::move(into), summed(t, t.ranks(), 0, count),
                    std::move(mine));
}

started reduce_scatter(turn& t) {
  const std::size_t count = t.count_each<T>();
  auto mine = t.keep(t.given<T>(t.me(), count * t.ranks()));
  const auto expected = summed(t, t.ranks(), t.me() * count, count);
  const auto beginning = [t, expected, &mine = *mine] {
    t.same(std::span{mine.data(), expected.size()}, expected);
  };
  switch (t.form(3)) {
    case 0:
      t.in().reduce_scatter_block(peal::in_place(*mine));
      beginning();
      return nullptr;
    case 1: {
      auto under_way = t.in().ireduce_scatter_block(peal::in_place(*mine));
      return t.later_checked(std::move(under_way), beginning, std::move(mine));
    }
    default: {
      auto into = t.keep(t.room<T>(count));
      auto under_way = t.in().ireduce_scatter_block(*mine, peal::into(*into));
      return t.later_in(std::move(under_way), std::move(into), expected, std::move(mine));
    }
  }
}

/// What all ranks give, one after the other, in a buffer of which only this rank's part is filled.
block<T> own_part(const turn& t, std::size_t each) {
  auto all = t.room<T>(each * t.ranks());
  for (std::size_t i = 0; i < each; ++i) all[t.me() * each + i] = t.value<T>(t.me(), i);
  return all;
}
std::vector<T> joined(const turn& t, std::size_t each) {
  std::vector<T> all;
  for (std::size_t from = 0; from < t.ranks(); ++from)
    for (std::size_t i = 0; i < each; ++i) all.push_back(t.value<T>(from, i));
  return all;
}

started gather(turn& t) {
  const std::size_t count = t.count_each<T>();
  auto buffer = t.keep(t.is_root() ? own_part(t, count) : t.given<T>(t.me(), count));
  const auto expected = t.is_root() ? joined(t, count) : as_vector(*buffer);
  switch (t.form(3)) {
    case 0: t.in().gather(peal::in_place(*buffer), t.root()); return t.now(*buffer, expected);
    case 1: {
      auto under_way = t.in().igather(peal::in_place(*buffer), t.root());
      return t.later_in(std::move(under_way), std::move(buffer), expected);
    }
    default: {
      auto mine = t.keep(t.given<T>(t.me(), count)),
           into = t.keep(t.room<T>(t.is_root() ? count * t.ranks() : 0));
      auto under_way = t.in().igather(*mine, peal::into(*into), t.root());
      return t.later_in(std::move(under_way), std::move(into),
                        t.is_root() ? expected : std::vector<T>{}, std::move(mine));
    }
  }
}

started allgather(turn& t) {
  const std::size_t count = t.count_each<T>();
  auto buffer = t.keep(own_part(t, count));
  if (t.form(2) == 0) {
    t.in().allgather(peal::in_place(*buffer));
    return t.now(*buffer, joined(t, count));
  }
  auto under_way = t.in().iallgather(peal::in_place(*buffer));
  return t.later_in(std::move(under_way), std::move(buffer), joined(t, count));
}

started alltoall(turn& t) {
  const std::size_t count = t.count_each<T>();
  auto buffer = t.keep(t.room<T>(count * t.ranks()));
  std::vector<T> expected;
  for (std::size_t other = 0; other < t.ranks(); ++other)
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back(t.value<T>(other, i, t.me()));
      (*buffer)[other * count + i] = t.value<T>(t.me(), i, other);
    }
  switch (t.form(3)) {
    case 0: t.in().alltoall(peal::in_place(*buffer)); return t.now(*buffer, expected);
    case 1: {
      auto under_way = t.in().ialltoall(peal::in_place(*buffer));
      return t.later_in(std::move(under_way), std::move(buffer), expected);
    }
    default: {
      auto into = t.keep(t.room<T>(expected.size()));
      auto under_way = t.in().ialltoall(*buffer, peal::into(*into));
      return t.later_in(std::move(under_way), std::move(into), expected, std::move(buffer));
    }
  }
}

constexpr kind table[] = {
    {"reduce in buffers", reduce},       {"scans in buffers", scans},
    {"allreduce in buffers", allreduce}, {"reduce_scatter in buffers", reduce_scatter},
    {"gather in buffers", gather},       {"allgather in buffers", allgather},
    {"alltoall in buffers", alltoall},
};

}  // namespace

std::span<const kind> in_buffers() { return table; }

}  // namespace random_collectives
