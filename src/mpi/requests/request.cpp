#include "mpi/requests/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

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

request::~request() { stop(); }

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

request_table& make_requests() {
  auto* const made = new request_table;
  made->set(request_that_is_over(), *new request{MPI_COMM_NULL});
  return *made;
}

void fail_no_request(MPI_Request handle) {
  fail_handle(MPI_ERR_REQUEST, "request", handle, MPI_REQUEST_NULL, "MPI_REQUEST_NULL", "request");
}

namespace {

/// What was given back, of one length; what each begins with is the next one. Where several threads
/// call it is not used, since a lock would cost what it saves.
struct spare_memory {
  static constexpr std::size_t length = sizeof(receive_request);
  static constexpr int most = 1024;
  void* first = nullptr;
  int count = 0;
};
constinit spare_memory spare;

}  // namespace

void* message_request_memory::operator new(std::size_t bytes) {
  if (bytes > spare_memory::length) return ::operator new(bytes);
  void* const taken = spare.first;
  if (taken == nullptr || !requests().expects_one_thread())
    return ::operator new(spare_memory::length);
  std::memcpy(&spare.first, taken, sizeof spare.first);
  --spare.count;
  return taken;
}

void message_request_memory::operator delete(void* gone, std::size_t bytes) noexcept {
  if (bytes > spare_memory::length) return ::operator delete(gone, bytes);
  if (spare.count == spare_memory::most || !requests().expects_one_thread())
    return ::operator delete(gone, spare_memory::length);
  std::memcpy(gone, &spare.first, sizeof spare.first);
  spare.first = gone;
  ++spare.count;
}

void make_progress() { (void)detail::progress(); }
void wake_waits() noexcept { detail::wake_waits(); }

int ended_badly(const char* function, MPI_Comm comm, int code) noexcept {
  return run(function, comm, [code] { fail(code, text_of(code, last_failed)); });
}

}  // namespace peal::mpi
