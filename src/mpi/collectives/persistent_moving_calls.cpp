// Collectives that move data, made once and started as often as wanted.
#include "mpi/collectives/fill.hpp"
#include "mpi/collectives/persistent.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Barrier_init, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Barrier_init", comm, [&] {
    *request = prepare_work(request, collective::barrier, comm, info, [](work&) {});
  });
}

PEAL_MPI_FUNCTION(int, Bcast_init, void* buffer, int count, MPI_Datatype datatype, int root,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Bcast_init", comm, [&] {
    *request = prepare_work(request, collective::bcast, comm, info,
                            [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Bcast_init_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Bcast_init_c", comm, [&] {
    *request = prepare_work(request, collective::bcast, comm, info,
                            [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Gather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Gather_init", comm, [&] {
    *request = prepare_work(request, collective::gather, comm, info, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gather_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Gather_init_c", comm, [&] {
    *request = prepare_work(request, collective::gather, comm, info, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Gatherv_init", comm, [&] {
    *request = prepare_work(request, collective::gather, comm, info, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gatherv_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Gatherv_init_c", comm, [&] {
    *request = prepare_work(request, collective::gather, comm, info, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatter_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Scatter_init", comm, [&] {
    *request = prepare_work(request, collective::scatter, comm, info, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatter_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Scatter_init_c", comm, [&] {
    *request = prepare_work(request, collective::scatter, comm, info, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatterv_init, const void* sendbuf, const int sendcounts[],
                  const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Scatterv_init", comm, [&] {
    *request = prepare_work(request, collective::scatter, comm, info, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatterv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
  return run("MPI_Scatterv_init_c", comm, [&] {
    *request = prepare_work(request, collective::scatter, comm, info, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Allgather_init", comm, [&] {
    *request = prepare_work(request, collective::allgather, comm, info, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgather_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Allgather_init_c", comm, [&] {
    *request = prepare_work(request, collective::allgather, comm, info, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Allgatherv_init", comm, [&] {
    *request = prepare_work(request, collective::allgather, comm, info, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgatherv_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Allgatherv_init_c", comm, [&] {
    *request = prepare_work(request, collective::allgather, comm, info, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Alltoall_init", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoall_init_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Alltoall_init_c", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallv_init, const void* sendbuf, const int sendcounts[],
                  const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Alltoallv_init", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Alltoallv_init_c", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallw_init, const void* sendbuf, const int sendcounts[],
                  const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Alltoallw_init", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Alltoallw_init_c", comm, [&] {
    *request = prepare_work(request, collective::alltoall, comm, info, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
