// collective/kernels/reduction.hpp
// Joins two vectors element by element: with a kernel for the builtin operations on scalars, else
// with the user's function.
//
// Layer    collective: may include base/.
// Units    bytes; whole elements.
// Threads  none of its own.
// Errors   throws what a user's function throws.
#pragma once

#include <cstddef>

#include "base/timing/copy_time.hpp"
#include "collective/kernels/kernels.hpp"
#include "peal/detail/core.hpp"

namespace peal {

class reduction {
 public:
  reduction() = default;
  /// Of a call that reduces.
  explicit reduction(const detail::collective_call& call) noexcept { set(call); }
  void set(const detail::collective_call&) noexcept;

  /// False: the operation has no meaning for the type.
  [[nodiscard]] bool valid() const noexcept { return kernel_ || user_.combine; }
  /// Whether there is a kernel, so that no user's function is called.
  [[nodiscard]] bool builtin() const noexcept { return kernel_ != nullptr; }
  /// As schedule::reduce demands: `into` is `lower`, or `higher`, or overlaps neither; when it is
  /// `lower`, `higher` may be overwritten.
  void apply(std::byte* lower, std::byte* higher, std::byte* into, std::size_t bytes) const {
    const copy_time noted{bytes};
    const std::size_t count = element_shift_ >= 0 ? bytes >> element_shift_ : bytes / element_;
    if (kernel_) kernel_(lower, higher, into, count);
    else call_user(lower, higher, into, bytes, count);
  }

  /// Whether it may be done piece by piece, the pieces ending at multiples of 4096 bytes, and
  /// throws nothing.
  [[nodiscard]] bool divisible() const noexcept {
    return kernel_ && element_shift_ >= 0 && element_ <= 4096;
  }
  /// The same as apply, past the caches of this core: for results so long that they would not stay
  /// there. Requires: divisible().
  void apply_past_caches(const std::byte* lower, const std::byte* higher, std::byte* into,
                         std::size_t bytes) const noexcept;
  void apply_piece(const std::byte* lower, const std::byte* higher, std::byte* into,
                   std::size_t bytes) const noexcept {
    const copy_time noted{bytes};
    kernel_(lower, higher, into, bytes >> element_shift_);
  }

 private:
  void call_user(std::byte* lower, std::byte* higher, std::byte* into, std::size_t bytes,
                 std::size_t count) const;

  kernel kernel_ = nullptr;
  std::size_t element_ = 1;
  int element_shift_ = 0;  // -1: no power of two
  detail::reduction user_;
};

}  // namespace peal
