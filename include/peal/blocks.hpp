// peal/blocks.hpp
// What several ranks gave, one after the other: a block a rank, each of its own length.
//
// Units    elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <peal/buffer.hpp>
#include <peal/datatype.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// A range of spans over one vector.
template <fixed T>
class blocks {
 public:
  blocks() = default;
  /// `ends[rank]` is where the block of the rank ends. Requires: ascending, the last is values.size().
  blocks(std::vector<T> values, std::vector<std::size_t> ends) : values_{std::move(values)}, ends_{std::move(ends)} {}

  /// How many blocks.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] std::span<T> operator[](std::size_t rank) noexcept { return {values_.data() + begin_of(rank), count(rank)}; }
  [[nodiscard]] std::span<const T> operator[](std::size_t rank) const noexcept { return {values_.data() + begin_of(rank), count(rank)}; }
  [[nodiscard]] std::size_t count(std::size_t rank) const noexcept { return ends_[rank] - begin_of(rank); }
  /// Everything, in rank order.
  [[nodiscard]] const std::vector<T>& values() const& noexcept { return values_; }
  [[nodiscard]] std::vector<T> values() && noexcept { return std::move(values_); }

  class iterator {
   public:
    using value_type = std::span<const T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    iterator() = default;
    iterator(const blocks* in, std::size_t at) noexcept : in_{in}, at_{at} {}
    value_type operator*() const noexcept { return (*in_)[at_]; }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept { return {in_, at_++}; }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    const blocks* in_ = nullptr;
    std::size_t at_ = 0;
  };
  [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {this, ends_.size()}; }

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t rank) const noexcept { return rank == 0 ? 0 : ends_[rank - 1]; }
  std::vector<T> values_;
  std::vector<std::size_t> ends_;
};

/// A block a rank: a range of contiguous ranges of fixed values, such as vector<vector<int>> or blocks<int>.
template <class Range>
concept range_of_blocks =
    std::ranges::forward_range<Range> && std::ranges::sized_range<Range> && detail::contiguous<std::ranges::range_reference_t<Range>>;

}  // namespace peal
