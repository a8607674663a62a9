#include "report/text.hpp"

#include <fmt/format.h>

#include <array>

namespace peal::launcher {

std::string three_digits(double value) {
  // What rounding lifts to the next power of ten has a digit less behind the point.
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string time_text(double seconds) {
  if (seconds <= 0) return "0 s";
  if (seconds >= 999.5) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " µs";
  return three_digits(seconds * 1e9) + " ns";
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string count_text(std::uint64_t count) {
  if (count < 1000) return fmt::format("{}", count);
  if (count < 1000000) return fmt::format("{},{:03}", count / 1000, count % 1000);
  constexpr std::array units{"M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e6;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string share_text(double share) { return three_digits(share * 100) + " %"; }

std::string length_class_text(std::size_t of) {
  if (of == 0) return "empty";
  const double least = static_cast<double>(std::uint64_t{1} << (of - 1));
  if (of == 1) return "1 B";
  return fmt::format("{} to {}", bytes_text(least), bytes_text(least * 2));
}

std::string escaped(std::string_view text) {
  std::string made;
  for (const char each : text) switch (each) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      default: made += each;
    }
  return made;
}

// In a page's script element "</" would end it.
std::string json_string(std::string_view text) {
  std::string made = "\"";
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') made += '\\';
    if (code < 0x20 || each == '<') made += fmt::format("\\u{:04x}", code);
    else made += each;
  }
  return made + '"';
}

}  // namespace peal::launcher
