// mpi/requests/generalized.hpp
// Generalized requests: functions of the program say how one ends, and the program says when.
//
// The functions are called without a lock, so they may call MPI: `query` where a status is wanted,
// `free` once, after both the program has said that it is complete and its handle is gone.
//
// Layer    mpi/requests.
// Threads  any thread may complete one, also while another waits for it.
// Errors   a request ends with the code of `query`, or where that is MPI_SUCCESS of `free`. What is
//          completed a second time, or is none of these: a failure, MPI_ERR_REQUEST.
#pragma once

#include <mpi.h>

namespace peal::mpi {

/// What the program gives.
struct generalized_functions {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* extra_state;
};

[[nodiscard]] MPI_Request start_generalized(const generalized_functions& functions);
/// The handle may have been freed already. The code of `free`, where this was what it waited for.
int complete_generalized(MPI_Request handle);

}  // namespace peal::mpi
