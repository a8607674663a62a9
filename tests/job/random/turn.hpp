// What the programs of random collectives are made of: a step, which all ranks draw alike; a rank's
// turn in it, which knows what every rank gives and so what this one must get; and collectives
// under way.
//
// Data are a function of the step's key, the rank that gives them, and the place. So each rank
// computes for itself, one after the other, what the collective computes together.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "../support.hpp"
#include "block.hpp"

namespace random_collectives {

/// A collective of the sequence. What is drawn of root, form and type is any number: each
/// collective takes it modulo how many it has.
struct step {
  std::size_t number = 0;
  std::uint64_t key = 0;
  std::size_t bytes = 0;
  std::uint64_t root = 0, form = 0, type = 0;
};

/// When a rank came to a barrier, and when it left.
struct stamps {
  std::uint64_t came = 0, left = 0;
};

/// One of the communicators of the sequence, as this rank has it: perhaps not at all.
struct group {
  std::optional<peal::communicator> in;
  // another one in each part of a split, so that nothing of one part is right in another
  std::uint64_t key = 0;
  std::vector<stamps> barriers;
};

/// A collective that was started. Destroyed after `finish`.
class pending {
 public:
  virtual ~pending() = default;
  /// Waits, and checks what came.
  virtual void finish() = 0;
};
/// Null: it is over, and what came was right.
using started = std::unique_ptr<pending>;

template <class Finish>
class pending_with final : public pending {
 public:
  explicit pending_with(Finish finish) : finish_{std::move(finish)} {}
  void finish() override { finish_(); }

 private:
  Finish finish_;
};

/// Of a user: neither a power of two long nor known to any kernel.
struct triple {
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const triple&, const triple&) = default;
};

/// Longer than what moves inline with an envelope.
struct record {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
  friend bool operator==(const record&, const record&) = default;
};

/// x -> a x + b: composing is associative and not commutative, so that the order of the ranks
/// shows.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(const affine&, const affine&) = default;
};

/// Signed and floating ones are so small and so seldom 0 that sums and products over 17 ranks are
/// exact and tell the ranks apart.
template <class T>
T made_of(std::uint64_t noise) {
  const auto small = [&noise](int most) {
    const int drawn = static_cast<int>(noise % static_cast<std::uint64_t>(2 * most + 1)) - most;
    noise >>= 8;
    return drawn == 0 ? most + 1 : drawn;
  };
  if constexpr (std::is_same_v<T, bool>) return (noise & 8) != 0;
  else if constexpr (std::is_same_v<T, triple>)
    return {static_cast<std::uint32_t>(noise), static_cast<std::uint32_t>(noise >> 16),
            static_cast<std::uint32_t>(noise >> 32)};
  else if constexpr (std::is_same_v<T, affine>) return {noise | 1, noise >> 7};
  else if constexpr (std::is_unsigned_v<T>) return static_cast<T>(noise);
  else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(small(5));
  else if constexpr (std::is_same_v<T, record>) {
    const auto one = static_cast<double>(noise >> 11), other = static_cast<double>(noise % 1000);
    return {one, other, one - other, -one, one / 3};
  } else {
    const auto real = static_cast<typename T::value_type>(small(2));
    return {real, static_cast<typename T::value_type>(small(2))};
  }
}

/// What this rank does in a step. Copies are cheap; the group and the random numbers must outlive
/// them.
class turn {
 public:
  turn(const step& drawn, const char* what, group& on, job::random& own)
      : drawn_{drawn},
        what_{what},
        on_{&on},
        own_{&own},
        rank_{on.in->rank()},
        size_{on.in->size()},
        key_{drawn.key ^ on.key} {}

  [[nodiscard]] const peal::communicator& in() const { return *on_->in; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int root() const {
    return static_cast<int>(drawn_.root % static_cast<std::uint64_t>(size_));
  }
  [[nodiscard]] bool is_root() const { return rank_ == root(); }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(size_); }
  [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] group& on() const { return *on_; }
  [[nodiscard]] std::uint64_t type() const { return drawn_.type; }
  /// Which of so many calls, the same on every rank.
  [[nodiscard]] std::size_t form(std::size_t calls) const {
    return static_cast<std::size_t>(drawn_.form % calls);
  }

  /// Elements of the vector, or of each of the ranks' parts of it.
  template <class T>
  [[nodiscard]] std::size_t count() const {
    return (drawn_.bytes + sizeof(T) - 1) / sizeof(T);
  }
  template <class T>
  [[nodiscard]] std::size_t count_each() const {
    const std::size_t bytes = drawn_.bytes > 2000 ? drawn_.bytes / ranks() : drawn_.bytes;
    return (bytes + sizeof(T) - 1) / sizeof(T);
  }
  /// Of what `from` gives to `to`: none, all of count_each, or something between.
  template <class T>
  [[nodiscard]] std::size_t uneven(std::size_t from, std::size_t to = 0) const {
    const std::uint64_t noise = noise_of(from, to + 1'000'000, 0);
    if (noise % 3 == 0) return 0;
    return noise % 3 == 1 ? count_each<T>()
                          : static_cast<std::size_t>(noise >> 8) % (count_each<T>() + 1);
  }

