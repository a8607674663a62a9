// base/page.hpp
// The least unit in which the kernel maps memory, and sizes rounded to units.
//
// Layer    base.
#pragma once

#include <cstddef>

namespace peal {

/// Bytes. Where pages are larger, what is rounded to those is a multiple of this too.
inline constexpr std::size_t page = 4096;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace peal
