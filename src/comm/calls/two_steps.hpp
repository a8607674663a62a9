// comm/calls/two_steps.hpp
// Collectives that first find out how much there is to be moved, then move it, as one operation.
//
// The second steps run on a team of their own, in the order in which the first steps were started,
// whatever the order in which those finish. So every rank starts them in the same order, and they
// keep apart from the collectives that the user starts meanwhile. A second step has the number of
// its first step. A rank whose first step has failed does not know whether there is a second one;
// it takes no part in that, and says so.
//
// Layer    comm.
// Threads  under the engine's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <system_error>

#include "collective/collectives.hpp"
#include "p2p/messaging.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"

namespace peal {

class absences;

class two_steps {
 public:
  /// For the collectives of `of`; context `of.context() + 3` is taken. All must outlive this.
  /// `absent` may be null in a job of one.
  two_steps(messaging&, collectives&, collective_state&, const team& of, absences* absent);
  two_steps(const two_steps&) = delete;
  two_steps& operator=(const two_steps&) = delete;

  /// As collective_state's.
  void set_neighbors(const detail::neighborhood& near) noexcept { second_.set_neighbors(near); }

  /// The operation is the caller's to release. It may be finished at once.
  operation& start(const collective_call& first, const detail::second_step&) noexcept;
  /// This rank takes no part in the next one. Requires: a job of several.
  void stay_out() noexcept;

 private:
  struct call {
    two_steps* in;
    operation* whole;  // what the user waits for
    detail::second_step step;
    collective_call next;
    std::error_code error;
    bool measured = false;  // the first step is over
    bool has_next = false;
    std::uint32_t number = 0;
    int absent = -1;  // with an error of the first step: the rank that took no part in that
  };

  static void measured(void* context, operation& first) noexcept;
  static void moved(void* context, operation& second) noexcept;
  void start_ready() noexcept;
  void stay_out_of_second(std::uint32_t number) noexcept;

  messaging& messages_;
  collectives& collectives_;
  collective_state& first_;
  team later_;
  collective_state second_;
  absences* const absent_;
  std::deque<call*> waiting_;  // for its second step, in order of start
};

}  // namespace peal
