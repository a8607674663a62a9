// launcher/pealrun/hang/stillness.hpp
// Notices by one snapshot after the other that a job stands still.
//
// A job stands still when a rank has waited in peal for that long, and no other rank has come
// further meanwhile: each of them waits as long, has ended, computes, or makes calls in vain. It is
// noticed once; again when a rank has come further and all stand still anew.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   none.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "shown/snapshot.hpp"

namespace peal::launcher {

/// Whether the job stands still by what its ranks show, each of which says for how long it has been
/// quiet.
[[nodiscard]] bool stands_still(const job_snapshot&, double seconds);

class stillness {
 public:
  explicit stillness(double seconds) : seconds_{seconds} {}

  /// Whether the job, of so many ranks, stands still in a state that was not noticed before. `seen`
  /// is how it is now, with ranks that have ended.
  [[nodiscard]] bool notices(job_snapshot seen, std::size_t ranks);
  /// What was seen last, with how long each rank has been quiet.
  [[nodiscard]] const job_snapshot& last() const noexcept { return before_; }

 private:
  using clock = std::chrono::steady_clock;

  double seconds_;
  clock::time_point looked_{};
  bool any_ = false;  // there is a snapshot before
  job_snapshot before_;
  std::string told_;  // the state that was noticed last
};

}  // namespace peal::launcher
