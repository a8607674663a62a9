// comm/checks/checked_calls.hpp
// The collectives of a communicator where PEAL_CHECK=1: each is started only when the calls of all
// ranks have been found to match.
//
// The n-th calls of all ranks are compared by an allreduce of their records, on a context of its
// own, so that it meets nothing else, whatever each rank has called. Those that match are started
// in the order of the calls, whatever the order in which the comparisons end: so every rank starts
// the same ones in the same order. Starts of plans have no order among them, so each plan compares
// its own.
//
// Layer    comm.
// Threads  under the engine's lock.
// Errors   an operation ends with errc::mismatch; collectives::take_exception has the peal::error
//          that says what differs.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "collective/collectives.hpp"
#include "comm/calls/two_steps.hpp"
#include "comm/checks/call_record.hpp"
#include "p2p/messaging.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"

namespace peal {

class absences;
class checked_plan;
class stall_report;

class checked_calls {
 public:
  /// For the collectives of `of`; context `of.context() + 2` is taken. All must outlive this.
  /// `report`, if given, tells which ranks do not come.
  checked_calls(messaging&, collectives&, collective_state&, const team& of,
                stall_report* report = nullptr);
  ~checked_calls();
  checked_calls(const checked_calls&) = delete;
  checked_calls& operator=(const checked_calls&) = delete;

  /// The operation is the caller's to release. Hooks may be set while it is not finished.
  /// `blocks`: the blocking form, which does not go with the other one.
  operation& start(const collective_call&, const detail::location&, bool blocks) noexcept;
  /// In two steps, of which the first tells what the call is.
  operation& start(const collective_call& first, const detail::second_step&, two_steps& by,
                   const detail::location&) noexcept;

  /// This rank takes no part in the comparison of the next calls, and so in none of these.
  void stay_out(absences&) noexcept;
  /// Nor in those of the plan with that number.
  void stay_out_of_plan(absences&, std::uint32_t number) noexcept;

  // ---- for the roll call
  /// A call of this rank's that not all other ranks have made.
  struct waiting {
    std::uint64_t number = 0;  // names it among the communicator's calls, the same on every rank
    std::chrono::steady_clock::time_point since{};
    const call_record* record = nullptr;
  };
  /// The first of those; null: there is none. Valid until the next call of anything here.
  [[nodiscard]] const waiting* oldest() noexcept;
  /// Whether this rank has made the call that is named so.
  [[nodiscard]] bool has_made(std::uint64_t number) const noexcept;
  /// The call that is named so, in words.
  [[nodiscard]] static std::string text_of(std::uint64_t number);
  /// The comparisons go over the collective context of this team.
  [[nodiscard]] const team& members() const noexcept { return comparing_; }

 private:
  friend class checked_plan;
  struct call {
    checked_calls* in;
    operation* whole;  // what the user waits for
    collective_call what;
    detail::second_step step;
    two_steps* by;               // null: it has one step
    prepared_collective* ready;  // null: it is started from what it is
    checked_plan* plan;          // of `ready`
    detail::location where;
    comparison mine;
    comparison all;
    bool blocks = false;
    bool compared = false;
    std::error_code error;
    int absent = -1;  // with an error of the comparison: the rank that took no part in it
    std::uint64_t number = 0;
    std::chrono::steady_clock::time_point since{};
  };

  operation& begin(call*) noexcept;
  operation& compare(call*) noexcept;
  static void compared(void* context, operation& over) noexcept;
  static void ended(void* context, operation& over) noexcept;
  void start_ready() noexcept;
  void start_or_end(call*) noexcept;
  void finish_wrong(call&) noexcept;

  messaging& messages_;
  collectives& collectives_;
  collective_state& plain_;
  team comparing_;
  collective_state comparisons_;
  std::deque<call*> waiting_;  // for their comparison, in order of start
  std::vector<checked_plan*> plans_;
  std::uint64_t count_ = 0;
  waiting oldest_;
  stall_report* stall_report_;
};

/// A collective made ready, whose starts are compared with each other.
class checked_plan {
 public:
  /// `number`: of the collective among those made ready. The calls must outlive this.
  checked_plan(checked_calls&, std::uint32_t number);
  ~checked_plan();  // Requires: it is not under way.
  checked_plan(const checked_plan&) = delete;
  checked_plan& operator=(const checked_plan&) = delete;

  /// As checked_calls::start: of what was made ready, of which this is the call. Both must outlive
  /// the operation.
  operation& start(const collective_call&, prepared_collective&, const detail::location&) noexcept;

 private:
  friend class checked_calls;
  [[nodiscard]] std::uint64_t name() const noexcept;

  checked_calls& in_;
  const std::uint32_t number_;
  std::uint32_t starts_ = 0;
  comparison mine_;
  comparison all_;
  prepared_collective comparing_;
  checked_calls::call* under_way_ = nullptr;  // while it is compared
};

}  // namespace peal
