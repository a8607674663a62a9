// Collectives between neighbours that are made once and started as often as wanted.
#include "mpi/collectives/persistent.hpp"
#include "mpi/neighbors/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Neighbor_allgather_init, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_allgather_init", comm, [&] {
    *request = prepare_work(request, collective::neighbor_allgather, comm, info, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgather_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_allgather_init_c", comm, [&] {
    *request = prepare_work(request, collective::neighbor_allgather, comm, info, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgatherv_init, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_allgatherv_init", comm, [&] {
    *request = prepare_work(request, collective::neighbor_allgather, comm, info, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_allgatherv_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Neighbor_allgatherv_init_c", comm, [&] {
    *request = prepare_work(request, collective::neighbor_allgather, comm, info, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoall_init, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_alltoall_init", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoall_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_alltoall_init_c", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallv_init, const void* sendbuf, const int sendcounts[],
                  const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Neighbor_alltoallv_init", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_alltoallv_init_c", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallw_init, const void* sendbuf, const int sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Neighbor_alltoallw_init", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Neighbor_alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Neighbor_alltoallw_init_c", comm, [&] {
    *request = prepare_work(request, collective::neighbor_alltoall, comm, info, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
