// launcher/pealrun/report/text.hpp
// Numbers and words as the report writes them: three digits and a unit; text that is safe in HTML.
//
// Layer    launcher.
// Units    seconds, bytes.
// Errors   none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace peal::launcher {

/// 1.23, 12.3, 123: three digits. Requires: not negative, below 1000.
std::string three_digits(double value);
std::string time_text(double seconds);          // 12.3 ms
std::string bytes_text(double bytes);           // 4.00 KiB; below 1024 exact
std::string count_text(std::uint64_t count);    // exact up to six digits, then 1.23 M
std::string share_text(double share);           // 12.3 %
std::string length_class_text(std::size_t of);  // 4 KiB to 8 KiB
/// With & < > " replaced.
std::string escaped(std::string_view text);
/// In quotes, as JSON has it.
std::string json_string(std::string_view text);

}  // namespace peal::launcher
