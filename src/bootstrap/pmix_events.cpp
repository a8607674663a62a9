#include "bootstrap/pmix_events.hpp"

#include <cstdint>
#include <future>
#include <iterator>
#include <new>

#include "base/log.hpp"
#include "bootstrap/client.hpp"
#include "bootstrap/deaths.hpp"
#include "bootstrap/pmix_library.hpp"

namespace peal {

namespace {

bool is_rank(const pmix_proc_t* process) {
  return process != nullptr && process->rank <= static_cast<pmix_rank_t>(INT32_MAX);
}

// A launcher that follows the standard tells the exit code, and of a signal 128 + its number.
rank_failure failure_of(int rank, pmix_status_t status, int code) {
  rank_failure told{rank, failure_cause::exit_code, code, status == silent_death_status};
  if (status == PMIX_ERR_PROC_ABORTED_BY_SIG || (told.silent && code > 128))
    told.why = failure_cause::signal;
  else if (status == PMIX_ERR_PROC_TERM_WO_SYNC || (told.silent && code == 0))
    told.why = failure_cause::left;
  if (told.why == failure_cause::signal && code > 128) told.code = code - 128;
  return told;
}

// Runs in PMIx's thread.
void on_event(std::size_t, pmix_status_t status, const pmix_proc_t* source, pmix_info_t info[],
              std::size_t infos, pmix_info_t*, std::size_t,
              pmix_event_notification_cbfunc_fn_t done, void* context) {
  const pmix_proc_t* about = source;
  int code = 0;
  for (std::size_t i = 0; i < infos; ++i)
    if (PMIX_CHECK_KEY(&info[i], PMIX_EXIT_CODE) && info[i].value.type == PMIX_INT)
      code = info[i].value.data.integer;
    else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) && info[i].value.type == PMIX_PROC)
      about = info[i].value.data.proc;
  if (is_rank(about) && status != unreachable_status)
    note_death(about->nspace, failure_of(static_cast<int>(about->rank), status, code));
  else if (is_rank(about) && is_rank(source) && PMIX_CHECK_NSPACE(source->nspace, about->nspace))
    note_report(about->nspace, {static_cast<int>(source->rank), static_cast<int>(about->rank)});
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, context);
}

void on_registered(pmix_status_t status, std::size_t, void* context) {
  static_cast<std::promise<pmix_status_t>*>(context)->set_value(status);
}

}  // namespace

// What a launcher may say when a rank is gone, and what ranks say of each other.
// PMIX_ERR_LOST_CONNECTION is not among them: to a client it means the server.
void listen_for_events() {
  pmix_status_t codes[] = {
      PMIX_ERR_PROC_ABORTED,      PMIX_ERR_PROC_ABORTED_BY_SIG,  PMIX_ERR_PROC_TERM_WO_SYNC,
      PMIX_ERR_EXIT_NONZERO_TERM, PMIX_ERR_PROC_REQUESTED_ABORT, silent_death_status,
      unreachable_status};
  std::promise<pmix_status_t> answer;
  pmix().register_event_handler(codes, std::size(codes), nullptr, 0, on_event, on_registered,
                                &answer);
  if (const pmix_status_t status = answer.get_future().get(); status != PMIX_SUCCESS)
    log_info("this launcher does not tell of deaths, nor of peers that others do not reach: {}",
             pmix().error_string(status));
}

// Nothing waits for the answer: where the launcher does not pass it on, each rank finds out by
// itself.
void tell_unreachable(const pmix_proc_t& self, int rank) noexcept {
  struct told {
    pmix_info_t infos[2];
    ~told() {
      for (pmix_info_t& each : infos) pmix().value_destruct(&each.value);
    }
  };
  auto* const what = new (std::nothrow) told;  // until `over`
  if (what == nullptr) return;
  pmix_proc_t about = self;
  about.rank = static_cast<pmix_rank_t>(rank);
  const bool yes = true;
  for (pmix_info_t& each : what->infos) PMIX_INFO_CONSTRUCT(&each);
  pmix().info_load(&what->infos[0], PMIX_EVENT_AFFECTED_PROC, &about, PMIX_PROC);
  pmix().info_load(&what->infos[1], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
  const auto over = [](pmix_status_t, void* context) { delete static_cast<told*>(context); };
  const pmix_status_t status = pmix().notify_event(unreachable_status, &self, PMIX_RANGE_NAMESPACE,
                                                   what->infos, std::size(what->infos), over, what);
  if (status == PMIX_SUCCESS) return;
  delete what;
  if (status != PMIX_OPERATION_SUCCEEDED)
    log_info("the other ranks cannot be told that rank {} is not reached: {}", rank,
             pmix().error_string(status));
}

}  // namespace peal
