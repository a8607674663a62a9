// peal/data/view.hpp
// Memory of any element type and layout, without its type: for calls that take many pieces of
// memory which differ.
//
// Units    bytes, unless elements are said.
// Threads  values.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include <peal/data/buffer.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

namespace detail {

/// Runs of bytes at regular distances, the last axis running fastest.
class strided_memory {
 public:
  static constexpr std::size_t most_axes = 8;

  strided_memory() noexcept = default;  // of no bytes
  template <class B>
  explicit strided_memory(B& it) noexcept {
    using value = std::remove_cvref_t<B>;
    if constexpr (strided_view<B>) {
      static_assert(value::rank() <= most_axes, "a view of more dimensions than peal takes");
      run_ = sizeof(typename value::element_type);
      data_ = address_of(it.data_handle());
      for (std::size_t dimension = 0; dimension < value::rank(); ++dimension) {
        const auto extent = static_cast<std::size_t>(it.extent(dimension));
        if (extent == 0) run_ = 0;
        if (extent != 1)
          axes_[axes_used_++] = {
              extent, static_cast<std::ptrdiff_t>(it.stride(dimension)) *
                          static_cast<std::ptrdiff_t>(sizeof(typename value::element_type))};
      }
      if (run_ == 0) axes_used_ = 0;
      // What lies side by side is one run.
      while (axes_used_ != 0 && axes_[axes_used_ - 1].stride == static_cast<std::ptrdiff_t>(run_))
        run_ *= axes_[--axes_used_].extent;
    } else if constexpr (contiguous<B&>) {
      data_ = address_of(std::ranges::data(it));
      run_ =
          static_cast<std::size_t>(std::ranges::size(it)) * sizeof(std::ranges::range_value_t<B&>);
    } else {
      data_ = address_of(std::addressof(it));
      run_ = sizeof(value);
    }
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t all = run_;
    for (std::size_t axis = 0; axis < axes_used_; ++axis) all *= axes_[axis].extent;
    return all;
  }
  /// All of it lies side by side, from data() on.
  [[nodiscard]] bool packed() const noexcept { return axes_used_ == 0; }
  void copy_to(std::byte* to) const noexcept {
    visit([&](const std::byte* run) {
      std::memcpy(to, run, run_);
      to += run_;
    });
  }
  /// Requires: it may be written to.
  void copy_from(const std::byte* from) const noexcept {
    visit([&](std::byte* run) {
      std::memcpy(run, from, run_);
      from += run_;
    });
  }

 private:
  struct axis {
    std::size_t extent;
    std::ptrdiff_t stride;
  };

  template <class T>
  static std::byte* address_of(T* it) noexcept {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(it));
  }
  template <class Visitor>
  void visit(const Visitor& each, std::size_t from_axis = 0,
             std::ptrdiff_t offset = 0) const noexcept {
    if (from_axis == axes_used_) {
      if (run_ != 0) each(data_ + offset);
      return;
    }
    for (std::size_t i = 0; i < axes_[from_axis].extent; ++i, offset += axes_[from_axis].stride)
      visit(each, from_axis + 1, offset);
  }

  std::byte* data_ = nullptr;
  std::size_t run_ = 0;
  std::size_t axes_used_ = 0;
  std::array<axis, most_axes> axes_{};
};

}  // namespace detail

/// Memory that is read: a contiguous range of fixed values, a strided view, or one fixed value,
/// which lives on. Of no bytes by default.
class send_view {
 public:
  /// Of no bytes.
  send_view() noexcept : send_view{nothing()} {}
  /// Of the memory of `it`, which lives on.
  template <class B>
    requires(!std::same_as<std::remove_cvref_t<B>, send_view> &&
             (send_buffer<B> || fixed<std::remove_cvref_t<B>>) && lasting<B>)
  // itself is ruled out first: to ask whether a view is fixed asks whether it can be copied,
  // and so on
  send_view(B&& it) noexcept : memory_{it} {}

  /// How many bytes the memory holds.
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.bytes(); }
  /// For the library.
  [[nodiscard]] const detail::strided_memory& memory() const noexcept { return memory_; }

 private:
  static const std::array<std::byte, 0>& nothing() noexcept {
    static constexpr std::array<std::byte, 0> it{};
    return it;
  }
  detail::strided_memory memory_;
};

/// Memory that is filled: as send_view, and not const.
class recv_view {
 public:
  /// Of no bytes.
  recv_view() noexcept : recv_view{nothing()} {}
  /// Of the memory of `it`, which lives on.
  template <class B>
    requires(!std::same_as<std::remove_cvref_t<B>, recv_view> && recv_buffer<B> && lasting<B>)
  recv_view(B&& it) noexcept : memory_{it} {}

  /// How many bytes the memory holds.
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.bytes(); }
  /// For the library.
  [[nodiscard]] const detail::strided_memory& memory() const noexcept { return memory_; }

 private:
  static std::span<std::byte> nothing() noexcept { return {}; }
  detail::strided_memory memory_;
};

}  // namespace peal
