// mpi/requests/request.hpp
// What stands behind an MPI_Request.
//
// Layer    mpi/requests.
// Threads  one at a time for each request; different requests any.
// Errors   what a request ends with is a code; the functions that take handles throw a failure,
//          MPI_ERR_REQUEST.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/support/handle_table.hpp"
#include "mpi/support/status.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

class request {
 public:
  /// `comm`: whose error handler is called.
  explicit request(MPI_Comm comm) noexcept : comm_{comm} {}
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  virtual ~request();

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// An inactive one is persistent, and not started.
  [[nodiscard]] virtual bool is_active() const noexcept { return true; }
  [[nodiscard]] virtual bool is_persistent() const noexcept { return false; }
  /// Whether what it stands for is over, so that `finish` does not wait. Makes no progress.
  [[nodiscard]] virtual bool is_done() noexcept {
    return operation_ == nullptr || detail::finished(*operation_);
  }
  /// One of those that it waits for; null: it waits for none.
  [[nodiscard]] virtual detail::operation* pending() noexcept {
    return operation_ == nullptr || detail::finished(*operation_) ? nullptr : operation_;
  }
  /// Whether functions of the program say how it ends, so that their errors belong to whoever asks.
  [[nodiscard]] virtual bool has_callbacks() const noexcept { return false; }
  /// Returns when it is.
  void await();
  /// Fills in the status, and gives back what there is. The error code. Requires: is_done.
  virtual int finish(MPI_Status& status) noexcept;
  /// The status, if it were finished now; the error code. Requires: is_done.
  virtual int look(MPI_Status& status) noexcept;
  /// A persistent one begins anew.
  virtual void start();
  virtual void cancel();
  /// Fails where the program may not free it yet.
  virtual void check_free() {}
  /// The program does not want to know how it ends: it goes when it is done. The error code of what
  /// is called on that occasion.
  static int let_go(std::unique_ptr<request> unwanted);

 protected:
  /// Its handle is gone, and it is done, or `pending` knows of nothing that it waits for.
  virtual int end_unasked() noexcept;
  [[nodiscard]] detail::operation* running() const noexcept { return operation_; }
  void run(detail::operation* begun) noexcept { operation_ = begun; }
  /// What arrived is put where the program wants it.
  virtual void take_in(std::size_t bytes) noexcept { (void)bytes; }
  /// An outcome, as a status and a code.
  static int tell(const detail::outcome& of, MPI_Status& status) noexcept;

 private:
  MPI_Comm comm_;
  detail::operation* operation_ = nullptr;  // null: nothing was to be done, or it is over
};

class send_request final : public request {
 public:
  send_request(MPI_Comm comm, outgoing data, detail::operation* begun) noexcept
      : request{comm}, data_{std::move(data)} {
    run(begun);
  }

 private:
  outgoing data_;
};

class receive_request final : public request {
 public:
  /// `remote_first`: of the communicator.
  receive_request(MPI_Comm comm, incoming data, detail::operation* begun, int remote_first) noexcept
      : request{comm}, data_{std::move(data)}, remote_first_{remote_first} {
    run(begun);
  }

 private:
  int look(MPI_Status& status) noexcept override {
    const int code = request::look(status);
    tell_source(status, remote_first_);
    return code;
  }
  void take_in(std::size_t bytes) noexcept override { data_.arrived(bytes); }
  incoming data_;
  int remote_first_;
};

using request_table = handle_table<MPI_Request, request, handle_kind::request>;
[[nodiscard]] request_table& requests() noexcept;
/// Fails for MPI_REQUEST_NULL and for whatever is no request.
[[nodiscard]] request& request_of(MPI_Request handle);
[[nodiscard]] MPI_Request hand_out(std::unique_ptr<request> made);
/// Stands for every send that was over when its call returned: none of them has anything that is
/// to be kept. Never removed; no request of the ABI has this number.
[[nodiscard]] inline MPI_Request request_that_is_over() noexcept {
  return reinterpret_cast<MPI_Request>(std::uintptr_t{0x187});
}

/// One round of progress for everything.
void make_progress();
/// Threads that wait in await_until look again: what they wait for came true by no progress.
void wake_waits() noexcept;
/// Returns when `done` says so, which reads only what any thread may read at any time.
template <class Done>
void await_until(Done&& done) {
  using body = std::remove_reference_t<Done>;
  (void)detail::wait_until([](void* context) { return (*static_cast<body*>(context))(); },
                           static_cast<void*>(&done));
}

/// Finishes one of a program's, and takes its handle away unless it is persistent. Returns the code
/// with which it has ended. Requires: it is done.
[[nodiscard]] int finish(MPI_Request& handle, request& of, MPI_Status* status) noexcept;
/// What a call of that name returns where a request of that communicator has ended with the code:
/// its error handler was called.
[[nodiscard]] int ended(const char* function, MPI_Comm comm, int code) noexcept;

}  // namespace peal::mpi
