// The start and the end of MPI.
#include "mpi/environment/world.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "peal/detail/core.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Init, int* argc, char*** argv) {
  (void)argc, (void)argv;  // they are left as they are
  return run("MPI_Init", [] { start_world(MPI_THREAD_SINGLE); });
}

PEAL_MPI_FUNCTION(int, Init_thread, int* argc, char*** argv, int required, int* provided) {
  (void)argc, (void)argv;
  return run("MPI_Init_thread", [&] {
    need_place(provided, "provided");
    need(required == MPI_THREAD_SINGLE || required == MPI_THREAD_FUNNELED ||
             required == MPI_THREAD_SERIALIZED || required == MPI_THREAD_MULTIPLE,
         MPI_ERR_ARG, "required", required, "it is no level of threads");
    start_world(required);
    *provided = world_threads();
  });
}

PEAL_MPI_FUNCTION(int, Finalize, void) {
  return run("MPI_Finalize", [] { finish_world(); });
}

PEAL_MPI_FUNCTION(int, Abort, MPI_Comm comm, int errorcode) {
  (void)comm;  // the whole job ends, as most programs expect
  peal::detail::abort_job(errorcode, "MPI_Abort was called");
}

PEAL_MPI_FUNCTION(int, Initialized, int* flag) {
  return run("MPI_Initialized", [&] {
    need_place(flag, "flag");
    *flag = world_started() ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Finalized, int* flag) {
  return run("MPI_Finalized", [&] {
    need_place(flag, "flag");
    *flag = world_finished() ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Query_thread, int* provided) {
  return run("MPI_Query_thread", [&] {
    need_place(provided, "provided");
    *provided = world_threads();
  });
}

PEAL_MPI_FUNCTION(int, Is_thread_main, int* flag) {
  return run("MPI_Is_thread_main", [&] {
    need_place(flag, "flag");
    *flag = in_main_thread() ? 1 : 0;
  });
}
