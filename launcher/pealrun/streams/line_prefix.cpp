#include "streams/line_prefix.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <iterator>

namespace peal::launcher {

namespace {

// Cyan, green, yellow, magenta, blue: those that can be read on a dark and on a bright ground, but
// for red, which stands for errors in most programs.
constexpr std::array colour_codes{36, 32, 33, 35, 34};

}  // namespace

void line_prefix::append_to(std::string& text, int rank, clock::time_point at, bool colours) {
  auto out = std::back_inserter(text);
  if (timestamp_) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(at);
    // Formatting a date takes a microsecond, so that it is done once a second only.
    if (const std::time_t second = clock::to_time_t(whole); second != second_) {
      std::tm local{};
      ::localtime_r(&second, &local);
      date_ = fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
      second_ = second;
    }
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(at - whole);
    fmt::format_to(out, "{}.{:03} ", date_, rest.count());
  }
  if (!tag_) return;
  if (colours)
    fmt::format_to(out, "\x1b[{}m[{}]\x1b[0m ",
                   colour_codes[static_cast<std::size_t>(rank) % colour_codes.size()], rank);
  else fmt::format_to(out, "[{}] ", rank);
}

}  // namespace peal::launcher
