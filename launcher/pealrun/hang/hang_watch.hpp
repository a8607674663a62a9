// launcher/pealrun/hang/hang_watch.hpp
// Notices that a job stands still, and has a report written.
// stillness.hpp says when it does.
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

#include "hang/stillness.hpp"
#include "shown/rank_pages.hpp"

namespace peal::launcher {

class hang_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// How the ranks have ended that have, by rank.
  using ends = std::map<int, std::string>;

  /// 0: only when asked for.
  explicit hang_watch(double seconds) : seconds_{seconds}, stillness_{seconds} {
    if (seconds_ > 0) next_ = clock::now() + interval(seconds_);
  }

  /// Between two looks.
  [[nodiscard]] static clock::duration interval(double seconds);
  /// When it wants to look; nothing: never.
  [[nodiscard]] std::optional<clock::time_point> next() const noexcept { return next_; }
  /// Looks, if it is time.
  void look(int ranks, const std::function<ends()>& ended);
  /// Somebody wants a report now.
  void report(const ends&);

 private:
  void start_report(double seconds, const ends&);

  double seconds_;
  std::optional<clock::time_point> next_;
  rank_pages pages_{};
  stillness stillness_;
};

}  // namespace peal::launcher
