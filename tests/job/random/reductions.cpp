// The collectives that reduce. A new one: a struct whose start<R> makes the call in each of its
// forms for a reduction R, and a line in the table. A new type or operation: an entry in a list.
#include <functional>

#include "turn.hpp"

namespace random_collectives {

namespace {

/// A type, and a function that makes the operation on it.
template <class T, auto Make>
struct reducing {
  using type = T;
  static auto operation() { return Make(); }
};

// Captures, so that the operation is more than its type.
constexpr auto composed = [] {
  return [mask = (std::uint64_t{1} << 60) - 1](const affine& first, const affine& second) {
    return affine{first.a * second.a & mask, (first.b * second.a + second.b) & mask};
  };
};
constexpr auto folded_triples = [] {
  return peal::op<peal::commute::yes>(
      [mask = std::uint32_t{0xffff'ff0f}](const triple& x, const triple& y) {
        return triple{x.a + y.a, std::max(x.b, y.b), (x.c ^ y.c) & mask};
      });
};
constexpr auto greater_short = [] {
  return peal::op<peal::commute::yes>([](short x, short y) { return std::max(x, y); });
};
constexpr auto sum = [] { return std::plus<>{}; };
constexpr auto product = [] { return std::multiplies<>{}; };

using few = list<reducing<int, sum>, reducing<double, sum>, reducing<long double, sum>,
                 reducing<triple, folded_triples>, reducing<affine, composed>>;
using many =
    list<reducing<int, sum>, reducing<float, sum>, reducing<double, [] { return peal::max; }>,
         reducing<std::int8_t, [] { return peal::min; }>,
         reducing<std::uint16_t, [] { return std::bit_xor<>{}; }>, reducing<std::int64_t, product>,
         reducing<std::uint64_t, [] { return std::bit_or<>{}; }>,
         reducing<unsigned, [] { return std::bit_and<>{}; }>,
         reducing<bool, [] { return peal::logical_xor; }>, reducing<long double, product>,
         reducing<std::complex<float>, sum>, reducing<std::complex<double>, product>,
         reducing<short, greater_short>, reducing<triple, folded_triples>,
         reducing<affine, composed>>;

/// Elements [first, first + count) of what the ranks below `upto` give, joined in rank order.
template <class R>
std::vector<typename R::type> folded(const turn& t, std::size_t upto, std::size_t first,
                                     std::size_t count) {
  using T = typename R::type;
  auto op = R::operation();
  std::vector<T> all;
  all.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) {
    T value = t.value<T>(0, i);
    for (std::size_t rank = 1; rank < upto; ++rank)
      value = static_cast<T>(op(value, t.value<T>(rank, i)));
    all.push_back(value);
  }
  return all;
}

template <class R>
typename R::type folded_first(const turn& t, std::size_t upto) {
  return folded<R>(t, upto, 0, 1).front();
}

struct reduce {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    const int root = t.root();
    const std::size_t count = t.count<T>();
    const auto expected =
        t.is_root() ? std::optional{folded<R>(t, t.ranks(), 0, count)} : std::nullopt;
    auto mine = t.given<T>(t.me(), count);
    switch (t.form(5)) {
      case 0: return t.now(t.in().reduce(mine, root, R::operation()), expected);
      case 1: return t.later(t.in().ireduce(std::move(mine), root, R::operation()), expected);
      case 2: {
        auto lent = t.keep(std::move(mine));
        auto under_way = t.in().ireduce(*lent, root, R::operation());
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      case 3: {
        auto into = t.room<T>(expected ? expected->size() : 0);
        t.in().reduce(mine, peal::into(into), root, R::operation());
        return t.now(into, expected.value_or(std::vector<T>{}));
      }
      default: {
        const T one = t.value<T>(t.me(), 0);
        return t.now(t.in().reduce(one, root, R::operation()),
                     t.is_root() ? std::optional{folded_first<R>(t, t.ranks())} : std::nullopt);
      }
    }
  }
};

struct allreduce {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    const std::size_t count = t.count<T>();
    const auto expected = folded<R>(t, t.ranks(), 0, count);
    auto mine = t.given<T>(t.me(), count);
    switch (t.form(8)) {
      case 0: return t.now(t.in().allreduce(mine, R::operation()), expected);
      case 1: return t.later(t.in().iallreduce(std::move(mine), R::operation()), expected);
      case 2: {
        auto lent = t.keep(std::move(mine));
        auto under_way = t.in().iallreduce(*lent, R::operation());
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      case 3: {
        auto into = t.room<T>(count);
        t.in().allreduce(mine, peal::into(into), R::operation());
        return t.now(into, expected);
      }
      case 4: t.in().allreduce(peal::in_place(mine), R::operation()); return t.now(mine, expected);
      case 5: {
        auto buffer = t.keep(std::move(mine));
        auto under_way = t.in().iallreduce(peal::in_place(*buffer), R::operation());
        return t.later_in(std::move(under_way), std::move(buffer), expected);
      }
      case 6:
        return t.later(t.in().iallreduce(t.value<T>(t.me(), 0), R::operation()),
                       folded_first<R>(t, t.ranks()));
      default:
        return t.now(t.in().allreduce(t.value<T>(t.me(), 0), R::operation()),
                     folded_first<R>(t, t.ranks()));
    }
  }
};

struct reduce_scatter_block {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    const std::size_t count = t.count_each<T>();
    const auto expected = folded<R>(t, t.ranks(), t.me() * count, count);
    auto mine = t.given<T>(t.me(), count * t.ranks());
    switch (t.form(3)) {
      case 0: return t.now(t.in().reduce_scatter_block(mine, R::operation()), expected);
      case 1:
        return t.later(t.in().ireduce_scatter_block(std::move(mine), R::operation()), expected);
      default: {
        auto into = t.room<T>(count);
        t.in().reduce_scatter_block(mine, peal::into(into), R::operation());
        return t.now(into, expected);
      }
    }
  }
};

struct reduce_scatter {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    std::vector<std::vector<T>> parts(t.ranks());
    std::size_t at = 0, before = 0;
    for (std::size_t to = 0; to < t.ranks(); ++to) {
      if (to == t.me()) before = at;
      parts[to].resize(t.uneven<T>(0, to));
      for (auto& each : parts[to]) each = t.value<T>(t.me(), at++);
    }
    const auto expected = folded<R>(t, t.ranks(), before, parts[t.me()].size());
    if (t.form(2) == 0) return t.now(t.in().reduce_scatter(parts, R::operation()), expected);
    auto lent = t.keep(std::move(parts));
    auto under_way = t.in().ireduce_scatter(*lent, R::operation());
    return t.later(std::move(under_way), expected, std::move(lent));
  }
};

