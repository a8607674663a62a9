// The functions of peal/detail/core.hpp that run collectives.
#include <exception>
#include <mutex>

#include "collective/algorithms.hpp"
#include "comm/calls/waiting.hpp"
#include "comm/checks/call_record.hpp"
#include "comm/checks/checks.hpp"
#include "comm/end/absences.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

operation& start(lane& here, communicator_state& on, const collective_call& call,
                 const location& where, bool blocks, const tuned_algorithm* by = nullptr) {
  on.direct.calls().add(direct::way::messages);
  if (on.checked) [[unlikely]]
    return on.checked->start(call, where, blocks);
  return here.collectives->start(on.collective, call, {}, by);
}

/// Of the last call, which has just failed: the rank that took no part in it, or -1.
int absent_rank(communicator_state& on) {
  const std::lock_guard<engine> guard{on.home.progress};
  const communicator_state::refusal& last = on.last_refusal;
  return last.rank >= 0 && last.number + 1 == on.direct.calls().count() ? last.rank : -1;
}

/// `absent`: the rank that took no part in it, where the operation knows.
[[noreturn, gnu::cold, gnu::noinline]] void fail(communicator_state& on, std::error_code why,
                                                 int absent, const collective_call& call,
                                                 const location& where) {
  if (absent < 0) absent = absent_rank(on);
  if (absent >= 0) throw_absent(name_of(call.kind), absent, where);
  throw_failure(why, name_of(call.kind), -1, where);
}

/// Takes no part in the call, then throws.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_call(communicator_state& on, call_form form,
                                                        const collective_call& call,
                                                        const location& where) {
  take_no_part(on, form, where);
  check_collective(on, call, where);
  throw_failure(errc::internal, name_of(call.kind), -1, where);
}

two_steps& stepped(communicator_state& on) {
  if (on.stepped) return *on.stepped;
  lane& here = on.home;
  on.stepped = std::make_unique<two_steps>(*here.messages, *here.collectives, on.collective, on,
                                           here.absences ? &*here.absences : nullptr);
  if (on.neighbors) on.stepped->set_neighbors(*on.neighbors);
  return *on.stepped;
}

}  // namespace

void take_no_part(communicator_state& on, call_form form, const location& where) {
  lane& here = job::require_lane(on, where);
  if (on.size() == 1) return;
  if (form == call_form::blocking && !on.checked) return here.absences->stay_out_of_blocking(on);
  const std::lock_guard<engine> guard{here.progress};
  if (form == call_form::plan) {
    const std::uint32_t number = on.collective.number_prepared();
    if (on.checked) on.checked->stay_out_of_plan(*here.absences, number);
    else
      here.absences->tell(
          on, {.context = on.collective_context(), .number = number, .made_ready = true});
    return here.flush();
  }
  on.direct.calls().add(direct::way::refused);
  if (on.checked) on.checked->stay_out(*here.absences);
  else if (form == call_form::steps) stepped(on).stay_out();
  else here.absences->stay_out(on.collective);
  here.flush();
}

void reduce_local(const collective_call& call, const void* in, void* inout, const location& where) {
  const peal::reduction by{call};
  if (!by.valid())
    fail(errc::invalid_argument, "the operation has no meaning for the type", -1, where);
  // Only what joins may be written over, which is `higher`.
  auto* const lower = static_cast<std::byte*>(const_cast<void*>(in));
  auto* const higher = static_cast<std::byte*>(inout);
  by.apply(lower, higher, higher, call.bytes);
}

