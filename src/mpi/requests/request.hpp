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

#include "mpi/support/handle_table.hpp"
#include "mpi/support/status.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

class request {
 public:
  /// A persistent one can be started again and again, and is not active before.
  enum class form : bool { once, persistent };
  /// `comm`: whose error handler is called.
  explicit request(MPI_Comm comm, form how = form::once) noexcept
      : comm_{comm}, persistent_{how == form::persistent}, active_{how == form::once} {}
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  virtual ~request() { stop(); }

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// An inactive one is persistent, and not started.
  [[nodiscard]] bool is_active() const noexcept { return active_; }
  [[nodiscard]] bool is_persistent() const noexcept { return persistent_; }
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
  int finish(MPI_Status& status) noexcept {
    const int code = end(status);
    if (persistent_) active_ = false;
    return code;
  }
  /// Both, and tells the program, which may not want to know.
  virtual int await_and_finish(MPI_Status* wanted) {
    await();
    MPI_Status end;
    const int code = finish(end);
    tell_status(wanted, end);
    return code;
  }
  /// The status, if it were finished now; the error code. Requires: is_done.
  virtual int look(MPI_Status& status) noexcept;
  /// A persistent one begins anew. Fails where it is not persistent, or active.
  void start();
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
  /// For destructors of what has the memory of the operation.
  void stop() noexcept { detail::drop(std::exchange(operation_, nullptr)); }
  /// What is running has ended without an error, and is this request's alone.
  void give_back_good() noexcept { detail::drop_good(*std::exchange(operation_, nullptr)); }
  /// What `finish` does.
  virtual int end(MPI_Status& status) noexcept;
  /// What `start` does.
  virtual void begin() {}
  /// What arrived is put where the program wants it.
  virtual void take_in(std::size_t bytes) noexcept { (void)bytes; }
  /// An outcome, as a status and a code.
  static int tell(const detail::outcome& of, MPI_Status& status) noexcept;

 private:
  MPI_Comm comm_;
  detail::operation* operation_ = nullptr;  // null: nothing was to be done, or it is over
  bool persistent_;
  bool active_;
};

// As many shares as there are lanes of messages at most, since threads with lanes of their own
// should meet nowhere.
using request_table = handle_table<MPI_Request, request, handle_kind::request, 16>;
inline constinit everlasting<request_table> all_requests;
[[nodiscard]] inline request_table& requests() noexcept { return all_requests.value; }

/// The memory of requests of messages, of which programs make many and end them soon: malloc keeps
/// few of one size at hand. What was given back is kept, of one length. Where several threads call
/// nothing is, since a lock would cost what it saves.
class message_request_memory {
 public:
  [[gnu::always_inline]] static void* operator new(std::size_t bytes) {
    spare* const taken = first_;
    if (bytes > length || taken == nullptr || !requests().expects_one_thread()) [[unlikely]]
      return new_block(bytes);
    first_ = taken->next;
    --count_;
    return taken;
  }
  static void operator delete(void* gone, std::size_t bytes) noexcept {
    if (bytes > length || count_ == most || !requests().expects_one_thread()) [[unlikely]]
      return ::operator delete(gone);
    first_ = ::new (gone) spare{first_};
    ++count_;
  }

 private:
  struct spare {
    spare* next;
  };
  static constexpr std::size_t length = 32;  // of send_request and receive_request
  static constexpr int most = 1024;

  [[gnu::cold]] static void* new_block(std::size_t bytes);

  static inline constinit spare* first_ = nullptr;
  static inline constinit int count_ = 0;
};

/// Of a send from the program's own memory.
class send_request final : public request, public message_request_memory {
 public:
  send_request(MPI_Comm comm, detail::operation* begun) noexcept : request{comm} { run(begun); }
};

/// Of a receive.
class receive_request : public request, public message_request_memory {
 public:
  /// `remote_first`: of the communicator.
  receive_request(MPI_Comm comm, detail::operation* begun, int remote_first) noexcept
      : request{comm}, remote_first_{remote_first} {
    run(begun);
  }

  // Without a status of its own: its words would be written one by one and read as a whole at once,
  // for which a processor waits.
  int await_and_finish(MPI_Status* wanted) override {
    (void)detail::wait(*running());
    const detail::outcome& arrived = detail::result_of(*running());
    if (arrived.error) [[unlikely]]
      return request::await_and_finish(wanted);
    if (wanted != MPI_STATUS_IGNORE) {
      set_outcome(*wanted, arrived);
      tell_source(*wanted, remote_first_);
    }
    give_back_good();
    return MPI_SUCCESS;
  }

 private:
  int look(MPI_Status& status) noexcept override {
    const int code = request::look(status);
    tell_source(status, remote_first_);
    return code;
  }

  int remote_first_;
};
static_assert(sizeof(send_request) <= 32 && sizeof(receive_request) <= 32, "kept at hand");

[[noreturn, gnu::cold]] void fail_no_request(MPI_Request handle);
/// Fails for MPI_REQUEST_NULL and for whatever is no request.
[[nodiscard]] inline request& request_of(MPI_Request handle) {
  request* const found = requests().find(handle);
  if (found == nullptr) [[unlikely]]
    fail_no_request(handle);
  return *found;
}
// Always inline, as take_away, for requests of messages.
[[nodiscard, gnu::always_inline]] inline MPI_Request hand_out(std::unique_ptr<request> made) {
  return requests().add(std::move(made));
}
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

/// One that is finished has no handle any more, unless it is persistent.
[[gnu::always_inline]] inline void take_away(MPI_Request& handle, const request& of) noexcept {
  if (of.is_persistent()) return;
  if (!request_table::is_predefined(handle)) requests().remove(handle);
  handle = MPI_REQUEST_NULL;
}
/// Finishes one of a program's, and takes its handle away unless it is persistent. Returns the code
/// with which it has ended. Requires: it is done.
[[nodiscard]] inline int finish(MPI_Request& handle, request& of, MPI_Status* status) noexcept {
  MPI_Status end;
  const int code = of.finish(end);
  tell_status(status, end);
  take_away(handle, of);
  return code;
}
/// Waits for one of a program's, which may be none at all, and finishes it. `comm`: becomes that of
/// the request. Always inline: MPI_Waitall comes by for each.
[[nodiscard, gnu::always_inline]] inline int wait_and_finish(MPI_Request& handle,
                                                             MPI_Status* status, MPI_Comm& comm) {
  if (handle == MPI_REQUEST_NULL || handle == request_that_is_over()) {
    handle = MPI_REQUEST_NULL;
    tell_empty_status(status);
    return MPI_SUCCESS;
  }
  request& awaited = request_of(handle);
  if (!awaited.is_active()) {
    tell_empty_status(status);
    return MPI_SUCCESS;
  }
  comm = awaited.comm();
  const int code = awaited.await_and_finish(status);
  take_away(handle, awaited);
  return code;
}
/// For what has ended with a code other than MPI_SUCCESS.
[[nodiscard, gnu::cold]] int ended_badly(const char* function, MPI_Comm comm, int code) noexcept;
/// What a call of that name returns where a request of that communicator has ended with the code:
/// its error handler was called.
[[nodiscard]] inline int ended(const char* function, MPI_Comm comm, int code) noexcept {
  return code == MPI_SUCCESS ? code : ended_badly(function, comm, code);
}

}  // namespace peal::mpi
