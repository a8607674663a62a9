#include "mpi/requests/request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

// Before the program begins: of it every thread may ask.
[[maybe_unused]] const bool over_is_known = [] {
  requests().set(request_that_is_over(), *new request{MPI_COMM_NULL});
  return true;
}();

/// Of the request that this thread has found to have failed last, for the sentence about it.
thread_local detail::outcome last_failed;

std::string text_of(int code, const detail::outcome& of) {
  const char* const name = name_of_class(code);
  std::string begin =
      fmt::format("a request has ended with {}", name == nullptr ? "an error" : name);
  if (class_of(of.error) != code && code != MPI_ERR_IN_STATUS) return begin;
  if (of.source < 0) return fmt::format("{}: {}", begin, of.error.message());
  if (of.error == make_error_code(errc::operation_failed))
    return fmt::format("{}: rank {} takes no part, since it was refused its arguments", begin,
                       of.source);
  return fmt::format("{}: message from rank {} with tag {}: {}", begin, of.source, of.tag,
                     of.error.message());
}

}  // namespace

int request::tell(const detail::outcome& of, MPI_Status& status) noexcept {
  set_outcome(status, of);
  if (of.error) [[unlikely]]
    last_failed = of;
  return is_cancelled(status) ? MPI_SUCCESS : class_of(of.error);
}

int request::look(MPI_Status& status) noexcept {
  status = empty_status();
  return operation_ == nullptr ? MPI_SUCCESS : tell(detail::result_of(*operation_), status);
}

int request::end(MPI_Status& status) noexcept {
  const int code = look(status);
  if (operation_ == nullptr) return code;
  // What was too long arrived as far as there is room.
  if (!is_cancelled(status)) take_in(detail::result_of(*operation_).bytes);
  detail::drop(std::exchange(operation_, nullptr));
  return code;
}

void request::await() {
  if (operation_ != nullptr) (void)detail::wait(*operation_);
  if (!is_done()) await_until([this] { return is_done(); });
}

void request::start() {
  if (!persistent_) fail(MPI_ERR_REQUEST, "request is not persistent");
  if (active_) fail(MPI_ERR_REQUEST, "request is active already");
  begin();
  active_ = true;
}

void request::cancel() {
  if (operation_ != nullptr) (void)detail::cancel(*operation_);
}

int request::end_unasked() noexcept {
  MPI_Status ignored;
  (void)finish(ignored);
  return MPI_SUCCESS;
}

int request::let_go(std::unique_ptr<request> unwanted) {
  detail::operation* const awaited = unwanted->is_done() ? nullptr : unwanted->pending();
  if (awaited == nullptr) return unwanted->end_unasked();
  // What has arrived by then is unpacked, too.
  detail::on_finish(
      *awaited,
      [](void* kept) { (void)let_go(std::unique_ptr<request>{static_cast<request*>(kept)}); },
      unwanted.release());
  return MPI_SUCCESS;
}

void fail_no_request(MPI_Request handle) {
  fail_handle(MPI_ERR_REQUEST, "request", handle, MPI_REQUEST_NULL, "MPI_REQUEST_NULL", "request");
}

void* message_request_memory::new_block(std::size_t bytes) {
  return ::operator new(std::max(bytes, length));
}

void make_progress() { (void)detail::progress(); }
void wake_waits() noexcept { detail::wake_waits(); }

int ended_badly(const char* function, MPI_Comm comm, int code) noexcept {
  return run(function, comm, [code] { fail(code, text_of(code, last_failed)); });
}

}  // namespace peal::mpi
