// collective/kernels/kernels.hpp
// The kernels of the builtin reductions, compiled once for each set of vector instructions.
//
// Layer    collective.
// Source   GCC manual, "Loop-Specific Pragmas" and "x86 Options".
#pragma once

#include "collective/kernels/reduction.hpp"

namespace peal::kernels {

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

}  // namespace peal::kernels
