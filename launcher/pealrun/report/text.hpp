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
std::string time_text(double seconds);        // 12.3 ms
std::string round_time_text(double seconds);  // 12 ms: without zeros at its end
std::string bytes_text(double bytes);         // 4.00 KiB; below 1024 exact
std::string count_text(std::uint64_t count);  // exact up to six digits, then 1.23 M
std::string share_text(double share);         // 12.3 %; 0 %, and < 0.01 % above that
/// 1 message, 2 messages.
std::string counted(std::uint64_t count, const std::string& what);
std::string length_class_text(std::size_t of);  // 4 KiB to 8 KiB
/// As UTF-8: bytes that are none are replaced by U+FFFD, as are characters that only control.
std::string readable(std::string_view text);
/// Readable, and with & < > " replaced.
std::string escaped(std::string_view text);
/// Readable, in quotes, as JSON has it.
std::string json_string(std::string_view text);

}  // namespace peal::launcher
