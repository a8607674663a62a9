// Sends and receives that are one request.
#include "mpi/point_to_point/exchange.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Isendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Isendrecv", comm, [&] {
    need_place(request, "request");
    *request = start_exchange({sendbuf, sendcount, sendtype, dest, sendtag, comm},
                              {recvbuf, recvcount, recvtype, source, recvtag, comm}, false);
  });
}

PEAL_MPI_FUNCTION(int, Isendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest,
                  int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Isendrecv_replace", comm, [&] {
    need_place(request, "request");
    *request = start_exchange({buf, count, datatype, dest, sendtag, comm},
                              {buf, count, datatype, source, recvtag, comm}, true);
  });
}

PEAL_MPI_FUNCTION(int, Isendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Isendrecv_c", comm, [&] {
    need_place(request, "request");
    *request = start_exchange({sendbuf, sendcount, sendtype, dest, sendtag, comm},
                              {recvbuf, recvcount, recvtype, source, recvtag, comm}, false);
  });
}

PEAL_MPI_FUNCTION(int, Isendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Isendrecv_replace_c", comm, [&] {
    need_place(request, "request");
    *request = start_exchange({buf, count, datatype, dest, sendtag, comm},
                              {buf, count, datatype, source, recvtag, comm}, true);
  });
}
