// Blocking collectives that join data.
#include "mpi/collectives/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm) {
  return run("MPI_Reduce", comm, [&] {
    run_work(collective::reduce, comm,
             [&](work& w) { fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return run("MPI_Reduce_c", comm, [&] {
    run_work(collective::reduce, comm,
             [&](work& w) { fill_reduce(w, sendbuf, recvbuf, count, datatype, op, root); });
  });
}

PEAL_MPI_FUNCTION(int, Allreduce, const void* sendbuf, void* recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Allreduce", comm, [&] {
    if (try_allreduce_at_once(comm, sendbuf, recvbuf, count, datatype, op)) return;
    run_work(collective::allreduce, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Allreduce_c", comm, [&] {
    if (try_allreduce_at_once(comm, sendbuf, recvbuf, count, datatype, op)) return;
    run_work(collective::allreduce, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm) {
  return run("MPI_Scan", comm, [&] {
    run_work(collective::scan, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Scan_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Scan_c", comm, [&] {
    run_work(collective::scan, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm) {
  return run("MPI_Exscan", comm, [&] {
    run_work(collective::exscan, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Exscan_c, const void* sendbuf, void* recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Exscan_c", comm, [&] {
    run_work(collective::exscan, comm,
             [&](work& w) { fill_join(w, sendbuf, recvbuf, count, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter", comm, [&] {
    run_work(collective::reduce_scatter, comm,
             [&](work& w) { fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_c, const void* sendbuf, void* recvbuf,
                  const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_c", comm, [&] {
    run_work(collective::reduce_scatter, comm,
             [&](work& w) { fill_join_blocks(w, sendbuf, recvbuf, recvcounts, 0, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_block", comm, [&] {
    run_work(collective::reduce_scatter, comm,
             [&](work& w) { fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op); });
  });
}

PEAL_MPI_FUNCTION(int, Reduce_scatter_block_c, const void* sendbuf, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_block_c", comm, [&] {
    run_work(collective::reduce_scatter, comm,
             [&](work& w) { fill_join_blocks(w, sendbuf, recvbuf, {}, recvcount, datatype, op); });
  });
}
