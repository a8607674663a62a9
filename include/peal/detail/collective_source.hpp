// peal/detail/collective_source.hpp
// What a rank gives to a collective, and where its results go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/blocks.hpp>
#include <peal/buffer.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

/// An argument of a blocking call: it lives long enough by itself.
template <class B>
class borrowed {
 public:
  using type = std::remove_reference_t<B>;
  explicit borrowed(B&& it) noexcept : it_{std::addressof(it)} {}
  [[nodiscard]] type& get() noexcept { return *it_; }

 private:
  type* it_;
};

/// An argument of a nonblocking call: rvalues that own their elements are kept, single values are copied, everything else is the caller's
/// to keep alive.
template <class B>
class kept {
 public:
  using type = std::remove_reference_t<B>;
  static constexpr bool copies =
      !std::is_lvalue_reference_v<B> || (fixed<type> && !contiguous<type&>) || std::ranges::view<std::remove_cv_t<type>>;
  explicit kept(B&& it) : it_{hold(std::forward<B>(it))} {}
  [[nodiscard]] const type& get() noexcept {
    if constexpr (copies) return it_;
    else return *it_;
  }

 private:
  static decltype(auto) hold(B&& it) {
    if constexpr (copies) return std::forward<B>(it);
    else return std::addressof(it);
  }
  std::conditional_t<copies, std::remove_const_t<type>, type*> it_;
};

/// The bytes of an argument that is only read.
template <class Holder>
class source {
 public:
  template <class B>
  explicit source(B&& it) : holder_{std::forward<B>(it)} {
    if constexpr (!sent_in_place<typename Holder::type>) packed_ = pack(holder_.get());
  }
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  [[nodiscard]] std::span<const std::byte> bytes() {
    if constexpr (sent_in_place<typename Holder::type>) return bytes_of(holder_.get());
    else return packed_;
  }
  [[nodiscard]] auto& get() noexcept { return holder_.get(); }

 private:
  Holder holder_;
  std::vector<std::byte> packed_;
};

/// Blocks of the user's, one after the other in memory.
template <range_of_blocks Range>
class joined_blocks {
 public:
  using element = std::ranges::range_value_t<std::ranges::range_reference_t<Range>>;

  explicit joined_blocks(const Range& from) {
    for (auto&& block : from) bytes_.push_back(std::ranges::size(block) * sizeof(element));
    std::size_t total = 0;
    for (const std::size_t each : bytes_) total += each;
    packed_ = raw_memory{total};
    std::byte* to = packed_.data();
    for (auto&& block : from) {
      const auto all = bytes_of(block);
      if (!all.empty()) std::memcpy(to, all.data(), all.size());
      to += all.size();
    }
  }
  [[nodiscard]] const std::byte* data() const noexcept { return packed_.data(); }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::size_t> bytes_;
  raw_memory packed_;
};

template <class T>
struct is_std_string : std::false_type {};
template <class Char, class Traits, class Allocator>
struct is_std_string<std::basic_string<Char, Traits, Allocator>> : std::true_type {};

/// A vector of results, filled as bytes; vector<bool> has none of its own.
template <fixed T>
class results {
  using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

 public:
  results() = default;
  explicit results(std::size_t count) : values_(count) {}
  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(values_.data()); }
  [[nodiscard]] std::vector<T> take() {
    if constexpr (std::is_same_v<T, bool>) return {values_.begin(), values_.end()};
    else return std::move(values_);
  }

 private:
  std::vector<stored> values_;
};

// ---- where blocks of lengths not known before go; each is told the lengths once, then filled, then taken
// ---------------------------------
/// As blocks<T>.
template <fixed T>
class into_blocks {
 public:
  using type = blocks<T>;
  std::byte* make_room(std::size_t bytes) {
    values_.resize((bytes + sizeof(T) - 1) / sizeof(T));
    return reinterpret_cast<std::byte*>(values_.data());
  }
  type take(const std::vector<std::uint64_t>& lengths) {
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (const std::uint64_t each : lengths) {
      if (each % sizeof(T) != 0) wrong_size(each, sizeof(T));
      ends.push_back(end += each / sizeof(T));
    }
    return {std::move(values_), std::move(ends)};
  }

 private:
  std::vector<T> values_;
};

/// As a vector of values, one a rank.
template <receivable T>
class into_values {
 public:
  using type = std::vector<T>;
  std::byte* make_room(std::size_t bytes) {
    raw_ = raw_memory{bytes};
    return raw_.data();
  }
  type take(const std::vector<std::uint64_t>& lengths) {
    type all;
    all.reserve(lengths.size());
    auto rest = raw_.view();
    for (const std::uint64_t each : lengths) {
      all.push_back(incoming<T>::template decode<T>(rest.first(each)));
      rest = rest.subspan(each);
    }
    return all;
  }

 private:
  raw_memory raw_;
};

/// As one value or one range: what a single rank gave.
template <receivable T>
class into_one {
 public:
  using type = T;
  std::byte* make_room(std::size_t bytes) { return static_cast<std::byte*>(incoming<T>::allocate(&value_, bytes)); }
  type take(const std::vector<std::uint64_t>& lengths) { return value_.take(lengths.front()); }

 private:
  incoming<T> value_;
};

}  // namespace peal::detail
