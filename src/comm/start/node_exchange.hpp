// comm/start/node_exchange.hpp
// How the processes of a node come to map the same segments: each process tells all others what it
// sees, and what else they must agree on.
//
// Layer    comm.
// Threads  one.
// Errors   throws errc::peer_failed, bootstrap_failed, and what node_segment throws.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "bootstrap/client.hpp"
#include "memory/node_segment.hpp"
#include "transport/contract.hpp"

namespace peal {

class node_exchange {
 public:
  /// `node`: the processes of this node, by local index. All must outlive this.
  node_exchange(bootstrap_client&, const job_settings&, const std::vector<peer_id>& node);

  /// Whether there are other processes to share a segment with.
  [[nodiscard]] bool shares() const noexcept { return node_.size() > 1; }
  /// Of a lane's segment. Requires: `shares`.
  [[nodiscard]] segment_plan plan_for(std::size_t lane) const;

  /// What ranks noted, by rank; nothing of ranks that died.
  using notes = std::vector<std::optional<std::string>>;
  /// Collective, over all nodes; a rank that is alone on its node has no segments. `heard` is
  /// called with the notes before anything is said of the segments, since what they tell may be why
  /// those differ. In the end the segments' names are taken away. False: where ranks can do
  /// without, some ranks do not see the segments of their node, and no rank is to use any.
  [[nodiscard]] bool agree_on(const std::vector<node_segment*>& segments, const std::string& note,
                              const std::function<void(const notes&)>& heard);

 private:
  [[nodiscard]] std::string told(const std::vector<node_segment*>&) const;
  [[nodiscard]] int first_unseen(const std::vector<std::string>& seen) const;

  bootstrap_client& bootstrap_;
  const job_settings& settings_;
  const std::vector<peer_id>& node_;
};

}  // namespace peal
