// Functions that finish one request, or look at it.
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

/// Null: there is nothing to be waited for.
request* active(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) {
    need_job();
    return nullptr;
  }
  request& found = request_of(handle);
  return found.is_active() ? &found : nullptr;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Wait, MPI_Request* request, MPI_Status* status) {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run("MPI_Wait", [&] {
    need_place(request, "request");
    if (*request == MPI_REQUEST_NULL) need_job();
    code = wait_and_finish(*request, status, comm);
  });
  return wrong != MPI_SUCCESS ? wrong : ended("MPI_Wait", comm, code);
}

PEAL_MPI_FUNCTION(int, Test, MPI_Request* request, int* flag, MPI_Status* status) {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run("MPI_Test", [&] {
    need_place(request, "request");
    need_place(flag, "flag");
    *flag = 1;
    auto* const tested = active(*request);
    if (tested == nullptr) return tell_empty_status(status);
    comm = tested->comm();
    if (!tested->is_done()) make_progress();
    *flag = tested->is_done() ? 1 : 0;
    if (*flag != 0) code = finish(*request, *tested, status);
  });
  return wrong != MPI_SUCCESS ? wrong : ended("MPI_Test", comm, code);
}

PEAL_MPI_FUNCTION(int, Request_free, MPI_Request* request) {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run("MPI_Request_free", [&] {
    need_place(request, "request");
    auto& unwanted = request_of(*request);
    unwanted.check_free();
    comm = unwanted.comm();
    if (!request_table::is_predefined(*request))
      code = peal::mpi::request::let_go(requests().remove(*request));
    *request = MPI_REQUEST_NULL;
  });
  return wrong != MPI_SUCCESS ? wrong : ended("MPI_Request_free", comm, code);
}

PEAL_MPI_FUNCTION(int, Cancel, MPI_Request* request) {
  return run("MPI_Cancel", [&] {
    need_place(request, "request");
    auto& cancelled = request_of(*request);
    if (!cancelled.is_active()) fail(MPI_ERR_REQUEST, "request is not active");
    cancelled.cancel();
  });
}

PEAL_MPI_FUNCTION(int, Test_cancelled, const MPI_Status* status, int* flag) {
  return run("MPI_Test_cancelled", [&] {
    need_place(status, "status");
    need_place(flag, "flag");
    *flag = is_cancelled(*status) ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Start, MPI_Request* request) {
  return run("MPI_Start", [&] {
    need_place(request, "request");
    request_of(*request).start();
  });
}

PEAL_MPI_FUNCTION(int, Startall, int count, MPI_Request array_of_requests[]) {
  return run("MPI_Startall", [&] {
    need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
    if (count != 0) need_place(array_of_requests, "array_of_requests");
    with_names({{"request", "array_of_requests"}}, [&] {
      for (int each = 0; each != count; ++each) request_of(array_of_requests[each]).start();
    });
  });
}
