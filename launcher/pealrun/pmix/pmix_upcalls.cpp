#include "pmix/pmix_upcalls.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace peal::launcher {

namespace {

int rank_of(const pmix_proc_t* process) {
  return process == nullptr ? -1 : static_cast<int>(process->rank);
}

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t[], std::size_t,
                           pmix_op_cbfunc_t, void*) {
  upcalls().put({host_event::connected, rank_of(process), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  upcalls().put({host_event::finalized, rank_of(process), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* process, void*, int code, const char text[],
                       pmix_proc_t[], std::size_t, pmix_op_cbfunc_t, void*) {
  upcalls().put({host_event::aborted, rank_of(process), code, text != nullptr ? text : ""});
  return PMIX_OPERATION_SUCCEEDED;
}

// One node: what its ranks gave is all there is. libpmix keeps fences of local ranks to itself, but
// asks after a death.
pmix_status_t on_fence(const pmix_proc_t[], std::size_t, const pmix_info_t info[],
                       std::size_t infos, char* data, std::size_t bytes, pmix_modex_cbfunc_t answer,
                       void* context) {
  pmix_status_t status = PMIX_SUCCESS;
  for (std::size_t i = 0; i < infos; ++i)
    if (PMIX_CHECK_KEY(&info[i], PMIX_LOCAL_COLLECTIVE_STATUS)) status = info[i].value.data.status;
  if (answer != nullptr)
    upcalls().put([=] { answer(status, data, bytes, context, std::free, data); });
  return PMIX_SUCCESS;
}

pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t[], std::size_t,
                              pmix_modex_cbfunc_t answer, void* context) {
  if (answer != nullptr)
    upcalls().put([=] { answer(PMIX_ERR_NOT_FOUND, nullptr, 0, context, nullptr, nullptr); });
  return PMIX_SUCCESS;
}

pmix_status_t on_register_events(pmix_status_t[], std::size_t, const pmix_info_t[], std::size_t,
                                 pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_deregister_events(pmix_status_t[], std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_notify(pmix_status_t, const pmix_proc_t*, pmix_data_range_t, pmix_info_t[],
                        std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;  // libpmix has told the ranks of this node; there are no others
}

void on_log(const pmix_proc_t*, const pmix_info_t data[], std::size_t count, const pmix_info_t[],
            std::size_t, pmix_op_cbfunc_t answer, void* context) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    if (data[i].value.type == PMIX_STRING && data[i].value.data.string != nullptr)
      text += data[i].value.data.string;
  upcalls().put([text, answer, context] {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (answer != nullptr) answer(PMIX_SUCCESS, context);
  });
}

}  // namespace

upcall_queue::upcall_queue() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

void upcall_queue::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
}

void upcall_queue::put(host_event event) {
  {
    const std::lock_guard hold{lock_};
    events_.push_back(std::move(event));
  }
  wake();
}

void upcall_queue::put(std::function<void()> answer) {
  {
    const std::lock_guard hold{lock_};
    answers_.push_back(std::move(answer));
  }
  wake();
}

std::vector<host_event> upcall_queue::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(descriptor_, &count, sizeof count);
  std::vector<std::function<void()>> answers;
  std::vector<host_event> events;
  {
    const std::lock_guard hold{lock_};
    answers.swap(answers_);
    events.swap(events_);
  }
  for (const auto& each : answers) each();
  return events;
}

upcall_queue& upcalls() {
  static upcall_queue* queue = new upcall_queue;
  return *queue;
}

pmix_server_module_t* upcall_table() {
  static pmix_server_module_t table{};
  table.client_connected2 = on_connected;
  table.client_finalized = on_finalized;
  table.abort = on_abort;
  table.fence_nb = on_fence;
  table.direct_modex = on_direct_modex;
  table.register_events = on_register_events;
  table.deregister_events = on_deregister_events;
  table.notify_event = on_notify;
  table.log = on_log;
  return &table;
}

// libpmix joins losses that it sees at one go into one event: the first is the source, each later
// one stands before the others in the list.
void on_server_event(std::size_t, pmix_status_t status, const pmix_proc_t* source,
                     pmix_info_t info[], std::size_t infos, pmix_info_t*, std::size_t,
                     pmix_event_notification_cbfunc_fn_t done, void* context) {
  if (status == PMIX_ERR_LOST_CONNECTION) {
    upcalls().put({host_event::lost, rank_of(source), 0, {}});
    for (std::size_t i = infos; i-- > 0;)
      if (PMIX_CHECK_KEY(&info[i], PMIX_PROCID) && info[i].value.type == PMIX_PROC)
        upcalls().put({host_event::lost, rank_of(info[i].value.data.proc), 0, {}});
  }
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, context);
}

}  // namespace peal::launcher
