// The collectives that move data and compute nothing. A new one: a struct whose start<T> makes the
// call in each of its forms, and a line in the table.
#include <chrono>
#include <string>

#include "turn.hpp"

namespace random_collectives {

namespace {

using elements = list<std::uint8_t, int, triple, record>;

template <class T>
using vectors = std::vector<std::vector<T>>;

template <class T>
std::vector<T> vector_of(const turn& t, std::size_t from, std::size_t count, std::size_t to = 0) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = t.value<T>(from, i, to);
  return made;
}

/// What all ranks give, one after the other.
template <class T>
std::vector<T> joined(const turn& t, std::size_t each) {
  std::vector<T> all;
  all.reserve(each * t.ranks());
  for (std::size_t from = 0; from < t.ranks(); ++from)
    for (std::size_t i = 0; i < each; ++i) all.push_back(t.value<T>(from, i));
  return all;
}

template <class T>
void same_blocks(const turn& t, const peal::blocks<T>& found, const vectors<T>& expected) {
  if (found.size() != expected.size())
    t.fail("blocks of " + std::to_string(found.size()) + " ranks");
  for (std::size_t rank = 0; rank < expected.size(); ++rank) t.same(found[rank], expected[rank]);
}

/// A later check of blocks.
template <class T, class... Kept>
started later_blocks(const turn& t, peal::request<peal::blocks<T>> request, vectors<T> expected,
                     Kept... kept) {
  return t.later_checked(
      std::move(request),
      [t, expected = std::move(expected)](const peal::blocks<T>& found) {
        same_blocks(t, found, expected);
      },
      std::move(kept)...);
}

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Who was where when is compared at the end of the scene.
started barrier(turn& t) {
  auto& all = t.on().barriers;
  const std::size_t mine = all.size();
  all.push_back({now(), 0});
  if (t.form(2) == 0) {
    t.in().barrier();
    all[mine].left = now();
    return nullptr;
  }
  return t.later_checked(t.in().ibarrier(), [&all, mine] { all[mine].left = now(); });
}

struct bcast {
  template <class T>
  static started start(turn& t) {
    const int root = t.root();
    const std::size_t count = t.count<T>(), from = static_cast<std::size_t>(root);
    const auto expected = vector_of<T>(t, from, count);
    switch (t.form(6)) {
      case 0: return t.now(t.in().bcast(t.is_root() ? expected : std::vector<T>{}, root), expected);
      case 1:
        return t.later(t.in().ibcast(t.is_root() ? expected : std::vector<T>(t.below(10)), root),
                       expected);
      case 2: {
        auto buffer = t.is_root() ? t.given<T>(from, count) : t.room<T>(count);
        t.in().bcast(peal::in_place(buffer), root);
        return t.now(buffer, expected);
      }
      case 3: {
        auto buffer = t.keep(t.is_root() ? t.given<T>(from, count) : t.room<T>(count));
        auto under_way = t.in().ibcast(peal::in_place(*buffer), root);
        return t.later_in(std::move(under_way), std::move(buffer), expected);
      }
      case 4: {
        const std::string text(count, static_cast<char>('a' + root));
        return t.later(t.in().ibcast(t.is_root() ? text : std::string{"none"}, root), text);
      }
      default: return t.now(t.in().bcast(t.value<T>(t.me(), 0), root), t.value<T>(from, 0));
    }
  }
};

struct gather {
  template <class T>
  static started start(turn& t) {
    const int root = t.root();
    const std::size_t count = t.count_each<T>();
    const auto expected = t.is_root() ? std::optional{joined<T>(t, count)} : std::nullopt;
    auto mine = t.given<T>(t.me(), count);
    switch (t.form(5)) {
      case 0: return t.now(t.in().gather(mine, root), expected);
      case 1: return t.later(t.in().igather(std::move(mine), root), expected);
      case 2: {
        auto lent = t.keep(std::move(mine));
        auto under_way = t.in().igather(*lent, root);
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      case 3: {
        auto into = t.room<T>(expected ? expected->size() : 0);
        t.in().gather(mine, peal::into(into), root);
        return t.now(into, expected.value_or(std::vector<T>{}));
      }
      default:
        return t.now(t.in().gather(t.value<T>(t.me(), 0), root),
                     t.is_root() ? std::optional{joined<T>(t, 1)} : std::nullopt);
    }
  }
};

struct gatherv {
  template <class T>
  static started start(turn& t) {
    const int root = t.root();
    vectors<T> expected(t.is_root() ? t.ranks() : 0);
    for (std::size_t from = 0; from < expected.size(); ++from)
      expected[from] = vector_of<T>(t, from, t.uneven<T>(from));
    auto mine = t.given<T>(t.me(), t.uneven<T>(t.me()));
    if (t.form(2) == 1) {
      const auto check = [t, expected =
                                 std::move(expected)](const std::optional<peal::blocks<T>>& found) {
        compare(t, found, expected);
      };
      return t.later_checked(t.in().igatherv(std::move(mine), root), check);
    }
    compare(t, t.in().gatherv(mine, root), expected);
    return nullptr;
  }

