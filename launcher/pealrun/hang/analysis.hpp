// launcher/pealrun/hang/analysis.hpp
// Who waits for whom: from what all ranks show at a moment to what is wrong, in words.
//
// Layer    launcher.
// Threads  a pure function.
// Errors   none; what a rank does not show is not known.
#pragma once

#include <string>
#include <vector>

#include "shown/snapshot.hpp"

namespace peal::launcher {

enum class finding_kind {
  cycle,           // ranks that wait for each other
  missing,         // ranks that have not come to a collective
  mismatch,        // ranks that have called different collectives, or with other arguments
  unclaimed,       // a message lies at its receiver that does not match what that one waits for
  unmatched_send,  // a send whose message nobody takes
  held_up,         // ranks that wait for one that does not wait
  never_comes      // a rank waits for a message that no rank is about to send
};

struct finding {
  finding_kind kind = finding_kind::cycle;
  std::vector<int> guilty;  // ranks to look at
  std::string text;
};

/// Ranks that do the same.
struct rank_group {
  std::vector<int> ranks;
  std::string text;
};

struct diagnosis {
  std::vector<rank_group> groups;  // all ranks
  std::vector<finding> findings;   // the causes first
  std::vector<int> odd;            // whose stacks tell most, the most telling first
};

[[nodiscard]] diagnosis diagnose(const job_snapshot&);

/// Of a rank: those it waits for. `any`: one of them is enough.
struct awaited_ranks {
  std::vector<int> ranks;
  bool any = false;
};
[[nodiscard]] awaited_ranks awaited_by(const shown_rank&, const job_snapshot&);

}  // namespace peal::launcher
