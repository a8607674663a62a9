// comm/calls/postings.hpp
// Nonblocking sends that the verbs transport has taken, but holds back so that they leave together
// with others. They finish once they are posted: so a rank that waits for one makes the progress
// that posts it, and nothing is held while the program computes.
//
// Layer    comm.
// Threads  under the engine's lock.
#pragma once

#include <vector>

#include "p2p/messaging.hpp"
#include "progress/engine.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

class postings final : public progress_source {
 public:
  /// After `messages`, so that one turn posts and finishes.
  postings(engine& progress, messaging& messages, const verbs_transport& verbs)
      : messages_{messages}, verbs_{verbs} {
    progress.add(*this);
  }

  /// An operation for a send that has just been handed over.
  operation& add() noexcept { return *waiting_.emplace_back(&messages_.make_operation()); }

  bool arm() noexcept override { return waiting_.empty(); }
  bool poll() noexcept override {
    if (waiting_.empty() || verbs_.holds_messages()) [[likely]]
      return false;
    finishing_.swap(waiting_);
    for (operation* each : finishing_) messages_.finish(*each);
    finishing_.clear();
    return true;
  }

 private:
  messaging& messages_;
  const verbs_transport& verbs_;
  std::vector<operation*> waiting_, finishing_;
};

}  // namespace peal
