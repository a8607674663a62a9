// launcher/pealrun/pmix/pmix_upcalls.hpp
// What libpmix calls when a rank connects, leaves, aborts or asks for something that only the host
// can do.
//
// Layer    launcher.
// Threads  upcalls run in PMIx's thread and only enqueue; `take` and `answer` are called by the
//          owner of the host. An upcall that called back at once could deadlock: libpmix holds its
//          own locks around some of them (log).
#pragma once

#include <pmix_server.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "pmix/pmix_host.hpp"

namespace peal::launcher {

class upcall_queue {
 public:
  upcall_queue();

  void put(host_event);
  /// Something to be done by the owner: an answer to PMIx.
  void put(std::function<void()>);

  /// Runs the answers that wait, and returns the events. Clears the descriptor.
  std::vector<host_event> take();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  void wake();

  int descriptor_;
  std::mutex lock_;  // guards what follows
  std::vector<host_event> events_;
  std::vector<std::function<void()>> answers_;
};

/// One for the process, as PMIx is; never destroyed, since PMIx's thread runs until _exit.
upcall_queue& upcalls();

/// The table of upcalls to hand to PMIx_server_init.
pmix_server_module_t* upcall_table();

/// For PMIx_Register_event_handler: hears of connections that broke.
void on_server_event(std::size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t[], std::size_t,
                     pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t, void*);

}  // namespace peal::launcher
