// Nonblocking collectives that join data.
#include "mpi/collectives/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Ireduce, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ireduce", comm, [&] {
    *request = begin_work(request, collective::reduce, comm, [&](work& w) {
      fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Ireduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ireduce_c", comm, [&] {
    *request = begin_work(request, collective::reduce, comm, [&](work& w) {
      fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iallreduce, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iallreduce", comm, [&] {
    *request = begin_work(request, collective::allreduce, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Iallreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iallreduce_c", comm, [&] {
    *request = begin_work(request, collective::allreduce, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Iscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iscan", comm, [&] {
    *request = begin_work(request, collective::scan, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Iscan_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iscan_c", comm, [&] {
    *request = begin_work(request, collective::scan, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Iexscan, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iexscan", comm, [&] {
    *request = begin_work(request, collective::exscan, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Iexscan_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iexscan_c", comm, [&] {
    *request = begin_work(request, collective::exscan, comm,
                          [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Ireduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ireduce_scatter", comm, [&] {
    *request = begin_work(request, collective::reduce_scatter, comm, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Ireduce_scatter_c, const void* sendbuf, void* recvbuf,
                  const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ireduce_scatter_c", comm, [&] {
    *request = begin_work(request, collective::reduce_scatter, comm, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Ireduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ireduce_scatter_block", comm, [&] {
    *request = begin_work(request, collective::reduce_scatter, comm, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Ireduce_scatter_block_c, const void* sendbuf, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ireduce_scatter_block_c", comm, [&] {
    *request = begin_work(request, collective::reduce_scatter, comm, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op);
    });
  });
}
