// Collectives that join data, made once and started as often as wanted.
#include "mpi/collectives/fill.hpp"
#include "mpi/collectives/persistent.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Reduce_init, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Reduce_init", comm, [&] {
    *request = prepare_work(request, collective::reduce, comm, info, [&](work& w) {
      fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Reduce_init_c", comm, [&] {
    *request = prepare_work(request, collective::reduce, comm, info, [&](work& w) {
      fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Allreduce_init, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Allreduce_init", comm, [&] {
    *request = prepare_work(request, collective::allreduce, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Allreduce_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Allreduce_init_c", comm, [&] {
    *request = prepare_work(request, collective::allreduce, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Scan_init, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Scan_init", comm, [&] {
    *request = prepare_work(request, collective::scan, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Scan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Scan_init_c", comm, [&] {
    *request = prepare_work(request, collective::scan, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Exscan_init, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Exscan_init", comm, [&] {
    *request = prepare_work(request, collective::exscan, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Exscan_init_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Exscan_init_c", comm, [&] {
    *request = prepare_work(request, collective::exscan, comm, info,
                            [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_init, const void* sendbuf, void* recvbuf,
                  const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Reduce_scatter_init", comm, [&] {
    *request = prepare_work(request, collective::reduce_scatter, comm, info, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_init_c, const void* sendbuf, void* recvbuf,
                  const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Reduce_scatter_init_c", comm, [&] {
    *request = prepare_work(request, collective::reduce_scatter, comm, info, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_block_init, const void* sendbuf, void* recvbuf, int recvcount,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Reduce_scatter_block_init", comm, [&] {
    *request = prepare_work(request, collective::reduce_scatter, comm, info, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op);
    });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_block_init_c, const void* sendbuf, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Reduce_scatter_block_init_c", comm, [&] {
    *request = prepare_work(request, collective::reduce_scatter, comm, info, [&](work& w) {
      fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op);
    });
  });
}
