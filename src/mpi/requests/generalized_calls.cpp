// Requests of the program's own.
#include "mpi/requests/generalized.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Grequest_start, MPI_Grequest_query_function* query_fn,
                  MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
                  void* extra_state, MPI_Request* request) {
  return run_in_job("MPI_Grequest_start", [&] {
    need_place(reinterpret_cast<const void*>(query_fn), "query_fn");
    need_place(reinterpret_cast<const void*>(free_fn), "free_fn");
    need_place(reinterpret_cast<const void*>(cancel_fn), "cancel_fn");
    need_place(request, "request");
    *request = start_generalized({query_fn, free_fn, cancel_fn, extra_state});
  });
}

PEAL_MPI_FUNCTION(int, Grequest_complete, MPI_Request request) {
  int code = MPI_SUCCESS;
  const int wrong =
      run_in_job("MPI_Grequest_complete", [&] { code = complete_generalized(request); });
  return wrong != MPI_SUCCESS ? wrong : ended("MPI_Grequest_complete", MPI_COMM_NULL, code);
}
