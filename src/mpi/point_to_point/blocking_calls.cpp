// Blocking sends and receives.
#include "mpi/point_to_point/sending.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Send, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm) {
  return run("MPI_Send", comm,
             [&] { send(send_mode::standard, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Send_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm) {
  return run("MPI_Send_c", comm,
             [&] { send(send_mode::standard, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Ssend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm) {
  return run("MPI_Ssend", comm,
             [&] { send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Ssend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm) {
  return run("MPI_Ssend_c", comm,
             [&] { send(send_mode::synchronous, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Rsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm) {
  return run("MPI_Rsend", comm,
             [&] { send(send_mode::ready, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Rsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm) {
  return run("MPI_Rsend_c", comm,
             [&] { send(send_mode::ready, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Bsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm) {
  return run("MPI_Bsend", comm,
             [&] { send(send_mode::buffered, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Bsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm) {
  return run("MPI_Bsend_c", comm,
             [&] { send(send_mode::buffered, {buf, count, datatype, dest, tag, comm}); });
}

PEAL_MPI_FUNCTION(int, Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                  MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Recv", comm, [&] { receive({buf, count, datatype, source, tag, comm}, status); });
}

PEAL_MPI_FUNCTION(int, Recv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                  int tag, MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Recv_c", comm,
             [&] { receive({buf, count, datatype, source, tag, comm}, status); });
}

PEAL_MPI_FUNCTION(int, Sendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Sendrecv", comm, [&] {
    exchange({sendbuf, sendcount, sendtype, dest, sendtag, comm},
             {recvbuf, recvcount, recvtype, source, recvtag, comm}, status, false);
  });
}

PEAL_MPI_FUNCTION(int, Sendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Sendrecv_c", comm, [&] {
    exchange({sendbuf, sendcount, sendtype, dest, sendtag, comm},
             {recvbuf, recvcount, recvtype, source, recvtag, comm}, status, false);
  });
}

PEAL_MPI_FUNCTION(int, Sendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest,
                  int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Sendrecv_replace", comm, [&] {
    exchange({buf, count, datatype, dest, sendtag, comm},
             {buf, count, datatype, source, recvtag, comm}, status, true);
  });
}

PEAL_MPI_FUNCTION(int, Sendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype,
                  int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                  MPI_Status* status) {
  return run("MPI_Sendrecv_replace_c", comm, [&] {
    exchange({buf, count, datatype, dest, sendtag, comm},
             {buf, count, datatype, source, recvtag, comm}, status, true);
  });
}
