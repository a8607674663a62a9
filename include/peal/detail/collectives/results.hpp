// peal/detail/collectives/results.hpp
// What a collective returns: memory of its own that is filled, and what becomes of that.
//
// Each has make_room(bytes of the blocks that arrive), data(), take(), which gives the result away,
// and, where a plan may have it, view(), which shows it until the next start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/blocks.hpp>
#include <peal/data/buffer.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

using lengths = std::span<const std::uint64_t>;

inline std::size_t sum_of(lengths all) noexcept {
  std::size_t total = 0;
  for (const std::uint64_t each : all) total += each;
  return total;
}

/// Throws errc::decode_failed where a block is no whole number of elements.
inline void check_whole(lengths all, std::size_t element) {
  for (const std::uint64_t each : all)
    if (each % element != 0) wrong_size(each, element);
}

/// Nothing is received.
struct no_result {
  static constexpr bool lives_elsewhere = true;
  [[nodiscard]] static bool needs_spare_memory() noexcept { return false; }
  static void make_room(lengths) noexcept {}
  [[nodiscard]] static void* data() noexcept { return nullptr; }
  static void refresh(const location&) noexcept {}
  static void take(const location&) noexcept {}
  static void view() noexcept {}
};

/// One fixed value.
template <fixed T>
class value_result {
 public:
  value_result() noexcept {}
  value_result(value_result&&) noexcept {}  // it is moved only before it is filled
  static void make_room(lengths) noexcept {}
  [[nodiscard]] void* data() noexcept { return memory_; }
  static void refresh(const location&) noexcept {}
  [[nodiscard]] T take(const location&) const { return view(); }
  [[nodiscard]] T view() const { return *std::launder(reinterpret_cast<const T*>(memory_)); }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

/// A vector of elements; vector<bool> has no memory of its own to be filled.
template <fixed T>
class elements_result {
  static constexpr bool is_bool = std::is_same_v<T, bool>;
  struct bools {
    explicit bools(std::size_t count = 0)
        : values{count == 0 ? nullptr : new bool[count]()}, size{count} {}
    array_owner<bool> values;
    std::size_t size;
  };

 public:
  void make_room(lengths blocks) {
    check_whole(blocks, sizeof(T));
    make_room(sum_of(blocks));
  }
  void make_room(std::size_t bytes) {
    if constexpr (is_bool) values_ = bools{bytes};
    else values_.resize(bytes / sizeof(T));
  }
  [[nodiscard]] void* data() noexcept {
    if constexpr (is_bool) return values_.values.get();
    else return values_.data();
  }
  static void refresh(const location&) noexcept {}
  [[nodiscard]] std::vector<T> take(const location&) {
    if constexpr (is_bool)
      return std::vector<bool>(values_.values.get(), values_.values.get() + values_.size);
    else return std::move(values_);
  }
  [[nodiscard]] std::span<const T> view() const noexcept {
    if constexpr (is_bool) return {values_.values.get(), values_.size};
    else return values_;
  }

 private:
  std::conditional_t<is_bool, bools, std::vector<T>> values_;
};

/// A block of elements for each rank.
template <fixed T>
class blocks_result {
 public:
  void make_room(lengths each) {
    check_whole(each, sizeof(T));
    values_.resize(sum_of(each) / sizeof(T));
    std::size_t end = 0;
    ends_.clear();
    for (const std::uint64_t bytes : each) ends_.push_back(end += bytes / sizeof(T));
    views_.clear();
    for (std::size_t begin = 0; const std::size_t until : ends_) {
      views_.emplace_back(values_.data() + begin, until - begin);
      begin = until;
    }
  }
  [[nodiscard]] void* data() noexcept { return values_.data(); }
  static void refresh(const location&) noexcept {}
  [[nodiscard]] blocks<T> take(const location&) { return {std::move(values_), std::move(ends_)}; }
  [[nodiscard]] std::span<const std::span<const T>> view() const noexcept { return views_; }

