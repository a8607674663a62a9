// bootstrap/start_host.hpp
// Memory that pealrun shares with the ranks it starts: what ranks ask before their first message,
// what they tell each other then, and their barrier. This is pealrun's side.
//
// It takes the place of PMIx for ranks of pealrun, where a start would consist of libpmix's set-up
// and of a question to the server for each value.
//
// The file has no name. Each rank inherits a descriptor, and the environment (PEALRUN_JOB) says
// which one; a program that has closed it opens the file by way of pealrun's /proc entry.
//
// Layer    bootstrap: may include base/.
// Threads  one, but for `await_call` and `state_of`, which any may call.
// Errors   none but std::bad_alloc.
// Source   memfd_create(2), futex(2).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/deaths.hpp"
#include "bootstrap/start_layout.hpp"

namespace peal {

/// How a rank stands with the others.
struct start_state {
  bool connected = false;  // it has made a member
  bool finalized = false;  // and has taken its leave since
  bool aborted = false;    // it asks for the end of the job
  int abort_code = 0;
  std::string abort_text;
};

/// What the host says of the job.
struct start_facts {
  std::string job;  // its name, which is the PMIx namespace too
  int cores = 1;
  std::string distances;
  std::vector<int> applications;  // by rank: which program of the job it is
};

class start_host {
 public:
  /// Null where the system refuses such memory (it is logged why): ranks then meet by PMIx.
  static std::unique_ptr<start_host> make(const start_facts&);

  /// "PEALRUN_JOB=...": for the environment of every rank.
  [[nodiscard]] const std::string& variable() const noexcept { return variable_; }
  /// Ranks inherit it.
  [[nodiscard]] int descriptor() const noexcept { return view_.file; }

  [[nodiscard]] start_state state_of(int rank) const;
  /// The others are told, and fences no longer wait for it.
  void tell_of_death(const rank_failure&) noexcept;
  /// Waits until a rank wants something that its state tells. `seen` is how many calls there had
  /// been, and becomes how many there are.
  void await_call(std::uint32_t& seen) const noexcept;

 private:
  explicit start_host(const start_facts&);

  start_layout::segment_view view_;
  std::string variable_;
};

}  // namespace peal
