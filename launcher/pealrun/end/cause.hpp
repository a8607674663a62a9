// launcher/pealrun/end/cause.hpp
// Of several ranks that failed, which one was the cause: one rank's death makes others fail, and
// pealrun may see all of it at once.
//
// Layer    launcher.
// Threads  any.
// Errors   nothing throws.
#pragma once

#include <chrono>
#include <vector>

namespace peal::launcher {

/// What is known of a rank that has ended, or has aborted the job.
struct rank_end {
  using clock = std::chrono::steady_clock;

  int rank = -1;
  int place = 0;           // 1 for the first of all; 0: not known
  int status = 0;          // as wait's; of one that aborted and still runs 0
  bool connected = false;  // to the PMIx server
  bool finalized = false;  // took its leave of the server
  bool aborted = false;    // asked for the end of the job
  // 1 for the first connection that ended without a farewell, ...; 0 while the server has not seen
  // it
  int lost = 0;
  // It was on its way out already when another one's failure waited to be judged.
  bool seen_dying = false;
  clock::time_point at{};  // when pealrun noticed

  [[nodiscard]] bool failed() const noexcept { return aborted || status != 0; }
};

/// 0 to 255 as the rank ended, or 128 + signal.
[[nodiscard]] int code_of(int status) noexcept;

/// How long the farewell of a rank that exited with 0 is waited for: the system may tell of its end
/// before the server's thread ran.
inline constexpr std::chrono::seconds farewell_wait{5};
/// How long a failure is not judged while another rank is on its way out, whose death may be the
/// cause: freeing much memory takes long.
inline constexpr std::chrono::seconds dying_wait{2};

/// Whether all is known that the server will tell. A failure needs no more than its status: a child
/// that holds the rank's connection to the server open would keep it from being seen as lost.
[[nodiscard]] bool settled(const rank_end&, rank_end::clock::time_point now) noexcept;

/// The cause first, then what may have followed from it.
void sort_by_cause(std::vector<rank_end>&);

}  // namespace peal::launcher
