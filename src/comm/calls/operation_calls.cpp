// The functions of peal/detail/core.hpp that look after operations: test, wait, cancel, continue,
// drop.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/log.hpp"
#include "comm/calls/waiting.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

communicator_state* communicator_of(const operation& of) noexcept {
  return const_cast<communicator_state*>(static_cast<const communicator_state*>(of.members));
}

/// Back into the pool, and off its communicator's count. With the lock held. Requires: finished.
inline void give_back(lane& here, operation& over) noexcept {
  communicator_state* const on = communicator_of(over);
  here.messages->release(over);
  if (on != nullptr) here.given_back(*on);
}

/// Only a receive: a message that was sent is to arrive.
bool withdraw(operation& unwanted) {
  return unwanted.kind == operation_kind::receive && cancel(unwanted);
}

/// What is left to do when a detached operation ends.
struct detachment {
  lane* home;
  communicator_state* on;
  void (*owner_free)(void*) noexcept;
  void* owner;

  static void run(void* context) noexcept {
    const std::unique_ptr<detachment> self{static_cast<detachment*>(context)};
    if (self->owner_free != nullptr) self->owner_free(self->owner);
    if (self->on == nullptr) return;
    const std::lock_guard<engine> guard{self->home->progress};
    self->home->given_back(*self->on);
  }
};

/// The wait of a destructor. While an exception is on its way it is bounded, since the peer may
/// have been what failed.
void wait_before_drop(job& here, operation& awaited) noexcept {
  engine& progress = here.lane_of(awaited).progress;
  auto until = engine::never;
  if (std::uncaught_exceptions() > 0) {
    const std::chrono::duration<double> patience{here.settings.unwind_timeout};
    until = std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience);
  }
  for (;;) {
    try {
      if (progress.wait_unlocked(end_of{awaited}, until)) return;
      break;
    } catch (...) {
      // A continuation of some other operation threw; a destructor cannot, so the next progress
      // call does.
      const std::lock_guard<engine> guard{progress};
      progress.defer(
          [](void* thrown) {
            const std::unique_ptr<std::exception_ptr> held{
                static_cast<std::exception_ptr*>(thrown)};
            std::rethrow_exception(*held);
          },
          new std::exception_ptr{std::current_exception()});
      if (finished(awaited)) return;
    }
  }
  const std::string why = fmt::format(
      "{}:{}: this request is not finished {:g} s after an exception began to unwind; the job is "
      "aborted",
      awaited.origin.file_name(), awaited.origin.line(), here.settings.unwind_timeout);
  log_error("{}", why);
  here.abort(EXIT_FAILURE, why.c_str());
}

}  // namespace

}  // namespace peal::detail

namespace peal {

void record_end(record::recorder& to, const detail::operation& of) noexcept {
  if (of.kind != operation_kind::receive) return to.withdrawn(&of);
  const detail::outcome& became = of.result;
  if (of.members == nullptr || became.error || recorded_peer(*of.members, became.source) < 0)
    return to.withdrawn(&of);
  to.arrived(&of, of.origin, recorded_peer(*of.members, became.source), became.tag, of.target,
             became.bytes);
}

}  // namespace peal

namespace peal::detail {

bool test(operation& of) {
  job* const here = job::running();
  if (here == nullptr) return finished(of);
  const recorded_call noted{record::call_kind::test, of.origin};
  engine& progress = here->lane_of(of).progress;
  if (finished(of)) {
    progress.run_deferred();
    return true;
  }
  progress.progress();
  return finished(of);
}

bool wait_for_end(operation& awaited, time_point deadline) {
  engine& progress = job::require(awaited.origin).lane_of(awaited).progress;
  const recorded_call noted{record::call_kind::wait, awaited.origin};
  return wait_recorded(progress, end_of{awaited}, on_steady_clock(deadline));
}

time_point time_after(long double seconds) noexcept {
  using clock = std::chrono::steady_clock;
  const clock::time_point now = clock::now();
  const std::chrono::duration<long double> time{std::max(seconds, 0.0L)};
  if (time >= clock::time_point::max() - now) return never;
  return time_point{(now + std::chrono::duration_cast<clock::duration>(time)).time_since_epoch() /
                    std::chrono::nanoseconds{1}};
}

const location& origin_of(const operation& of) noexcept { return of.origin; }

bool cancel(operation& unwanted) {
  job* const here = job::running();
  if (here == nullptr) return false;
  lane& in = here->lane_of(unwanted);
  const std::lock_guard<engine> guard{in.progress};
  const bool cancelled = !finished(unwanted) && in.messages->cancel(unwanted);
  if (cancelled) in.progress.wake_sleepers();
  return cancelled;
}

void on_finish(operation& of, void (*hook)(void*), void* context) {
  if (job* const here = job::running()) {
    lane& in = here->lane_of(of);
    const std::lock_guard<engine> guard{in.progress};
    if (in.messages->on_finish(of, hook, context)) return;
  }
  hook(context);
}

namespace {
/// Where the run is recorded.
[[gnu::noinline]] void drop_counted(operation& unwanted) noexcept {
  record::recorder* const to = record::recorder::counting();
  lane* const here = job::unlocked();
  if (to == nullptr || here == nullptr || !finished(unwanted) || unwanted.result.error)
    return drop(&unwanted, nullptr, nullptr);
  communicator_state* const on = communicator_of(unwanted);
  // One that has ended well has a message of a rank.
  if (on != nullptr && unwanted.kind == operation_kind::receive)
    to->count_received(static_cast<int>(on->peer(unwanted.result.source)), unwanted.result.bytes);
  here->messages->release_good(unwanted);
  if (on != nullptr) here->given_back(*on);
}
}  // namespace

void drop_own(operation& unwanted) noexcept {
  lane* const here = job::shortest();
  if (here != nullptr && finished(unwanted) && !unwanted.result.error) [[likely]]
    give_back(*here, unwanted);
  else drop_counted(unwanted);
}

void drop_good(operation& unwanted) noexcept {
  lane* const here = job::shortest();
  if (here == nullptr) [[unlikely]]
    return drop_counted(unwanted);
  communicator_state* const on = communicator_of(unwanted);
  here->messages->release_good(unwanted);
  if (on != nullptr) here->given_back(*on);
}

void drop(operation* unwanted, void (*owner_free)(void*) noexcept, void* owner) noexcept {
  if (unwanted == nullptr) return;
  if (unwanted->common) {
    if (owner_free != nullptr) owner_free(owner);
    return;
  }
  job* const here = job::running();
  if (here == nullptr) {  // the job has ended, and with it every use of the buffers
    if (owner_free != nullptr) owner_free(owner);
    return;
  }
  if (!finished(*unwanted) && owner_free == nullptr && !withdraw(*unwanted))
    wait_before_drop(*here, *unwanted);
  lane& in = here->lane_of(*unwanted);
  {
    const std::lock_guard<engine> guard{in.progress};
    if (!finished(*unwanted)) {
      communicator_state* const on = communicator_of(*unwanted);
      if (record::recorder* const to = record::recorder::active()) [[unlikely]]
        to->withdrawn(unwanted);
      in.messages->detach(*unwanted, &detachment::run, new detachment{&in, on, owner_free, owner});
      return;
    }
    if (record::recorder* const to = record::recorder::active()) [[unlikely]]
      record_end(*to, *unwanted);
    give_back(in, *unwanted);
  }
  if (owner_free != nullptr) owner_free(owner);
}

}  // namespace peal::detail
