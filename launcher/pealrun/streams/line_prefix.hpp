// launcher/pealrun/streams/line_prefix.hpp
// What stands before a line of a rank: the time, the rank, or nothing.
//
// Layer    launcher.
// Threads  one.
// Errors   none.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace peal::launcher {

class line_prefix {
 public:
  using clock = std::chrono::system_clock;

  line_prefix(bool tag, bool timestamp) : tag_{tag}, timestamp_{timestamp} {}

  [[nodiscard]] bool any() const noexcept { return tag_ || timestamp_; }
  /// "2026-11-26 19:52:09.123 [3] ", in local time; `at` is when the line began.
  void append_to(std::string& text, int rank, clock::time_point at, bool colours);

 private:
  bool tag_, timestamp_;
  std::time_t second_ = -1;  // of `date_`
  std::string date_;
};

}  // namespace peal::launcher
