// comm/job.hpp
// This process's part of the job: everything below the API, put together in its order and taken apart again.
//
// A job is never destroyed: handles may outlive the environment, buffers of peal::allocate too, and all of it is one process's to lose.
//
// Layer    comm: may include everything below.
// Threads  start and end from one thread; `running` from any.
// Errors   start throws peal::error: already_started, invalid_config, bootstrap_failed, no_space, no_device, locked_memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "bootstrap/client.hpp"
#include "collective/collectives.hpp"
#include "comm/communicator_state.hpp"
#include "comm/postings.hpp"
#include "memory/node_heap.hpp"
#include "memory/node_segment.hpp"
#include "p2p/messaging.hpp"
#include "peal/detail/core.hpp"
#include "progress/engine.hpp"
#include "progress/fork_guard.hpp"
#include "progress/helper_thread.hpp"
#include "topology/crowd.hpp"
#include "transport/self/self_transport.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

class job final : private router, private progress_source {
 public:
  /// Throws errc::already_started when there is, or was, one.
  static job& start(const detail::job_options&, const detail::location&);
  /// Null before the start, after the end and in a forked child.
  static job* running() noexcept { return current_ != nullptr && current_->alive_ && !forked_child() ? current_ : nullptr; }
  /// The same where one thread at a time calls, so that there is no lock to take; null where threads were asked for, or a helper is at
  /// work. One load, for the shortest way of a message.
  static job* unlocked() noexcept { return unlocked_; }
  /// As `running`, or an errc::not_started that says which.
  static job& require(const detail::location& where) {
    if (job* found = running()) [[likely]]
      return *found;
    refuse(where);
  }

  /// The heap of the job that runs or ran; null where there was none.
  static node_heap* heap_ever() noexcept { return current_ != nullptr && current_->heap ? &*current_->heap : nullptr; }

  /// Collective: finishes what is under way and leaves. `at_once`: without that, for a job of one that an exception ends.
  void end(bool at_once) noexcept;
  /// Ends every rank.
  [[noreturn]] void abort(int code, const char* why) noexcept;

  [[nodiscard]] detail::communicator_state& world() noexcept { return *world_; }
  [[nodiscard]] int size() const noexcept { return bootstrap_.size(); }
  [[nodiscard]] bool on_this_node(peer_id peer) const noexcept { return on_node_[peer]; }
  /// A context, and the three after it, that no other process of the job gives out, and this one only once.
  [[nodiscard]] std::uint32_t new_context(const detail::location&);

  /// One operation more, or less, that the user holds on this communicator. With the lock held. The last of a released one frees it.
  void given(detail::communicator_state& on) noexcept { ++on.operations; }
  void given_back(detail::communicator_state& on) noexcept {
    if (--on.operations == 0 && on.released) free(on);
  }
  void release(detail::communicator_state&) noexcept;

  /// Posts messages that wait for company. With the lock held. Who waits need not: every poll does it.
  void flush() noexcept {
    if (verbs_ && verbs_->holds_messages()) verbs_->flush();
  }

  /// After a send that is over, with the lock held: an operation that finishes once the message is posted; null when it is.
  operation* posting() noexcept { return verbs_ && verbs_->holds_messages() ? &postings_->add() : nullptr; }

  /// What the transports have counted.
  [[nodiscard]] std::vector<counter> counted();

  config settings;
  engine progress;
  std::optional<node_heap> heap;  // only where there is a segment
  std::optional<messaging> messages;
  std::optional<collectives> together;

 private:
  job(config, const detail::job_options&, const detail::location&);
  void join_node();
  void set_waits();
  static void agree(std::vector<std::string>& told);
  void make_transports();
  void make_verbs();
  void start_helper();
  void failed(peer_id) noexcept;
  void leave_network() noexcept;
  void free(detail::communicator_state&) noexcept;
  void finish_messages() noexcept;
  void say_what_is_awaited() noexcept;
  transport& route(peer_id) noexcept override;
  bool poll() noexcept override;                 // news of failures
  bool arm() noexcept override { return true; }  // the news of a death rings
  [[noreturn]] static void refuse(const detail::location&);

  static job* current_;
  static job* unlocked_;

  bool alive_ = false;
  bool saw_failure_ = false;
  bool several_nodes_ = false;
  bootstrap_client bootstrap_;
  std::vector<peer_id> node_;  // the processes of this node, by local index
  std::vector<bool> on_node_;  // by peer
  std::optional<node_segment> segment_;
  std::optional<crowd> around_;
  std::optional<self_transport> self_;
  std::optional<shm_transport> shm_;
  std::optional<verbs_transport> verbs_;
  std::optional<postings> postings_;  // where there is verbs_
  std::uint32_t contexts_given_ = 0;
  std::optional<helper_thread> helper_;
  std::unique_ptr<detail::communicator_state> world_;
};

}  // namespace peal
