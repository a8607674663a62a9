// tests/unit/launcher/hang/modelled_job.hpp
// Snapshots of jobs that tests make up.
//
// Layer    tests.
// Errors   none.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "hang/analysis.hpp"
#include "shown/snapshot.hpp"

namespace peal::launcher {

/// Each rank is in the world and has begun so many collectives there; all are quiet for 40 s.
inline job_snapshot modelled_job(const std::vector<unsigned>& collectives) {
  job_snapshot made;
  made.job = "modelled";
  made.size = static_cast<int>(collectives.size());
  for (int rank = 0; rank != made.size; ++rank) {
    shown_rank& each = made.at(rank);
    each.shows = true;
    each.pid = 100 + rank;
    each.quiet = 40;
    each.communicators.push_back(
        {0, rank, made.size, collectives[static_cast<std::size_t>(rank)], ""});
  }
  return made;
}

inline shown_wait receive_from(int source, int tag, std::uint32_t context = 0) {
  shown_wait made;
  made.kind = state::wait_kind::receive;
  made.seconds = 31;
  made.peer = made.world = source;
  made.tag = tag;
  made.context = context;
  made.call = "recv";
  return made;
}

inline shown_wait send_to(int dest, int tag, std::uint64_t bytes) {
  shown_wait made = receive_from(dest, tag);
  made.kind = state::wait_kind::send;
  made.bytes = bytes;
  made.call = "send";
  return made;
}

inline shown_wait collective(const std::string& which, unsigned number, std::uint64_t bytes = 8,
                             int root = state::nobody, std::uint32_t context = 0) {
  shown_wait made;
  made.kind = state::wait_kind::collective;
  made.seconds = 31;
  made.collective = which;
  made.number = number;
  made.bytes = bytes;
  made.root = root;
  made.context = context;
  made.call = which;
  return made;
}

inline const finding* find(const diagnosis& in, finding_kind kind) {
  const auto found = std::ranges::find(in.findings, kind, &finding::kind);
  return found == in.findings.end() ? nullptr : &*found;
}

}  // namespace peal::launcher
