#include "end/cause.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <tuple>

namespace peal::launcher {

namespace {

// Ends in the order of their places, but for two kinds. The kernel tells of an end last of all: a
// rank that it takes apart is noticed by others before, once its memory or its connections are
// gone, and they may be through with failing when its own end is told. SIGKILL is never the
// consequence of another rank's failure, since only a user, a scheduler or a kernel without memory
// sends it; and a rank that a signal ended, but not by way of abort(), and that was on its way out
// when another failed, was the first. The last ones are those that took their leave and failed
// afterwards: they may have been told that a fence was incomplete.
enum class kind { cause, by_place, after_farewell };

kind kind_of(const rank_end& end) {
  if (end.finalized && end.lost == 0) return kind::after_farewell;
  if (code_of(end.status) == 128 + SIGKILL && !end.aborted) return kind::cause;
  if (end.seen_dying && WIFSIGNALED(end.status) && WTERMSIG(end.status) != SIGABRT)
    return kind::cause;
  return kind::by_place;
}

// What has no place comes in the order in which the server lost the connections.
auto key(const rank_end& end) {
  constexpr int last = std::numeric_limits<int>::max();
  return std::tuple{kind_of(end), end.place > 0 ? end.place : last, end.lost > 0 ? end.lost : last};
}

}  // namespace

int code_of(int status) noexcept {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool settled(const rank_end& end, rank_end::clock::time_point now) noexcept {
  return end.failed() || !end.connected || end.finalized || end.lost != 0 ||
         now >= end.at + farewell_wait;
}

void sort_by_cause(std::vector<rank_end>& ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const rank_end& a, const rank_end& b) { return key(a) < key(b); });
}

}  // namespace peal::launcher