 private:
  std::vector<T> values_;
  std::vector<std::size_t> ends_;
  std::vector<std::span<const T>> views_;
};

/// Blocks that are decoded when all are there.
class raw_blocks {
 public:
  void make_room(lengths each) {
    each_.assign(each.begin(), each.end());
    raw_ = raw_memory{sum_of(each)};
  }
  [[nodiscard]] void* data() noexcept { return raw_.data(); }
  static void refresh(const location&) noexcept {}

 protected:
  std::vector<std::uint64_t> each_;
  raw_memory raw_;
};

/// A vector with a value of each block.
template <receivable T>
class values_result : public raw_blocks {
 public:
  [[nodiscard]] std::vector<T> take(const location&) {
    std::vector<T> all;
    all.reserve(each_.size());
    auto rest = raw_.view();
    for (const std::uint64_t bytes : each_) {
      // Only a block that comes from no rank (proc_null) has no bytes at all: an encoded value has
      // some.
      if constexpr (std::default_initializable<T>)
        all.push_back(bytes == 0 ? T{} : incoming<T>::template decode<T>(rest.first(bytes)));
      else all.push_back(incoming<T>::template decode<T>(rest.first(bytes)));
      rest = rest.subspan(bytes);
    }
    return all;
  }
};

/// A vector of what all blocks hold together.
template <receivable T>
class joined_result : public raw_blocks {
 public:
  [[nodiscard]] std::vector<T> take(const location&) {
    std::vector<T> all;
    auto rest = raw_.view();
    for (const std::uint64_t bytes : each_) {
      if (bytes == 0) continue;  // from proc_null
      std::vector<T> values =
          incoming<std::vector<T>>::template decode<std::vector<T>>(rest.first(bytes));
      all.insert(all.end(), std::make_move_iterator(values.begin()),
                 std::make_move_iterator(values.end()));
      rest = rest.subspan(bytes);
    }
    return all;
  }
};

/// A vector of elements: as they are, or decoded.
template <class T>
consteval auto vector_result_type() {
  if constexpr (fixed<T>) return std::type_identity<elements_result<T>>{};
  else return std::type_identity<joined_result<T>>{};
}
template <class T>
using vector_result = typename decltype(vector_result_type<T>())::type;
/// A block of elements for each rank: as they are, or a vector of vectors.
template <class T>
consteval auto every_block_result_type() {
  if constexpr (fixed<T>) return std::type_identity<blocks_result<T>>{};
  else return std::type_identity<values_result<std::vector<T>>>{};
}
template <class T>
using every_block_result = typename decltype(every_block_result_type<T>())::type;

/// What the first `last` blocks make together.
template <receivable T, class Op>
class folded_result : public raw_blocks {
 public:
  folded_result(std::size_t last, Op op) : last_{last}, op_{std::move(op)} {}
  [[nodiscard]] T take(const location&) {
    std::optional<T> all;
    auto rest = raw_.view();
    for (std::size_t i = 0; i < last_; ++i) {
      T next = incoming<T>::template decode<T>(rest.first(each_[i]));
      rest = rest.subspan(each_[i]);
      if (!all) {
        all.emplace(std::move(next));
      } else {
        T made = static_cast<T>(detail::invoke(op_, std::as_const(*all), std::as_const(next)));
        all.emplace(std::move(made));
      }
    }
    return std::move(*all);
  }

 private:
  std::size_t last_;
  Op op_;
};

/// What Out gives; nothing on a rank that receives nothing.
template <class Out>
class maybe_result : public Out {
 public:
  template <class... Args>
  explicit maybe_result(bool there, Args&&... args)
      : Out{std::forward<Args>(args)...}, there_{there} {}
  auto take(const location& where) {
    using result = std::optional<decltype(Out::take(where))>;
    return there_ ? result{Out::take(where)} : result{};
  }
  auto view()
    requires requires(Out& of) { of.view(); }
  {
    using result = std::optional<decltype(Out::view())>;
    return there_ ? result{Out::view()} : result{};
  }

 private:
  bool there_;
};

}  // namespace peal::detail
