#include "base/log.hpp"

#include <unistd.h>

#include <atomic>

namespace peal {

namespace {
std::atomic<log_level> level{log_level::warning};
std::atomic<int> own_rank{-1};
}  // namespace

void set_log_level(log_level to) noexcept { level.store(to, std::memory_order_relaxed); }

void set_log_rank(int rank) noexcept { own_rank.store(rank, std::memory_order_relaxed); }

bool logs(log_level of) noexcept { return of <= level.load(std::memory_order_relaxed); }

void log_line(log_level of, std::string_view text) noexcept {
  fmt::memory_buffer line;
  const int rank = own_rank.load(std::memory_order_relaxed);
  if (rank >= 0)
    fmt::format_to(std::back_inserter(line), "peal rank {}: {}: {}\n", rank,
                   log_level_names[static_cast<std::size_t>(of)], text);
  else
    fmt::format_to(std::back_inserter(line), "peal: {}: {}\n",
                   log_level_names[static_cast<std::size_t>(of)], text);
  // One write, so that lines of several ranks do not mix. There is nowhere to report a failure of
  // this write.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace peal
