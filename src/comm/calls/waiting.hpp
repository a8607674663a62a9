// comm/calls/waiting.hpp
// How blocking calls wait for an operation and give it back.
//
// Layer    comm.
// Threads  without the engine's lock held.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "collective/call_subject.hpp"
#include "comm/start/lane.hpp"
#include "peal/detail/core.hpp"
#include "record/wait_clock.hpp"

namespace peal {

/// Whether an operation is finished, for engine::wait_unlocked: a thread that sleeps until then is
/// woken by the end of this operation.
struct end_of {
  operation& awaited;
  // acquire: pairs with the release that ends an operation, so that its outcome and its buffer can
  // be read.
  [[nodiscard]] bool operator()() const noexcept {
    return awaited.finished.load(std::memory_order_acquire);
  }
  [[nodiscard]] const void* sleep_for() const noexcept {
    awaited.flags |= operation::slept_for;
    return &awaited;
  }
  [[nodiscard]] state::wait_subject describe() const noexcept { return {.operation = &awaited}; }
};

/// The same of a blocking collective.
struct end_of_collective : end_of {
  const collective_call& call;
  const detail::communicator_state& on;
  [[nodiscard]] state::wait_subject describe() const noexcept { return subject_of(call, on); }
};

/// Either of both, of a wait whose time is taken.
template <class End>
struct timed : End {
  record::wait_clock& clock;
  [[nodiscard]] bool operator()() const noexcept {
    if (End::operator()()) return true;
    clock.in_vain();
    return false;
  }
};
/// engine::wait_unlocked, for how long the recorder is told.
template <class End>
bool wait_recorded(engine& progress, const End& end,
                   std::chrono::steady_clock::time_point until = engine::never) {
  record::recorder* const to = record::recorder::active();
  if (to == nullptr) [[likely]]
    return progress.wait_unlocked(end, until);
  record::wait_clock clock{*to, progress.spins()};
  return progress.wait_unlocked(timed<End>{end, clock}, until);
}

/// Progress until the operation is finished. What a continuation throws comes out after that.
inline void wait_for(lane& here, operation& awaited) {
  (void)wait_recorded(here.progress, end_of{awaited});
}

/// detail::never is the last time there is.
inline std::chrono::steady_clock::time_point on_steady_clock(detail::time_point when) noexcept {
  return std::chrono::steady_clock::time_point{
      std::chrono::nanoseconds{static_cast<std::int64_t>(when)}};
}

/// Gives a finished operation of a blocking call back, also when a continuation throws out of the
/// wait.
class finished_release {
 public:
  finished_release(lane& here, operation& finished) noexcept : here_{here}, finished_{finished} {}
  ~finished_release() {
    const std::lock_guard<engine> guard{here_.progress};
    here_.messages->release(finished_);
  }
  finished_release(const finished_release&) = delete;
  finished_release& operator=(const finished_release&) = delete;

 private:
  lane& here_;
  operation& finished_;
};

}  // namespace peal
