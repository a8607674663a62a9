// comm/start/job.hpp
// This process's part of the job: everything below the API, put together in its order and taken
// apart again.
//
// A job is never destroyed: handles may outlive the environment, buffers of peal::allocate too, and
// all of it is one process's to lose.
//
// Layer    comm: may include everything below.
// Threads  start and end from one thread; `running` from any.
// Errors   start throws peal::error: already_started, invalid_config, bootstrap_failed, no_space,
//          no_device, locked_memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "bootstrap/client.hpp"
#include "comm/communicator_state.hpp"
#include "comm/start/fork_guard.hpp"
#include "comm/start/lane.hpp"
#include "memory/node_heap.hpp"
#include "memory/node_segment.hpp"
#include "peal/detail/core.hpp"
#include "progress/sleepers/helper_thread.hpp"
#include "state/rank_state.hpp"
#include "topology/core_sharing.hpp"
#include "topology/core_time.hpp"

namespace peal {

class job final {
 public:
  /// Throws errc::already_started when there is, or was, one.
  static job& start(const detail::job_options&, const detail::location&);
  /// Null before the start, after the end and in a forked child.
  static job* running() noexcept {
    return current_ != nullptr && current_->alive_ && !forked_child() ? current_ : nullptr;
  }
  /// The only lane, where one thread at a time calls, so that there is no lock to take; null where
  /// threads were asked for, or a helper is at work. One load, for the shortest way of a message.
  static lane* unlocked() noexcept { return unlocked_; }
  /// The same, but null where the run is recorded, too.
  static lane* shortest() noexcept { return shortest_; }
  /// The only lane, where one thread at a time calls and a helper is at work, so that the lock is
  /// the engine's `enter`; null otherwise.
  static lane* biased() noexcept { return biased_; }
  /// As `running`, or an errc::not_started that says which.
  static job& require(const detail::location& where) {
    if (job* found = running()) [[likely]]
      return *found;
    refuse(where);
  }
  /// The lane of a communicator, likewise.
  static lane& require_lane(const detail::communicator_state& on, const detail::location& where) {
    (void)require(where);
    return on.home;
  }

  /// The heap of the job that runs or ran; null where there was none.
  static node_heap* heap_ever() noexcept {
    return current_ != nullptr && current_->heap ? &*current_->heap : nullptr;
  }

  /// Collective: finishes what is under way and leaves. `at_once`: without that, for a job of one
  /// that an exception ends.
  void end(bool at_once) noexcept;
  /// Ends every rank.
  [[noreturn]] void abort(int code, const char* why) noexcept;

  [[nodiscard]] detail::communicator_state& world() noexcept { return *world_; }
  [[nodiscard]] int size() const noexcept { return bootstrap_.size(); }
  [[nodiscard]] std::optional<int> application() const noexcept { return bootstrap_.application(); }
  [[nodiscard]] bool on_this_node(peer_id peer) const noexcept { return common_.on_node[peer]; }
  /// Where a rank of this node may run.
  [[nodiscard]] rank_place place_of(peer_id peer) const noexcept {
    return peer < common_.places.size() ? common_.places[peer] : rank_place{};
  }
  [[nodiscard]] context_pool& contexts() noexcept { return common_.contexts; }
  /// Which every process finds alike.
  [[nodiscard]] std::size_t lane_count() const noexcept { return lanes_.size(); }
  [[nodiscard]] lane& lane_of(std::uint32_t context) noexcept;
  [[nodiscard]] lane& lane_of(const detail::operation&) noexcept;
  /// For what belongs to no communicator.
  [[nodiscard]] lane& first_lane() noexcept { return *lanes_.front(); }
  [[nodiscard]] const std::vector<std::unique_ptr<lane>>& lanes() const noexcept { return lanes_; }
  void release(detail::communicator_state&) noexcept;

  /// What the transports have counted.
  [[nodiscard]] std::vector<counter> counted();

  const job_settings settings;
  std::optional<node_heap> heap;  // only where there is a segment

 private:
  job(job_settings, const detail::job_options&);
  void join_node(bool threads);
  void add_lanes(bool threads);
  [[nodiscard]] bool may_have_lanes() const;
  void set_waits();
  void start_helper();
  void start_recorder() const;
  void end_recorder() noexcept;
  void begin_end() noexcept;
  [[nodiscard]] bool lost_descriptors() noexcept;
  [[noreturn]] static void refuse(const detail::location&);

  static job* current_;
  // Hidden by name, since -fvisibility holds for what is defined: a look at them takes one load
  // less.
  [[gnu::visibility("hidden")]] static lane* unlocked_;
  [[gnu::visibility("hidden")]] static lane* shortest_;
  [[gnu::visibility("hidden")]] static lane* biased_;

  const bool threads_;  // several may call
  bool alive_ = false;
  bootstrap_client bootstrap_;
  state::rank_state page_;
  lane_common common_;
  std::deque<node_segment> segments_;  // by lane; none for a rank that is alone on its node
  std::size_t lane_count_ = 1;
  engine_family family_;                      // has members where there are several lanes
  std::vector<std::unique_ptr<lane>> lanes_;  // one at least
  wakeup_address bell_;                       // of the first lane, as it was made
  std::deque<core_sharing> core_sharing_;     // one a lane
  std::deque<core_time> core_time_;           // one a lane
  std::optional<helper_thread> helper_;
  std::unique_ptr<detail::communicator_state> world_;
};

}  // namespace peal
