// Sends and receives that give a request.
#include "mpi/point_to_point/sending.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Isend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Isend", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::standard, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Isend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Isend_c", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::standard, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Issend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Issend", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Issend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Issend_c", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Irsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Irsend", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::ready, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Irsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Irsend_c", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::ready, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Ibsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ibsend", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::buffered, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Ibsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ibsend_c", comm, [&] {
    need_place(request, "request");
    *request = start_send(send_mode::buffered, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Irecv", comm, [&] {
    need_place(request, "request");
    *request = start_receive({buf, count, datatype, source, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Irecv_c", comm, [&] {
    need_place(request, "request");
    *request = start_receive({buf, count, datatype, source, tag, comm});
  });
}
