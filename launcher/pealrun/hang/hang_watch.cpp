#include "hang/hang_watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hang/hang_report.hpp"

extern char** environ;

namespace peal::launcher {

hang_watch::clock::duration hang_watch::interval(double seconds) {
  return std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>{std::clamp(seconds / 4, 0.25, 5.0)});
}

void hang_watch::look(int ranks, const std::function<ends()>& ended) {
  const auto now = clock::now();
  if (!next_ || now < *next_) return;
  next_ = now + interval(seconds_);
  if (pages_.ancestor() == 0) pages_ = rank_pages{::getpid()};
  const ends over = ended();
  if (pages_.size() + over.size() < static_cast<std::size_t>(ranks)) pages_.look();
  std::vector<job_snapshot> all = pages_.read();
  const auto found = std::ranges::max_element(all, {}, &job_snapshot::size);
  job_snapshot seen = found == all.end() ? job_snapshot{} : std::move(*found);
  for (const auto& [rank, how] : over) seen.at(rank).ended = how;
  if (stillness_.notices(std::move(seen), static_cast<std::size_t>(ranks)))
    start_report(seconds_, over);
}

void hang_watch::report(const ends& ended) { start_report(0, ended); }

/// A child that nobody waits for: pealrun fetches it with others that its ranks leave behind.
void hang_watch::start_report(double seconds, const ends& ended) {
  report_order order{::getpid(), seconds, ended, {}};
  if (seconds > 0)
    for (const shown_rank& each : stillness_.last().ranks)
      if (each.quiet) order.quiet[each.rank] = *each.quiet;
  const std::string text = order.text();
  const std::array<const char*, 4> words{"pealrun", hang_report_word, text.c_str(), nullptr};
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  // A group of its own: ^C is for the job.
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  (void)::posix_spawn(&child, "/proc/self/exe", nullptr, &how,
                      const_cast<char* const*>(words.data()), environ);
  posix_spawnattr_destroy(&how);
}

}  // namespace peal::launcher
