// The line that says how far a benchmark is; see progress.hpp.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace bench {

namespace {

bool can_rewrite_lines() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && terminal != nullptr && *terminal != '\0' &&
         std::string_view{terminal} != "dumb";
}

}  // namespace

progress::progress(std::vector<std::string> steps, bool quiet)
    : steps_{std::move(steps)}, shown_{!quiet && can_rewrite_lines()} {}

// The cursor goes back to the beginning, so that an error message does not stand behind the line.
void progress::begin_step() {
  if (!shown_ || begun_ >= steps_.size()) return;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
  fmt::print("measuring {} ({} of {}), {} s so far\r", steps_[begun_], begun_ + 1, steps_.size(),
             seconds.count());
  ++begun_;
  std::fflush(stdout);
}

// \x1b[K: erases to the end of the line.
void progress::clear() const {
  if (shown_) fmt::print("\x1b[K");
}

}  // namespace bench
