// collective/direct/direct_context.hpp
// What the channels of all communicators of a lane work with.
//
// Layer    collective/direct: may include p2p/, transport/, memory/, progress/.
// Threads  under the engine's lock, but for what says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/settings.hpp"
#include "collective/direct/arena.hpp"
#include "p2p/messaging.hpp"
#include "progress/engine.hpp"
#include "topology/rank_groups.hpp"
#include "transport/node_access.hpp"

namespace peal::direct {

/// A call that waits for other ranks. Under the engine's lock.
class waiting_call {
 public:
  /// A rank of `among` without which the call cannot go on; -1: none.
  [[nodiscard]] virtual int awaits() noexcept = 0;
  [[nodiscard]] virtual const team& among() const noexcept = 0;

 protected:
  ~waiting_call() = default;
};

struct direct_context {
  /// `access` null: no memory is shared, and nothing goes past messages. `cores`: that every node
  /// has for the job, alike on every rank; 0: not known. `run_at`: where each process of the job
  /// runs, by peer, alike on every rank of the node; empty: not known.
  direct_context(engine& with, messaging& over, node_access* access, int cores,
                 learn_mode learns = learn_mode::off, std::span<const rank_place> run_at = {})
      : progress{with},
        messages{over},
        node{access},
        learn{learns},
        places{run_at},
        several_numas{holds_several_numas(run_at)},
        oversubscribed{access != nullptr && cores > 0 && access->segment().count() > cores} {
    if (access != nullptr)
      blocks.emplace(access->segment(), access->blocks(), access->block_bytes());
  }

  /// The NUMA nodes of the ranks; empty where there is one only, or none is known.
  [[nodiscard]] std::vector<std::uint16_t> numas_of(const team& members) const {
    std::vector<std::uint16_t> made;
    if (several_numas)
      for (const peer_id each : members.peers()) made.push_back(places[each].numa);
    return made;
  }
  static bool holds_several_numas(std::span<const rank_place> run_at) noexcept {
    std::uint16_t found = rank_place::unknown;
    for (const rank_place& each : run_at) {
      if (each.numa == rank_place::unknown) continue;
      if (found != rank_place::unknown && found != each.numa) return true;
      found = each.numa;
    }
    return false;
  }

  void report(std::vector<counter>& into) const {
    into.push_back({"direct.calls", calls.load(std::memory_order_relaxed),
                    "collectives that went through flags in shared memory instead of messages"});
    into.push_back({"direct.reviews", reviews.load(std::memory_order_relaxed),
                    "times that the ranks of a communicator told each other what calls took"});
    into.push_back({"direct.changes", changes.load(std::memory_order_relaxed),
                    "times that another way turned out to be the fastest for a kind of calls"});
    into.push_back({"direct.blocks", blocks ? blocks->in_use() : 0,
                    "blocks of such flags that this process has given to communicators"});
  }

  engine& progress;
  messaging& messages;
  node_access* node;
  learn_mode learn;
  std::span<const rank_place> places;
  bool several_numas;                  // memory may lie near to some processes and far from others
  bool oversubscribed;                 // more ranks than cores, alike on all ranks of the node
  std::optional<arena> blocks;         // where there is `node`
  std::vector<waiting_call*> waiting;  // the calls under way that wait
  std::mutex publishing;               // what was learnt; may be taken with the engine's lock held
  // That went directly. Of two threads that count at a time one may be lost.
  std::atomic<std::uint64_t> calls{0}, reviews{0}, changes{0};
};

}  // namespace peal::direct
