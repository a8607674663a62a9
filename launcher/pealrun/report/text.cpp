#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::string round_time_text(double seconds) {
  std::string text = time_text(seconds);
  const std::size_t point = text.find('.'), space = text.find(' ');
  if (point == std::string::npos) return text;
  std::size_t last = space;
  while (text[last - 1] == '0') --last;
  if (text[last - 1] == '.') --last;
  return text.erase(last, space - last);
}

std::string share_text(double share) {
  if (share <= 0) return "0 %";
  if (share < 0.5e-4) return "< 0.01 %";
  return three_digits(share * 100) + " %";
}

std::string counted(std::uint64_t count, const std::string& what) {
  return count_text(count) + " " + what + (count == 1 ? "" : "s");
}

std::string length_class_text(std::size_t of) {
  if (of == 0) return "empty";
  const double least = static_cast<double>(std::uint64_t{1} << (of - 1));
  if (of == 1) return "1 B";
  return fmt::format("{} to {}", bytes_text(least), bytes_text(least * 2));
}

namespace {

/// Bytes of the character that the text begins with; 0: it begins with none. RFC 3629, which has
/// neither longer forms than need be, nor surrogates, nor numbers above 0x10ffff.
std::size_t character_at(std::string_view text) {
  const auto byte = [text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if (byte(k) >> 6 != 2) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

}  // namespace

std::string readable(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool controls = (first < 0x20 && first != '\t' && first != '\n') || first == 0x7f;
    if (length == 0 || controls) made += "\xef\xbf\xbd";
    else made += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return made;
}

std::string escaped(std::string_view text) {
  std::string made;
  for (const char each : readable(text)) switch (each) {
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
  for (const char each : readable(text)) {
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') made += '\\';
    if (code < 0x20 || each == '<') made += fmt::format("\\u{:04x}", code);
    else made += each;
  }
  return made + '"';
}

}  // namespace peal::launcher
