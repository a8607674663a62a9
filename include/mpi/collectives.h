/* mpi/collectives.h
 * Collectives that return when this process has done its part, and operations of reductions. */
#ifndef PEAL_MPI_COLLECTIVES_H
#define PEAL_MPI_COLLECTIVES_H

#include "callbacks.h"
#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Allgatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
         MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Allreduce_c, const void* sendbuf, void* recvbuf, MPI_Count count,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm);
PEAL_MPI(int, Alltoallw, const void* sendbuf, const int sendcounts[], const int sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
         const MPI_Datatype recvtypes[], MPI_Comm comm);
PEAL_MPI(int, Alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm);
PEAL_MPI(int, Barrier, MPI_Comm comm);
PEAL_MPI(int, Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
PEAL_MPI(int, Bcast_c, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
         MPI_Comm comm);
PEAL_MPI(int, Exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Exscan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Gather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
         MPI_Comm comm);
PEAL_MPI(int, Gatherv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
         MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
         MPI_Op op, int root, MPI_Comm comm);
PEAL_MPI(int, Reduce_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, int root, MPI_Comm comm);
PEAL_MPI(int, Reduce_scatter, const void* sendbuf, void* recvbuf, const int recvcounts[],
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Reduce_scatter_c, const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Reduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Reduce_scatter_block_c, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm);
PEAL_MPI(int, Scan_c, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm);
PEAL_MPI(int, Scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Scatter_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Scatterv, const void* sendbuf, const int sendcounts[], const int displs[],
         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
         MPI_Comm comm);
PEAL_MPI(int, Scatterv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm);
PEAL_MPI(int, Op_commutative, MPI_Op op, int* commute);
PEAL_MPI(int, Op_create, MPI_User_function* user_fn, int commute, MPI_Op* op);
PEAL_MPI(int, Op_create_c, MPI_User_function_c* user_fn, int commute, MPI_Op* op);
PEAL_MPI(int, Op_free, MPI_Op* op);
PEAL_MPI(int, Reduce_local, const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
         MPI_Op op);
PEAL_MPI(int, Reduce_local_c, const void* inbuf, void* inoutbuf, MPI_Count count,
         MPI_Datatype datatype, MPI_Op op);

#ifdef __cplusplus
}
#endif

#endif
