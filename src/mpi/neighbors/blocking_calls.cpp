// Blocking collectives between neighbours.
#include "mpi/neighbors/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Neighbor_allgather, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Neighbor_allgather", comm, [&] {
    run_work(collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgather_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Neighbor_allgather_c", comm, [&] {
    run_work(collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgatherv, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Neighbor_allgatherv", comm, [&] {
    run_work(collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Neighbor_allgatherv_c", comm, [&] {
    run_work(collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Neighbor_alltoall", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Neighbor_alltoall_c", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallv, const void* sendbuf, const int sendcounts[],
                  const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Neighbor_alltoallv", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Neighbor_alltoallv_c", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallw, const void* sendbuf, const int sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  return run("MPI_Neighbor_alltoallw", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run("MPI_Neighbor_alltoallw_c", comm, [&] {
    run_work(collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