namespace {

[[gnu::noinline]] void end_quick_call(communicator_state& on, const collective_call& call,
                                      direct::quick_progress so_far, const location& where) {
  if (const std::error_code became = on.direct.end_quickly(call, so_far)) [[unlikely]]
    fail(on, became, -1, call, where);
}

/// Whatever it is.
[[gnu::noinline]] void run_any_collective(communicator_state& on, const collective_call& call,
                                          const location& where) {
  lane& here = job::require_lane(on, where);
  if (!is_right(on, call)) [[unlikely]]
    refuse_call(on, call_form::blocking, call, where);
  recorded_collective noted{call, where, true};
  std::string_view algorithm = direct_name;
  on.direct.await_review();
  if (on.direct.may_be_quick(call.kind)) {
    here.flush_unlocked();
    const direct::quick_progress so_far = on.direct.run_quickly(call);
    if (so_far != direct::quick_progress::none) {
      if (so_far != direct::quick_progress::over) end_quick_call(on, call, so_far, where);
      return noted.went_by(algorithm);
    }
  }
  std::error_code became;
  const direct::channel::decision way = on.direct.decide(call);
  operation* made = nullptr;
  if (way.directly) {
    here.flush_unlocked();
    made = on.direct.run(call, way.plan.by, became);
    if (made == nullptr) {
      if (became) [[unlikely]]
        fail(on, became, -1, call, where);
      noted.went_by(algorithm);
      return on.direct.ended(way, call);
    }
  } else {
    const bool review = on.direct.review_due();
    here.progress.lock();
    made = &start(here, on, call, where, true, way.by);
    if (noted.on()) algorithm = here.collectives->last_algorithm();
    here.flush();
    here.progress.unlock();
    if (review) [[unlikely]]
      on.direct.review();
  }
  operation& started = *made;
  int absent = -1;
  {
    const finished_release guard{here, started};
    if (!finished(started))
      (void)wait_recorded(here.progress, end_of_collective{{started}, call, on});
    became = started.result.error;
    if (became == errc::operation_failed || became == errc::mismatch) [[unlikely]] {
      absent = started.result.source;
      std::exception_ptr thrown;
      {
        const std::lock_guard<engine> lock{here.progress};
        thrown = here.collectives->take_exception(started);
      }
      if (thrown) std::rethrow_exception(thrown);
    }
  }
  if (became) [[unlikely]]
    fail(on, became, absent, call, where);
  noted.went_by(algorithm);
  on.direct.ended(way, call);
}

}  // namespace

// The shortest way first, as in message_calls.cpp: one thread, nothing recorded, a small call that
// needs no review.
void run_collective(communicator_state& on, const collective_call& call, const location& where) {
  if (lane* const here = job::shortest(); here != nullptr && on.direct.may_be_quick(call.kind))
      [[likely]] {
    here->flush_unlocked();
    const direct::quick_progress so_far = on.direct.run_quickly(call);
    if (so_far == direct::quick_progress::over) [[likely]]
      return;
    if (so_far != direct::quick_progress::none) return end_quick_call(on, call, so_far, where);
  }
  run_any_collective(on, call, where);
}

operation* start_collective(communicator_state& on, const collective_call& call,
                            const location& where) {
  lane& here = job::require_lane(on, where);
  if (!is_right(on, call)) [[unlikely]]
    refuse_call(on, call_form::messages, call, where);
  recorded_collective noted{call, where, false};
  const std::lock_guard<engine> guard{here.progress};
  operation& started = start(here, on, call, where, false, on.direct.algorithm_of(call));
  if (noted.on()) noted.went_by(here.collectives->last_algorithm());
  here.flush();  // nothing is held while the program computes
  if (!finished(started)) here.progress.started(call.bytes);
  operation* const given = here.hand_out(started, on, where);
  given->target = 1 + static_cast<std::uint32_t>(call.kind);  // for those who wait for it
  return given;
}

operation* start_collective(communicator_state& on, const collective_call& first,
                            const second_step& second, const location& where) {
  lane& here = job::require_lane(on, where);
  if (!is_right(on, first)) [[unlikely]]
    refuse_call(on, call_form::steps, first, where);
  const recorded_collective noted{first, where, false};
  const std::lock_guard<engine> guard{here.progress};
  two_steps& steps = stepped(on);
  on.direct.calls().add(direct::way::messages);
  operation& started =
      on.checked ? on.checked->start(first, second, steps, where) : steps.start(first, second);
  here.flush();
  return here.hand_out(started, on, where);
}

}  // namespace peal::detail
