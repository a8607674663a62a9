// launcher/info/units.hpp
// Sizes and times as people read them.
//
// Layer    launcher.
// Units    bytes; nanoseconds.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace peal::info {

inline std::string size_text(std::size_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

inline std::string time_text(double ns) {
  if (ns < 999.5) return fmt::format("{:.3g} ns", ns);
  if (ns < 999.5e3) return fmt::format("{:.3g} µs", ns / 1e3);
  return ns < 999.5e6 ? fmt::format("{:.3g} ms", ns / 1e6) : fmt::format("{:.3g} s", ns / 1e9);
}

/// fmt counts µ as two columns of width where it counts bytes; here by hand.
inline std::string right(const std::string& text, std::size_t width) {
  const auto columns = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  return std::string(columns < width ? width - columns : 0, ' ') + text;
}

}  // namespace peal::info
