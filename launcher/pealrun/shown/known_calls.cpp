#include "shown/known_calls.hpp"

#include <vector>

#include "shown/call_sites.hpp"

namespace peal::launcher {

void known_calls::fill(job_snapshot& in) {
  std::vector<shown_rank> unknown;
  for (shown_rank& rank : in.ranks)
    for (shown_wait& wait : rank.waits)
      if (const auto known = all_.find({rank.pid, wait.began}); known != all_.end()) {
        wait.call = known->second.call;
        wait.place = known->second.place;
        wait.stack = known->second.stack;
      } else {
        unknown.emplace_back().pid = rank.pid;
        unknown.back().waits = {wait};
      }
  if (unknown.empty()) return;
  resolve_calls(unknown);
  for (const shown_rank& each : unknown)
    all_[{each.pid, each.waits.front().began}] = each.waits.front();
  fill(in);
}

}  // namespace peal::launcher