  // ---- data
  /// Element `i` of what `from` gives, to `to` where that differs.
  template <class T>
  [[nodiscard]] T value(std::size_t from, std::size_t i, std::size_t to = 0) const {
    return made_of<T>(noise_of(from, to, i));
  }
  /// Memory of some kind with what `from` gives.
  template <class T>
  [[nodiscard]] block<T> given(std::size_t from, std::size_t count, std::size_t to = 0) const {
    block<T> made{count, *own_};
    for (std::size_t i = 0; i < count; ++i) made[i] = value<T>(from, i, to);
    return made;
  }
  /// Memory of some kind with something else.
  template <class T>
  [[nodiscard]] block<T> room(std::size_t count) const {
    return block<T>{count, *own_};
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<T> keep(T value) const {
    return std::make_unique<T>(std::move(value));
  }
  /// Any number, which other ranks do not share.
  [[nodiscard]] std::size_t below(std::size_t limit) const { return own_->below(limit); }

  // ---- checks
  [[noreturn]] void fail(const std::string& why) const {
    job::fail("step " + std::to_string(drawn_.number) + ", " + what_ + ", form " +
              std::to_string(drawn_.form % 1000) + ", type " + std::to_string(drawn_.type % 1000) +
              ", rank " + std::to_string(rank_) + " of " + std::to_string(size_) + ", root " +
              std::to_string(root()) + ", " + std::to_string(drawn_.bytes) + " bytes: " + why);
  }
  template <class Found, class Expected>
  void same(const std::optional<Found>& found, const std::optional<Expected>& expected) const {
    if (found.has_value() != expected.has_value())
      fail(found ? "there is a result" : "there is no result");
    if (found) same(*found, *expected);
  }
  template <class Found, class Expected>
  void same(const Found& found, const Expected& expected) const {
    if constexpr (std::ranges::range<Expected>) {
      if (std::ranges::size(found) != std::ranges::size(expected))
        fail(std::to_string(std::ranges::size(found)) + " elements instead of " +
             std::to_string(std::ranges::size(expected)));
      auto should = std::ranges::begin(expected);
      std::size_t at = 0;
      for (const auto& each : found) {
        if (!(each == *should))
          fail("element " + std::to_string(at) + " is " + job::shown(each) + ", expected " +
               job::shown(*should));
        ++should;
        ++at;
      }
    } else if (!(found == expected)) {
      fail(job::shown(found) + ", expected " + job::shown(expected));
    }
  }
  /// Of a blocking call.
  template <class Found, class Expected>
  started now(const Found& found, const Expected& expected) const {
    same(found, expected);
    return nullptr;
  }
  /// Of a nonblocking one: its value; `kept` lives until it has ended.
  template <class T, class Expected, class... Kept>
  started later(peal::request<T> request, Expected expected, Kept... kept) const {
    return later_checked(
        std::move(request),
        [it = *this, expected = std::move(expected)](const T& found) { it.same(found, expected); },
        std::move(kept)...);
  }
  /// The same, when the result lies in `into`.
  template <class Into, class Expected, class... Kept>
  started later_in(peal::request<> request, std::unique_ptr<Into> into, Expected expected,
                   Kept... kept) const {
    const Into& result = *into;
    return later_checked(
        std::move(request),
        [it = *this, &result, expected = std::move(expected)] { it.same(result, expected); },
        std::move(into), std::move(kept)...);
  }
  /// check(value), or check() where there is none.
  template <class T, class Check, class... Kept>
  started later_checked(peal::request<T> request, Check check, Kept... kept) const {
    // What is kept goes last.
    auto finish = [... kept = std::move(kept), it = *this, check = std::move(check),
                   request = std::move(request)]() mutable {
      if constexpr (std::is_void_v<T>) {
        it.end(request);
        check();
      } else {
        check(it.end(request));
      }
    };
    return std::make_unique<pending_with<decltype(finish)>>(std::move(finish));
  }

 private:
  [[nodiscard]] std::uint64_t noise_of(std::size_t from, std::size_t to, std::size_t i) const {
    std::uint64_t z =
        key_ + from * 0x9e3779b97f4a7c15U + to * 0xd1b54a32d192ed03U + i * 0x2545f4914f6cdd1dU;
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9U;
    return z ^ (z >> 29);
  }

  /// Waits in one of several ways.
  template <class T>
  T end(peal::request<T>& request) const {
    const auto way = own_->below(3);
    for (int i = 0; way != 0 && i < 20; ++i) {
      if (way == 1) {
        if (request.ready()) break;
      } else if (auto done = request.test()) {
        if constexpr (std::is_void_v<T>) return;
        else return std::move(done->value);
      }
    }
    return request.wait();
  }

  step drawn_;
  const char* what_;
  group* on_;
  job::random* own_;
  int rank_, size_;
  std::uint64_t key_;
};

/// Types, or whatever else a collective is tried with.
template <class... Each>
struct list {};

namespace detail {
template <class Collective, class... Each>
started start_one(turn& t, list<Each...>) {
  started made;
  std::size_t at = 0;
  const std::size_t wanted = static_cast<std::size_t>(t.type() % sizeof...(Each));
  (void)((at++ == wanted && (made = Collective::template start<Each>(t), true)) || ...);
  return made;
}
}  // namespace detail

/// Collective::start<Each>(turn) with the type that was drawn.
template <class Collective, class List>
started with(turn& t) {
  return detail::start_one<Collective>(t, List{});
}

/// A line in the table.
struct kind {
  const char* name;
  started (*start)(turn&);
};

/// Defined in moves.cpp, reductions.cpp and buffers.cpp.
std::span<const kind> moves();
std::span<const kind> reductions();
std::span<const kind> in_buffers();

}  // namespace random_collectives
