// collective/kernels/kernels.hpp
// The kernels of the builtin reductions, compiled once for each set of vector instructions.
//
// Layer    collective.
// Source   GCC manual, "Loop-Specific Pragmas" and "x86 Options".
#pragma once

#include <cstddef>

#include "peal/detail/core.hpp"

namespace peal {

/// into[i] = lower[i] ∘ higher[i]. `into` may be `lower` or `higher` itself.
using kernel = void (*)(const void* lower, const void* higher, void* into, std::size_t count);

namespace kernels {

inline constexpr std::size_t scalars = static_cast<std::size_t>(detail::scalar::opaque);
inline constexpr std::size_t builtins = static_cast<std::size_t>(detail::builtin::bxor) + 1;

struct table {
  kernel of[scalars][builtins] = {};

  [[nodiscard]] kernel at(detail::scalar type, detail::builtin operation) const noexcept {
    return type == detail::scalar::opaque
               ? nullptr
               : of[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)];
  }
};

const table& baseline() noexcept;
const table& avx2() noexcept;    // x86 only
const table& avx512() noexcept;  // x86 only: F, BW, DQ, VL

/// The fastest that this processor runs.
const table& choose() noexcept;

}  // namespace kernels

/// The fastest kernel that this processor runs; null where the operation has no meaning for the
/// type. All kernels for one pair compute the same bits: they differ in how many elements they take
/// at once, never in how an element is computed. Inlined in small calls, which count instructions.
inline kernel find_kernel(detail::scalar type, detail::builtin operation) noexcept {
  static const kernels::table& best = kernels::choose();
  return best.at(type, operation);
}

}  // namespace peal
