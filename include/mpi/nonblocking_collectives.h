/* mpi/nonblocking_collectives.h
 * Collectives that give a request. */
#ifndef PEAL_MPI_NONBLOCKING_COLLECTIVES_H
#define PEAL_MPI_NONBLOCKING_COLLECTIVES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Iallgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iallgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Iallgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Iallgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iallreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iallreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ialltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ialltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Ialltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ialltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ialltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ialltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ibarrier, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ibcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Ibcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iexscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iexscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Igather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Igather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Igatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Igatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, int root, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, int root, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ireduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iscatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iscatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Iscatterv, const void* sendbuf, const int sendcounts[], const int displs[],
         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Iscatterv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);

#ifdef __cplusplus
}
#endif

#endif
