#include "hang/hang_watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "hang/hang_report.hpp"

extern char** environ;

namespace peal::launcher {

bool stands_still(const job_snapshot& of, double seconds) {
  bool any = false;
  for (const shown_rank& each : of.ranks) {
    if (!each.ended.empty()) continue;
    if (!each.shows) return false;
    if (const shown_wait* const wait = each.wait()) {
      if (wait->seconds < seconds) return false;
      any = true;
      continue;
    }
    const bool at_a_bound =
        each.phase == state::phase::starting || each.phase == state::phase::ending;
    if (at_a_bound && each.phase_seconds >= seconds) any = any || each.phase_seconds >= seconds;
    else if (each.quiet.value_or(0) < seconds) return false;
  }
  return any;
}

hang_watch::clock::duration hang_watch::interval() const {
  return std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>{std::clamp(seconds_ / 4, 0.25, 5.0)});
}

void hang_watch::look(int ranks, const std::function<ends()>& ended) {
  const auto now = clock::now();
  if (!next_ || now < *next_) return;
  next_ = now + interval();
  if (pages_.ancestor() == 0) pages_ = rank_pages{::getpid()};
  const ends over = ended();
  if (pages_.size() + over.size() < static_cast<std::size_t>(ranks)) pages_.look();
  std::vector<job_snapshot> all = pages_.read();
  const auto found = std::ranges::max_element(all, {}, &job_snapshot::size);
  job_snapshot seen = found == all.end() ? job_snapshot{} : std::move(*found);
  for (const auto& [rank, how] : over) seen.at(rank).ended = how;
  if (any_) seen.compare(before_, std::chrono::duration<double>{now - looked_}.count());
  looked_ = now;
  any_ = true;
  before_ = std::move(seen);
  // A program that does not start peal, or not yet, is no reason to speak.
  if (before_.ranks.size() < static_cast<std::size_t>(ranks) || !stands_still(before_, seconds_))
    return;
  std::string state = state_of(before_);
  if (state == told_) return;
  told_ = std::move(state);
  start_report(seconds_, over);
}

/// Which waits they are, so that a new wait makes a new state.
std::string hang_watch::state_of(const job_snapshot& of) const {
  std::string made;
  for (const shown_rank& each : of.ranks) {
    made += fmt::format("{}:{}:{}", each.rank, each.ended, static_cast<unsigned>(each.phase));
    for (const shown_wait& wait : each.waits)
      made += fmt::format("/{}.{}", wait.thread, wait.began);
    if (each.waits.empty()) made += fmt::format("/{}", each.activity.collectives);
    made += '\n';
  }
  return made;
}

void hang_watch::report(const ends& ended) { start_report(0, ended); }

/// A child that nobody waits for: pealrun fetches it with others that its ranks leave behind.
void hang_watch::start_report(double seconds, const ends& ended) {
  report_order order{::getpid(), seconds, ended, {}};
  if (seconds > 0)
    for (const shown_rank& each : before_.ranks)
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
