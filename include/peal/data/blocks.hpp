// peal/data/blocks.hpp
// What several ranks gave, one after the other: a block a rank, each of its own length.
//
// Units    elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <peal/data/buffer.hpp>
#include <peal/data/datatype.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// A range of spans over one vector.
template <fixed T>
class blocks {
 public:
  blocks() = default;
  /// `ends[rank]` is where the block of the rank ends. Requires: ascending, the last is
  /// values.size().
  blocks(std::vector<T> values, std::vector<std::size_t> ends)
      : values_{std::move(values)}, ends_{std::move(ends)} {}

  /// How many blocks.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  /// Whether there is no block.
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  /// @{
  /// The block of a rank. Requires: rank < size().
  [[nodiscard]] std::span<T> operator[](std::size_t rank) noexcept {
    return {values_.data() + begin_of(rank), count(rank)};
  }
  [[nodiscard]] std::span<const T> operator[](std::size_t rank) const noexcept {
    return {values_.data() + begin_of(rank), count(rank)};
  }
  /// @}
  /// How many elements the block of a rank has. Requires: rank < size().
  [[nodiscard]] std::size_t count(std::size_t rank) const noexcept {
    return ends_[rank] - begin_of(rank);
  }
  /// @{
  /// Everything, in rank order.
  [[nodiscard]] const std::vector<T>& values() const& noexcept { return values_; }
  [[nodiscard]] std::vector<T> values() && noexcept { return std::move(values_); }
  /// @}

  /// Goes from block to block.
  class iterator {
   public:
    /// @{
    /// As std::forward_iterator asks.
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
    /// @}

   private:
    const blocks* in_ = nullptr;
    std::size_t at_ = 0;
  };
  /// @{
  /// Of the blocks, in rank order.
  [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {this, ends_.size()}; }
  /// @}

  /// @{
  /// For the library: the blocks lie in this memory, one behind the other.
  [[nodiscard]] const std::byte* lies_in() const noexcept {
    return reinterpret_cast<const std::byte*>(values_.data());
  }
  static constexpr bool consecutive = true;
  /// @}

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t rank) const noexcept {
    return rank == 0 ? 0 : ends_[rank - 1];
  }
  std::vector<T> values_;
  std::vector<std::size_t> ends_;
};

/// Blocks of a range that lives elsewhere. Made by blocks_of.
template <fixed T, bool Consecutive>
class blocks_view : public std::ranges::view_base {
 public:
  /// For blocks_of.
  blocks_view(std::span<const T> in, std::span<const std::size_t> counts,
              std::span<const std::size_t> displacements)
      : in_{in} {
    std::size_t next = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t begin = Consecutive ? next : displacements[i];
      // A block that leaves the range is cut to nothing of it here, and refused by the call, which
      // compares the counts.
      blocks_.push_back(begin <= in.size() && counts[i] <= in.size() - begin
                            ? in.subspan(begin, counts[i])
                            : std::span<const T>{});
      fits_ = fits_ && blocks_.back().size() == counts[i];
      next = begin + counts[i];
    }
    if constexpr (Consecutive) fits_ = fits_ && next == in.size();
  }
  /// How many blocks.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  /// Requires: block < size().
  [[nodiscard]] std::span<const T> operator[](std::size_t block) const noexcept {
    return blocks_[block];
  }
  /// @{
  /// Of the blocks, in order.
  [[nodiscard]] auto begin() const noexcept { return blocks_.begin(); }
  [[nodiscard]] auto end() const noexcept { return blocks_.end(); }
  /// @}

  /// @{
  /// For the library.
  [[nodiscard]] const std::byte* lies_in() const noexcept {
    return reinterpret_cast<const std::byte*>(in_.data());
  }
  [[nodiscard]] bool fits() const noexcept { return fits_; }
  static constexpr bool consecutive = Consecutive;
  /// @}

 private:
  std::span<const T> in_;
  std::vector<std::span<const T>> blocks_;
  bool fits_ = true;
};

/// @{
/// The range as blocks of so many elements, one behind the other, which add up to its length; or
/// with the places where they begin. The range must live on, and is not copied. A call with blocks
/// that leave the range, or do not add up to it, throws errc::invalid_argument.
template <class Range>
  requires(detail::contiguous<Range> && std::ranges::borrowed_range<Range>)
[[nodiscard]] auto blocks_of(Range&& range, std::span<const std::size_t> counts) {
  using element = std::ranges::range_value_t<Range>;
  return blocks_view<element, true>{
      {std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range))}, counts, {}};
}
template <class Range>
  requires(detail::contiguous<Range> && std::ranges::borrowed_range<Range>)
[[nodiscard]] auto blocks_of(Range&& range, std::span<const std::size_t> counts,
                             std::span<const std::size_t> displacements,
                             const std::source_location& where = std::source_location::current()) {
  using element = std::ranges::range_value_t<Range>;
  if (counts.size() != displacements.size())
    detail::fail(errc::invalid_argument, "blocks_of: there must be one displacement for each count",
                 -1, where);
  return blocks_view<element, false>{
      {std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range))},
      counts,
      displacements};
}
/// @}

/// A block a rank: a range of contiguous ranges of fixed values, such as vector<vector<int>> or
/// blocks<int>.
template <class Range>
concept range_of_blocks = std::ranges::forward_range<Range> && std::ranges::sized_range<Range> &&
                          detail::contiguous<std::ranges::range_reference_t<Range>>;

}  // namespace peal
