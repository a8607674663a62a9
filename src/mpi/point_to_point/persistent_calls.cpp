// Sends and receives that are made once and started as often as wanted.
#include "mpi/point_to_point/sending.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Send_init, const void* buf, int count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Send_init", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::standard, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Send_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Send_init_c", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::standard, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Ssend_init, const void* buf, int count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ssend_init", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Ssend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ssend_init_c", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Rsend_init, const void* buf, int count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Rsend_init", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::ready, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Rsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Rsend_init_c", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::ready, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Bsend_init, const void* buf, int count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Bsend_init", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::buffered, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Bsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Bsend_init_c", comm, [&] {
    need_place(request, "request");
    *request = prepare_send(send_mode::buffered, {buf, count, datatype, dest, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Recv_init, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Recv_init", comm, [&] {
    need_place(request, "request");
    *request = prepare_receive({buf, count, datatype, source, tag, comm});
  });
}

PEAL_MPI_FUNCTION(int, Recv_init_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                  int tag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Recv_init_c", comm, [&] {
    need_place(request, "request");
    *request = prepare_receive({buf, count, datatype, source, tag, comm});
  });
}
