// Blocking collectives that move data.
#include "mpi/collectives/fill.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;
using peal::detail::collective;

PEAL_MPI_FUNCTION(int, Barrier, MPI_Comm comm) {
  return run("MPI_Barrier", comm, [&] { run_work(collective::barrier, comm, [](work&) {}); });
}

PEAL_MPI_FUNCTION(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root,
                  MPI_Comm comm) {
  return run("MPI_Bcast", comm, [&] {
    run_work(collective::bcast, comm,
             [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                  MPI_Comm comm) {
  return run("MPI_Bcast_c", comm, [&] {
    run_work(collective::bcast, comm,
             [&](work& w) { fill_bcast(w, {buffer, count, datatype}, root); });
  });
}

PEAL_MPI_FUNCTION(int, Gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Gather", comm, [&] {
    run_work(collective::gather, comm, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm) {
  return run("MPI_Gather_c", comm, [&] {
    run_work(collective::gather, comm, [&](work& w) {
      fill_gather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return run("MPI_Gatherv", comm, [&] {
    run_work(collective::gather, comm, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Gatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Gatherv_c", comm, [&] {
    run_work(collective::gather, comm, [&](work& w) {
      fill_gatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype},
                   root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Scatter", comm, [&] {
    run_work(collective::scatter, comm, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm) {
  return run("MPI_Scatter_c", comm, [&] {
    run_work(collective::scatter, comm, [&](work& w) {
      fill_scatter(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatterv, const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return run("MPI_Scatterv", comm, [&] {
    run_work(collective::scatter, comm, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Scatterv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Scatterv_c", comm, [&] {
    run_work(collective::scatter, comm, [&](work& w) {
      fill_scatterv(w, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype},
                    root);
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgather", comm, [&] {
    run_work(collective::allgather, comm, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgather_c", comm, [&] {
    run_work(collective::allgather, comm, [&](work& w) {
      fill_allgather(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Allgatherv", comm, [&] {
    run_work(collective::allgather, comm, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Allgatherv_c, const void* sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgatherv_c", comm, [&] {
    run_work(collective::allgather, comm, [&](work& w) {
      fill_allgatherv(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoall", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoall_c", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoall(w, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoallv", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return run("MPI_Alltoallv_c", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, sendtype},
                     {recvbuf, recvcounts, rdispls, recvtype});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run("MPI_Alltoallw", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}

PEAL_MPI_FUNCTION(int, Alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run("MPI_Alltoallw_c", comm, [&] {
    run_work(collective::alltoall, comm, [&](work& w) {
      fill_alltoallv(w, {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                     {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes});
    });
  });
}
