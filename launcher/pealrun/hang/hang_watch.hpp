// launcher/pealrun/hang/hang_watch.hpp
// Notices that a job stands still, and has a report written.
//
// A job stands still when a rank has waited in peal for that long, and no other rank has come
// further meanwhile: each of them waits as long, has ended, computes, or makes calls in vain. It is
// reported once; again when a rank has come further and all stand still anew.
//
// Layer    launcher.
// Units    seconds.
// Threads  one, that of the job.
// Errors   none: a report that cannot be started is left out, and the job goes on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shown/rank_pages.hpp"
#include "shown/snapshot.hpp"

namespace peal::launcher {

/// Whether the job stands still by what its ranks show, each of which says for how long it has been
/// quiet.
[[nodiscard]] bool stands_still(const job_snapshot&, double seconds);

class hang_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// How the ranks have ended that have, by rank.
  using ends = std::map<int, std::string>;

  /// 0: only when asked for.
  explicit hang_watch(double seconds) : seconds_{seconds} {
    if (seconds_ > 0) next_ = clock::now() + interval();
  }

  /// When it wants to look; nothing: never.
  [[nodiscard]] std::optional<clock::time_point> next() const noexcept { return next_; }
  /// Looks, if it is time.
  void look(int ranks, const std::function<ends()>& ended);
  /// Somebody wants a report now.
  void report(const ends&);

 private:
  [[nodiscard]] clock::duration interval() const;
  [[nodiscard]] std::string state_of(const job_snapshot&) const;
  void start_report(double seconds, const ends&);

  double seconds_;
  std::optional<clock::time_point> next_;
  clock::time_point looked_{};
  rank_pages pages_{};
  bool any_ = false;  // there is a snapshot before
  job_snapshot before_;
  std::string told_;  // the state that was reported last
};

}  // namespace peal::launcher