 private:
  template <class T>
  static void compare(const turn& t, const std::optional<peal::blocks<T>>& found,
                      const vectors<T>& expected) {
    t.same(found.has_value(), t.is_root());
    if (found) same_blocks(t, *found, expected);
  }
};

struct allgather {
  template <class T>
  static started start(turn& t) {
    const std::size_t count = t.count_each<T>();
    const auto expected = joined<T>(t, count);
    auto mine = t.given<T>(t.me(), count);
    switch (t.form(7)) {
      case 0: return t.now(t.in().allgather(mine), expected);
      case 1: return t.later(t.in().iallgather(std::move(mine)), expected);
      case 2: {
        auto lent = t.keep(std::move(mine));
        auto under_way = t.in().iallgather(*lent);
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      case 3: {
        auto into = t.room<T>(expected.size());
        t.in().allgather(mine, peal::into(into));
        return t.now(into, expected);
      }
      case 4: {
        auto lent = t.keep(std::move(mine));
        auto into = t.keep(t.room<T>(expected.size()));
        auto under_way = t.in().iallgather(*lent, peal::into(*into));
        return t.later_in(std::move(under_way), std::move(into), expected, std::move(lent));
      }
      case 5: {
        std::vector<std::string> texts;
        for (std::size_t from = 0; from < t.ranks(); ++from)
          texts.emplace_back(t.uneven<char>(from), static_cast<char>('a' + from));
        return t.later(t.in().iallgather(std::string{texts[t.me()]}), texts);
      }
      default: return t.now(t.in().allgather(t.value<T>(t.me(), 0)), joined<T>(t, 1));
    }
  }
};

struct allgatherv {
  template <class T>
  static started start(turn& t) {
    vectors<T> expected(t.ranks());
    for (std::size_t from = 0; from < t.ranks(); ++from)
      expected[from] = vector_of<T>(t, from, t.uneven<T>(from));
    auto mine = t.given<T>(t.me(), t.uneven<T>(t.me()));
    if (t.form(2) == 1)
      return later_blocks(t, t.in().iallgatherv(std::move(mine)), std::move(expected));
    same_blocks(t, t.in().allgatherv(mine), expected);
    return nullptr;
  }
};

struct scatter {
  template <class T>
  static started start(turn& t) {
    const int root = t.root();
    const std::size_t count = t.count_each<T>(), from = static_cast<std::size_t>(root);
    std::vector<T> expected;
    for (std::size_t i = 0; i < count; ++i)
      expected.push_back(t.value<T>(from, t.me() * count + i));
    auto all = t.given<T>(from, t.is_root() ? count * t.ranks() : t.below(3));
    switch (t.form(3)) {
      case 0: return t.now(t.in().scatter(all, root), expected);
      case 1: {
        auto lent = t.keep(std::move(all));
        auto under_way = t.in().iscatter(*lent, root);
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      default: {
        auto into = t.room<T>(count);
        t.in().scatter(all, peal::into(into), root);
        return t.now(into, expected);
      }
    }
  }
};

struct scatterv {
  template <class T>
  static started start(turn& t) {
    const int root = t.root();
    const auto from = static_cast<std::size_t>(root);
    vectors<T> parts(t.is_root() ? t.ranks() : 0);
    for (std::size_t to = 0; to < parts.size(); ++to)
      parts[to] = vector_of<T>(t, from, t.uneven<T>(from, to), to);
    const auto expected = vector_of<T>(t, from, t.uneven<T>(from, t.me()), t.me());
    if (t.form(2) == 0) return t.now(t.in().scatterv(parts, root), expected);
    auto lent = t.keep(std::move(parts));
    auto under_way = t.in().iscatterv(*lent, root);
    return t.later(std::move(under_way), expected, std::move(lent));
  }
};

struct alltoall {
  template <class T>
  static started start(turn& t) {
    const std::size_t count = t.count_each<T>();
    std::vector<T> expected;
    auto out = t.room<T>(count * t.ranks());
    for (std::size_t other = 0; other < t.ranks(); ++other)
      for (std::size_t i = 0; i < count; ++i) {
        expected.push_back(t.value<T>(other, i, t.me()));
        out[other * count + i] = t.value<T>(t.me(), i, other);
      }
    switch (t.form(4)) {
      case 0: return t.now(t.in().alltoall(out), expected);
      case 1: return t.later(t.in().ialltoall(std::move(out)), expected);
      case 2: {
        auto lent = t.keep(std::move(out));
        auto under_way = t.in().ialltoall(*lent);
        return t.later(std::move(under_way), expected, std::move(lent));
      }
      default: {
        auto into = t.room<T>(expected.size());
        t.in().alltoall(out, peal::into(into));
        return t.now(into, expected);
      }
    }
  }
};

struct alltoallv {
  template <class T>
  static started start(turn& t) {
    vectors<T> out(t.ranks()), expected(t.ranks());
    for (std::size_t other = 0; other < t.ranks(); ++other) {
      out[other] = vector_of<T>(t, t.me(), t.uneven<T>(t.me(), other), other);
      expected[other] = vector_of<T>(t, other, t.uneven<T>(other, t.me()), t.me());
    }
    if (t.form(2) == 0) {
      same_blocks(t, t.in().alltoallv(out), expected);
      return nullptr;
    }
    auto lent = t.keep(std::move(out));
    auto under_way = t.in().ialltoallv(*lent);
    return later_blocks(t, std::move(under_way), std::move(expected), std::move(lent));
  }
};

// No collective: messages on the same communicator, which must not be taken for one another.
struct messages {
  template <class T>
  static started start(turn& t) {
    const int right = (t.rank() + 1) % t.size();
    const std::size_t left = (t.me() + t.ranks() - 1) % t.ranks();
    auto sent = t.keep(t.in().isend(vector_of<T>(t, t.me(), t.uneven<T>(t.me())), right,
                                    peal::tag{static_cast<int>(t.form(100))}));
    auto expected = vector_of<T>(t, left, t.uneven<T>(left));
    return t.later_checked(
        t.in().irecv<std::vector<T>>(peal::any_source, peal::any_tag),
        [t, expected = std::move(expected), sent = std::move(sent)](const std::vector<T>& found) {
          t.same(found, expected);
          sent->wait();
        });
  }
};

constexpr kind table[] = {
    {"barrier", barrier},
    {"bcast", with<bcast, elements>},
    {"gather", with<gather, elements>},
    {"gatherv", with<gatherv, elements>},
    {"allgather", with<allgather, elements>},
    {"allgatherv", with<allgatherv, elements>},
    {"scatter", with<scatter, elements>},
    {"scatterv", with<scatterv, elements>},
    {"alltoall", with<alltoall, elements>},
    {"alltoallv", with<alltoallv, elements>},
    {"messages", with<messages, elements>},
};

}  // namespace

std::span<const kind> moves() { return table; }

}  // namespace random_collectives
