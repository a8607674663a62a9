// comm/start/lane.hpp
// All that messages of some communicators need, from top to bottom: an engine with its lock,
// matching, collectives, and transports that nothing else uses. Every communicator belongs to one
// lane. Threads whose communicators are in different lanes share nothing while messages go well.
//
// Layer    comm: may include everything below.
// Threads  under its engine's lock; `open`, `finish` and `close` from one thread.
// Errors   open throws peal::error: no_space, no_device, locked_memory, invalid_config.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/cache_line.hpp"
#include "base/error_text.hpp"
#include "base/settings.hpp"
#include "bootstrap/client.hpp"
#include "collective/choice/cost_basis.hpp"
#include "collective/collectives.hpp"
#include "collective/direct/direct_context.hpp"
#include "comm/checks/stall_report.hpp"
#include "comm/communicator_state.hpp"
#include "comm/context_pool.hpp"
#include "comm/end/absences.hpp"
#include "comm/end/end_watch.hpp"
#include "comm/end/failure_callback.hpp"
#include "comm/end/failure_list.hpp"
#include "comm/end/report_list.hpp"
#include "comm/end/survivors.hpp"
#include "comm/waits/wait_reporter.hpp"
#include "memory/node_segment.hpp"
#include "p2p/messaging.hpp"
#include "progress/engine.hpp"
#include "state/rank_state.hpp"
#include "topology/distances.hpp"
#include "transport/self/self_transport.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

/// What all lanes of a process have in common. Outlives them.
struct lane_common {
  lane_common(const job_settings& with, bootstrap_client& of)
      : settings{with},
        bootstrap{of},
        contexts{static_cast<peer_id>(of.rank()), static_cast<std::uint32_t>(of.size()),
                 with.communicators},
        between_cores{std::string_view{of.distances()}},
        reports{of.rank(), of.size()} {}

  const job_settings& settings;
  bootstrap_client& bootstrap;
  state::rank_state* page = nullptr;  // null: nothing is shown
  std::size_t lanes = 0;              // made so far
  context_pool contexts;              // of communicators
  std::vector<peer_id> node;          // the processes of this node, by local index
  std::vector<bool> on_node;          // by peer
  std::vector<peer_id> nodes;      // by peer, the lowest one of its node; empty: there is one node
  distances between_cores;         // of this node
  std::vector<rank_place> places;  // by peer, those of its node told; empty: there is one rank
  bool oversubscribed = false;     // more ranks than cores
  cost_basis basis;                // of the choice of algorithms
  failure_list failures;           // peers that have died
  report_list reports;             // what others say of peers
  std::atomic<bool> left{false};   // a rank has left without waiting for the others
  std::function<void()> ring_all = [] {};  // wakes the threads that sleep in any lane
  // From the beginning of the end on: nothing of the user's can start anything any more.
  std::function<bool()> at_rest = [] { return false; };
  [[nodiscard]] bool several_nodes() const noexcept { return node.size() < on_node.size(); }

  /// A step of the start that may fail on this rank alone. Then the other ranks learn why from the
  /// next exchange, which there must be.
  template <class Step>
  void start_with(Step&& step) {
    try {
      step();
    } catch (const std::exception& problem) {
      bootstrap.refuse(plain_text_of(problem));
      throw;
    }
  }
};

/// On cache lines of its own, as whatever it owns that is written to.
class alignas(2 * cache_line) lane final : private router, private progress_source {
 public:
  /// The engine only.
  lane(lane_common&, bool threads);
  /// The rest, as one of so many. `segment` is its own; null: there is none. Collective.
  void open(node_segment* segment, std::size_t lanes);
  /// From now on ranks that are waited for are asked whether they come, and those heard that take
  /// no part. `alone`: one thread at a time calls.
  void watch(const team& world, bool alone) {
    end_watch_.emplace(*messages, *collectives, direct_context(), world, alone);
    absences.emplace(*messages, *collectives, world);
    living.emplace(progress, *messages, *collectives, world);
    end_watch_->wait_with(*living);
  }

