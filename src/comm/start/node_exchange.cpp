#include "comm/start/node_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "transport/shm/shm_transport.hpp"

namespace peal {

namespace {

int node_of(const std::string& told) { return std::atoi(told.c_str()); }

/// What the first living rank of the same node has told.
const std::string& reference(const std::vector<std::string>& seen, const std::string& of) {
  return *std::ranges::find_if(
      seen, [&](const std::string& each) { return !each.empty() && node_of(each) == node_of(of); });
}

}  // namespace

node_exchange::node_exchange(bootstrap_client& bootstrap, const job_settings& settings,
                             const std::vector<peer_id>& node)
    : bootstrap_{bootstrap}, settings_{settings}, node_{node} {}

segment_plan node_exchange::plan_for(std::size_t lane) const {
  segment_plan plan;
  plan.directory = settings_.shm.dir;
  plan.job_name = bootstrap_.job_name();
  // What a launcher takes for several nodes may be one machine.
  if (static_cast<std::size_t>(bootstrap_.size()) > node_.size())
    plan.job_name += fmt::format(".n{}", node_.front());
  if (lane > 0) plan.job_name += fmt::format(".{}", lane);
  const auto& local = bootstrap_.local_ranks();
  plan.index = static_cast<int>(std::ranges::find(local, bootstrap_.rank()) - local.begin());
  plan.count = static_cast<int>(node_.size());
  plan.front_bytes = shm_transport::front_bytes();
  plan.slices = shm_transport::slices(plan.count);
  plan.transport_bytes = shm_transport::transport_bytes(plan.count);
  plan.heap_bytes = lane == 0 ? settings_.shm.heap : 0;
  plan.maker_died = [&from = bootstrap_, first = static_cast<int>(node_.front())] {
    return from.knows_of_death(first);
  };
  plan.maker_done = [&from = bootstrap_, first = static_cast<int>(node_.front()),
                     next = bootstrap_.exchanged()] { return from.has_come(first, next); };
  plan.readable_by_peers = settings_.shm.copy != shm_copy::pipeline;
  return plan;
}

/// The first rank of its node, and what it has seen.
std::string node_exchange::told(const std::vector<node_segment*>& segments) const {
  std::string text = fmt::format("{}:", node_.front());
  for (const node_segment* const each : segments) text += fmt::format("{},", each->nonce());
  return text;
}

/// The first rank, of any node, that sees other segments than the first rank of its node: every
/// rank finds the same one. -1: there is none.
int node_exchange::first_unseen(const std::vector<std::string>& seen) const {
  const bool some_died = bootstrap_.knows_of_death();
  const auto strange = [&](const std::string& each) {
    return each.empty() ? !some_died : each != reference(seen, each);
  };
  const auto found = std::ranges::find_if(seen, strange);
  return found == seen.end() ? -1 : static_cast<int>(found - seen.begin());
}

// Every process of a node must have mapped the same files: one of that name may be left from a job
// that was killed. Nothing comes from a rank that died meanwhile: the others go on, and what they
// send to it fails.
bool node_exchange::agree_on(const std::vector<node_segment*>& segments, const std::string& note,
                             const std::function<void(const notes&)>& heard) {
  std::vector<std::string> seen = bootstrap_.exchange(told(segments) + "|" + note);
  notes noted(seen.size());
  for (std::size_t each = 0; each < seen.size(); ++each) {
    const std::size_t end = seen[each].find('|');
    if (end == std::string::npos) continue;  // of a rank that died
    noted[each] = seen[each].substr(end + 1);
    seen[each].resize(end);
  }
  heard(noted);
  if (first_unseen(seen) >= 0) {
    const std::string& mine = seen[static_cast<std::size_t>(bootstrap_.rank())];
    if (!segments.empty() && mine != reference(seen, mine))
      for (node_segment* const each : segments) each->reopen();
    seen = bootstrap_.exchange(told(segments));
    if (const int rank = first_unseen(seen); rank >= 0 && bootstrap_.knows_of_death())
      throw error(
          errc::peer_failed,
          fmt::format(
              "a rank died while the job started, and rank {} did not come to meet the others",
              rank),
          rank);
    else if (rank >= 0 && settings_.transport == transport_mode::verbs) {
      log_info("rank {} does not share {} with the others of its node: there is no shared memory",
               rank, settings_.shm.dir);
      return false;
    } else if (rank >= 0)
      throw error(
          errc::bootstrap_failed,
          fmt::format("rank {} does not see what rank {} of the same node has made in its "
                      "PEAL_SHM_DIR, which is {} for this rank: "
                      "do they run in containers of their own? Share that folder, or set "
                      "PEAL_SHM_DIR to one that they share, "
                      "alike; or let everything go over RDMA (PEAL_TRANSPORT=verbs)",
                      rank, node_of(seen[static_cast<std::size_t>(rank)]), settings_.shm.dir));
  }
  for (node_segment* const each : segments) each->unlink();
  return true;
}

}  // namespace peal
