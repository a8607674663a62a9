// The fields of a status, by functions.
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/status.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Status_get_source, const MPI_Status* status, int* source) {
  return run("MPI_Status_get_source", [&] {
    need_place(status, "status");
    need_place(source, "source");
    *source = status->MPI_SOURCE;
  });
}

PEAL_MPI_FUNCTION(int, Status_set_source, MPI_Status* status, int source) {
  return run("MPI_Status_set_source", [&] {
    need_place(status, "status");
    status->MPI_SOURCE = source;
  });
}

PEAL_MPI_FUNCTION(int, Status_get_tag, const MPI_Status* status, int* tag) {
  return run("MPI_Status_get_tag", [&] {
    need_place(status, "status");
    need_place(tag, "tag");
    *tag = status->MPI_TAG;
  });
}

PEAL_MPI_FUNCTION(int, Status_set_tag, MPI_Status* status, int tag) {
  return run("MPI_Status_set_tag", [&] {
    need_place(status, "status");
    status->MPI_TAG = tag;
  });
}

PEAL_MPI_FUNCTION(int, Status_get_error, const MPI_Status* status, int* err) {
  return run("MPI_Status_get_error", [&] {
    need_place(status, "status");
    need_place(err, "error");
    *err = status->MPI_ERROR;
  });
}

PEAL_MPI_FUNCTION(int, Status_set_error, MPI_Status* status, int err) {
  return run("MPI_Status_set_error", [&] {
    need_place(status, "status");
    status->MPI_ERROR = err;
  });
}

PEAL_MPI_FUNCTION(int, Status_set_cancelled, MPI_Status* status, int flag) {
  return run("MPI_Status_set_cancelled", [&] {
    need_place(status, "status");
    set_cancelled(*status, flag != 0);
  });
}