  /// For collectives past messages, and for what is learnt of collectives; null where calls are
  /// compared.
  [[nodiscard]] direct::direct_context* direct_context() noexcept {
    return direct_ ? &*direct_ : nullptr;
  }
  /// PEAL_CHECK=1.
  [[nodiscard]] bool compares_calls() const { return common_.settings.check; }

  // ---- operations of communicators. With the lock held.
  /// One operation more, or less, that the user holds on this communicator. The last of a released
  /// one frees it.
  void given(detail::communicator_state& on) noexcept { ++on.operations; }
  void given_back(detail::communicator_state& on) noexcept {
    if (--on.operations == 0 && on.released) free(on);
  }
  /// A collective that the user holds from now on.
  operation* hand_out(operation& started, detail::communicator_state& on,
                      const detail::location& where) noexcept {
    started.members = &on;
    started.origin = where;
    started.target = 0;
    given(on);
    return &started;
  }
  void release(detail::communicator_state& gone) noexcept {
    gone.released = true;
    if (gone.operations == 0) free(gone);
  }

  /// Posts messages that wait to leave with others. With the lock held. A thread that waits need
  /// not call this: every poll does it.
  void flush() noexcept {
    if (verbs_ && verbs_->holds_messages()) verbs_->flush();
  }
  /// The same where the lock is not held.
  void flush_unlocked() noexcept {
    if (!verbs_) return;
    const std::lock_guard<engine> guard{progress};
    flush();
  }
  /// After a send that is over, with the lock held: an operation that finishes once the message is
  /// posted; null when it is.
  operation* posting() noexcept {
    return verbs_ && verbs_->holds_messages() ? &messages->add_held() : nullptr;
  }

  // ---- the end. Without the lock held.
  /// How long the end waits before it says what for, and takes it that this program will ask for no
  /// other message: continuations may still do so when the end has begun.
  static constexpr std::chrono::seconds shutdown_grace{5};
  /// Nothing of the user's waits to be called here.
  [[nodiscard]] bool at_rest() const noexcept {
    return !progress.owes_calls() && !messages->has_hooks() && !collectives->busy();
  }
  /// Finishes sends that no thread waits for any more, and answers that peers wait for.
  void finish() noexcept;
  /// One turn, and what was deferred. `late`: this program will not ask for what has come unasked.
  void turn(bool late) noexcept;
  void run_deferred() noexcept;
  /// `failed`: other ranks may still wait for what was sent.
  void leave(bool failed) noexcept;
  /// The device's memory goes.
  void close() noexcept;

  void report(std::vector<counter>&);
  [[nodiscard]] state::rank_state* page() const noexcept { return common_.page; }

  engine progress;
  std::optional<messaging> messages;
  std::optional<peal::collectives> collectives;
  std::optional<peal::stall_report> stall_report;  // where PEAL_CHECK=1
  std::optional<peal::absences> absences;          // in a job of several
  std::optional<survivors> living;                 // in a job of several
  /// Tells the program of failures; in the first lane alone.
  std::optional<failure_callback> on_failure;

 private:
  void open_verbs(std::size_t lanes);
  void failed(peer_id) noexcept;
  void gave_up(peer_id) noexcept;
  void hear(std::size_t report) noexcept;
  void free(detail::communicator_state&) noexcept;
  void say_what_is_awaited() noexcept;
  void settle(bool late) noexcept;
  transport& route(peer_id) noexcept override;
  bool poll() noexcept override;                 // news of failures
  bool arm() noexcept override { return true; }  // the news of a death rings

  lane_common& common_;
  state::lane_activity* activity_ = nullptr;  // where there is a page
  std::optional<wait_reporter> reporter_;     // likewise
  std::size_t failures_seen_ = 0;             // of the failures,
  std::size_t reports_seen_ = 0;              // and of the reports
  std::optional<self_transport> self_;
  std::optional<shm_transport> shm_;
  std::optional<verbs_transport> verbs_;
  std::optional<direct::direct_context> direct_;
  std::optional<end_watch> end_watch_;  // in a job of several
};

}  // namespace peal
