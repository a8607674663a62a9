// Nonblocking collectives that move data.
#include "mpi/collectives/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Ibarrier, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ibarrier", comm, [&] {
    *request = begin_work(request, collective::barrier, comm, [&](work& w) { (void)w; });
  });
}

PEAL_MPI_FUNCTION(int, Ibcast, void* buffer, int count, MPI_Datatype datatype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ibcast", comm, [&] {
    *request = begin_work(request, collective::bcast, comm,
                          [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Ibcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ibcast_c", comm, [&] {
    *request = begin_work(request, collective::bcast, comm,
                          [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Igather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Igather", comm, [&] {
    *request = begin_work(request, collective::gather, comm, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Igather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Igather_c", comm, [&] {
    *request = begin_work(request, collective::gather, comm, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Igatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Igatherv", comm, [&] {
    *request = begin_work(request, collective::gather, comm, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Igatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Igatherv_c", comm, [&] {
    *request = begin_work(request, collective::gather, comm, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iscatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Iscatter", comm, [&] {
    *request = begin_work(request, collective::scatter, comm, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iscatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iscatter_c", comm, [&] {
    *request = begin_work(request, collective::scatter, comm, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iscatterv, const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iscatterv", comm, [&] {
    *request = begin_work(request, collective::scatter, comm, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iscatterv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Iscatterv_c", comm, [&] {
    *request = begin_work(request, collective::scatter, comm, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Iallgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Iallgather", comm, [&] {
    *request = begin_work(request, collective::allgather, comm, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Iallgather_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iallgather_c", comm, [&] {
    *request = begin_work(request, collective::allgather, comm, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Iallgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Iallgatherv", comm, [&] {
    *request = begin_work(request, collective::allgather, comm, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Iallgatherv_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Iallgatherv_c", comm, [&] {
    *request = begin_work(request, collective::allgather, comm, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ialltoall", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ialltoall_c", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ialltoallv", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ialltoallv_c", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                  MPI_Request* request) {
  return run("MPI_Ialltoallw", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Ialltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Ialltoallw_c", comm, [&] {
    *request = begin_work(request, collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
