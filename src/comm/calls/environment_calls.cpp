// The functions of peal/detail/core.hpp about the job as a whole, and its memory.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/log.hpp"
#include "base/variables.hpp"
#include "comm/calls/waiting.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/detail/application.hpp"
#include "peal/detail/setting.hpp"
#include "peal/error.hpp"

namespace peal::detail {

communicator_state& start_job(const job_options& options, const location& where) {
  return job::start(options, where).world();
}

void end_job(bool unwinding, const location& where) noexcept {
  job* const here = job::running();
  if (here == nullptr) return;
  if (unwinding && here->size() > 1) {
    const std::string why = fmt::format(
        "{}:{}: an exception left the scope of this peal::environment; the job is aborted, since "
        "the "
        "other ranks would wait for this one",
        where.file_name(), where.line());
    log_error("{}", why);
    here->abort(EXIT_FAILURE, why.c_str());
  }
  here->end(unwinding);
}

void abort_job(int code, const char* why) noexcept {
  if (job* const here = job::running()) here->abort(code, why);
  log_error("{}", why);
  _exit(code);
}

bool calls_are_recorded = false;

bool job_running() noexcept { return job::running() != nullptr; }

std::vector<counter> job_counters(const location& where) { return job::require(where).counted(); }

std::optional<int> application_number() noexcept {
  const job* const here = job::running();
  return here == nullptr ? std::nullopt : here->application();
}

std::vector<setting> settings() {
  const job* const here = job::running();
  std::vector<std::string> objections;
  const job_settings now = here != nullptr ? here->settings : read_environment(objections);
  std::vector<setting> all;
  for (const variable& each : variables())
    all.push_back({std::string{each.name}, std::string{each.meaning}, each.allowed,
                   each.written(now), each.must_agree});
  return all;
}

bool change_setting(const std::string& name, const std::string& value) {
  const variable* const known = find_variable(name);
  return known != nullptr && objection(*known, value).empty() &&
         ::setenv(name.c_str(), value.c_str(), 1) == 0;
}

bool progress() {
  job* const here = job::running();
  return here != nullptr && here->first_lane().progress.progress_everywhere();
}

namespace {

/// Names what a thread calls, unless that has a name already.
class named_meanwhile {
 public:
  named_meanwhile(const char* function, const void* from) noexcept
      : names_{now_calling.place == 0} {
    if (names_) name_calls(function, from);
  }
  ~named_meanwhile() {
    if (names_) end_named_calls();
  }
  named_meanwhile(const named_meanwhile&) = delete;
  named_meanwhile& operator=(const named_meanwhile&) = delete;

 private:
  const bool names_;
};

template <class Holds, class Subject>
[[gnu::noinline]] bool wait_until_recorded(engine& progress, record::recorder& to,
                                           const Holds& holds, const Subject& subject,
                                           time_point deadline, const void* from) {
  // It is told no place, so it is where it was called from.
  const named_meanwhile named{"wait", from};
  static constexpr location nowhere;
  const recorded_call noted{record::call_kind::wait, nowhere};
  record::wait_clock clock{to, progress.spins()};
  const auto timed = [&] {
    if (holds()) return true;
    clock.in_vain();
    return false;
  };
  return progress.wait_anywhere(state::described{timed, subject}, on_steady_clock(deadline));
}

}  // namespace

bool wait_until(bool (*done)(void*), void* context, time_point deadline) {
  const auto holds = [=] { return done(context); };
  const auto subject = [] { return state::wait_subject{.kind = state::wait_kind::several}; };
  job* const here = job::running();
  if (here == nullptr) return holds();
  engine& progress = here->first_lane().progress;
  if (record::recorder* const to = record::recorder::active()) [[unlikely]]
    return wait_until_recorded(progress, *to, holds, subject, deadline,
                               __builtin_return_address(0));
  return progress.wait_anywhere(state::described{holds, subject}, on_steady_clock(deadline));
}

void wake_waits() noexcept {
  job* const here = job::running();
  if (here == nullptr) return;
  engine& progress = here->first_lane().progress;  // where wait_until sleeps
  const std::lock_guard<engine> guard{progress};
  progress.wake_sleepers();
}

void name_communicator(communicator_state& on, const char* name) noexcept {
  if (on.shown != nullptr) on.home.page()->name(*on.shown, name);
}

namespace {
constexpr std::align_val_t alignment{64};  // a cache line
}

void* allocate_shared(std::size_t bytes, const location&) {
  if (job* const here = job::running(); here != nullptr && here->heap)
    if (void* block = here->heap->allocate(bytes)) return block;
  return ::operator new(bytes, alignment);
}

void deallocate_shared(void* block) noexcept {
  if (block == nullptr) return;
  if (node_heap* const heap = job::heap_ever(); heap != nullptr && heap->contains(block)) {
    if (!forked_child()) heap->deallocate(block);  // the parent's, in a child
    return;
  }
  ::operator delete(block, alignment);
}

}  // namespace peal::detail