struct scan {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    const std::size_t count = t.count<T>();
    const auto expected = folded<R>(t, t.me() + 1, 0, count);
    auto mine = t.given<T>(t.me(), count);
    switch (t.form(5)) {
      case 0: return t.now(t.in().scan(mine, R::operation()), expected);
      case 1: return t.later(t.in().iscan(std::move(mine), R::operation()), expected);
      case 2: t.in().scan(peal::in_place(mine), R::operation()); return t.now(mine, expected);
      case 3: {
        auto buffer = t.keep(std::move(mine));
        auto under_way = t.in().iscan(peal::in_place(*buffer), R::operation());
        return t.later_in(std::move(under_way), std::move(buffer), expected);
      }
      default:
        return t.now(t.in().scan(t.value<T>(t.me(), 0), R::operation()),
                     folded_first<R>(t, t.me() + 1));
    }
  }
};

struct exscan {
  template <class R>
  static started start(turn& t) {
    using T = typename R::type;
    const std::size_t count = t.count<T>();
    const bool first = t.rank() == 0;
    auto mine = t.given<T>(t.me(), count);
    // In place the first keeps its own.
    const auto expected = folded<R>(t, first ? 1 : t.me(), 0, count);
    const auto compare = [t, first, expected](const std::optional<std::vector<T>>& found) {
      if (found.has_value() == first) t.fail(first ? "rank 0 got something" : "nothing came");
      if (found) t.same(*found, expected);
    };
    switch (t.form(4)) {
      case 0: compare(t.in().exscan(mine, R::operation())); return nullptr;
      case 1: return t.later_checked(t.in().iexscan(std::move(mine), R::operation()), compare);
      case 2: t.in().exscan(peal::in_place(mine), R::operation()); return t.now(mine, expected);
      default: {
        auto buffer = t.keep(std::move(mine));
        auto under_way = t.in().iexscan(peal::in_place(*buffer), R::operation());
        return t.later_in(std::move(under_way), std::move(buffer), expected);
      }
    }
  }
};

constexpr kind table[] = {
    {"reduce", with<reduce, few>},
    {"allreduce", with<allreduce, many>},
    {"reduce_scatter_block", with<reduce_scatter_block, few>},
    {"reduce_scatter", with<reduce_scatter, few>},
    {"scan", with<scan, few>},
    {"exscan", with<exscan, few>},
};

}  // namespace

std::span<const kind> reductions() { return table; }

}  // namespace random_collectives
