// bootstrap/client.hpp
// Which rank this process is, where the other ranks are, and how ranks tell each other something
// before the first message: as a client of PMIx, or without it as a job of one rank.
//
// Layer    bootstrap: may include topology/, base/.
// Threads  construct, exchange and finish from one thread; `failures` may be called from any.
// Errors   throws peal::error with errc::bootstrap_failed and what PMIx said.
// Source   PMIx Standard 4.1; tried with Debian's libpmix 4.2.2 under pealrun, Open MPI's mpirun
//          and Slurm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/deaths.hpp"

namespace peal {

/// What pealrun tells of the node beyond the PMIx standard: see bootstrap_client::cores() and
/// distances().
inline constexpr const char* launcher_cores_key = "peal.cores";
inline constexpr const char* launcher_distances_key = "peal.distances";

/// How pealrun tells of a death with --on-failure continue, where other clients of PMIx shall not
/// hear of it: below PMIX_EXTERNAL_ERR_BASE, where PMIx leaves codes to others.
inline constexpr int silent_death_status = -3001;
/// How a rank tells the others that it does not reach one of them.
inline constexpr int unreachable_status = -3002;

class bootstrap_client {
 public:
  /// Meets the launcher. With no PMIX_NAMESPACE in the environment it is a job of one; where a
  /// launcher has started several processes without PMIx (SLURM_STEP_NUM_TASKS, PMI_SIZE) it
  /// throws.
  bootstrap_client();
  ~bootstrap_client();
  bootstrap_client(const bootstrap_client&) = delete;
  bootstrap_client& operator=(const bootstrap_client&) = delete;

  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] bool alone() const noexcept;  // no launcher
  /// A name no other job on this node has now (the PMIx namespace, or pid and time for a job of
  /// one); fit for a file name.
  [[nodiscard]] const std::string& job_name() const noexcept;
  /// Ranks that the launcher says share this node, own rank included, ascending.
  [[nodiscard]] const std::vector<int>& local_ranks() const noexcept;
  /// Physical cores of this node that the launcher leaves to the job; 0 when it does not say (then
  /// ask topology/).
  [[nodiscard]] int cores() const noexcept;
  /// Of several programs of one job, which one this is; nothing when the launcher does not say.
  [[nodiscard]] std::optional<int> application() const noexcept;
  /// The text of topology/distances.hpp; empty when the launcher does not say.
  [[nodiscard]] const std::string& distances() const noexcept;

  /// Tells all ranks `mine`, and returns what each rank told, by rank. Collective; the data of a
  /// rank that died is empty, and so is that of a rank that did not come within ten seconds after
  /// the death of another one. Throws errc::peer_failed where a rank refuses.
  std::vector<std::string> exchange(const std::string& mine);
  /// Instead of the next exchange: this rank cannot go on, and `why` is what the other ranks must
  /// know. Collective with it. Nothing happens when another rank has refused, since no rank waits
  /// here any more then.
  void refuse(const std::string& why) noexcept;
  /// How many exchanges there have been.
  [[nodiscard]] int exchanged() const noexcept;
  /// Whether a rank of this node has come to that exchange. Asks, and never waits long. Throws as
  /// `exchange` where it refuses.
  [[nodiscard]] bool has_come(int rank, int exchange) const;
  /// Collective barrier; calls `progress` while it waits. False when a rank died before it came;
  /// ends as soon as a death is known, or when `progress` says false, since a rank will not come.
  bool fence(const std::function<bool()>& progress);

  /// Ranks whose death was heard of since the last call. Cheap when there are none: one relaxed
  /// load.
  std::vector<rank_failure> failures();
  /// `call` is called in a thread of PMIx whenever a death, or a report, is heard of. It stays
  /// callable for good.
  void on_death(std::function<void()> call);
  /// Whether any death was ever heard of; or that of a rank.
  [[nodiscard]] bool knows_of_death() const noexcept;
  [[nodiscard]] bool knows_of_death(int rank) const noexcept;

  /// Tells the other ranks that this one does not reach that one, where the launcher passes it on.
  /// Ranks of one machine that meet directly are told nothing: messages between them take no
  /// network. Does not wait.
  void tell_unreachable(int rank) noexcept;
  /// What other ranks have told so since the last call; cheap as `failures`. What ranks they name
  /// was not looked at.
  std::vector<unreachable_report> reports();

  /// Ends every rank with this exit code, through the launcher; returns only without one.
  void abort(int code, const std::string& why) noexcept;
  /// Leaves PMIx. Collective unless `alone_now` (after a failure).
  void finish(bool alone_now) noexcept;
  /// PMIx has lost its descriptors, and would wait for its server for ever: nothing of it is called
  /// any more.
  void abandon() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace peal
