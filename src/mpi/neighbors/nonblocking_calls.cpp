// Nonblocking collectives between neighbours.
#include "mpi/neighbors/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Ineighbor_allgather, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_allgather", comm, [&] {
    *request = begin_work(request, collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_allgather_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_allgather_c", comm, [&] {
    *request = begin_work(request, collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_allgatherv, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_allgatherv", comm, [&] {
    *request = begin_work(request, collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ineighbor_allgatherv_c", comm, [&] {
    *request = begin_work(request, collective::neighbor_allgather, comm, [&](work& w) {
      fill_neighbor_allgatherv(w, {sendbuf, sendcount, sendtype},
                               {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoall, const void* sendbuf, int sendcount,
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoall", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoall_c", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoallv, const void* sendbuf, const int sendcounts[],
                  const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoallv", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoallv_c", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                              {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoallw, const void* sendbuf, const int sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoallw", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ineighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ineighbor_alltoallw_c", comm, [&] {
    *request = begin_work(request, collective::neighbor_alltoall, comm, [&](work& w) {
      fill_neighbor_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                              {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
