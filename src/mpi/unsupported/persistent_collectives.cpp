// Functions of mpi/persistent_collectives.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Allgather_init, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Allgather_init_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Allgatherv_init, const void*, int, MPI_Datatype, void*, const int*, const int*,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Allgatherv_init_c, const void*, MPI_Count, MPI_Datatype, void*,
                     const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Allreduce_init, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Allreduce_init_c, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoall_init, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoall_init_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoallv_init, const void*, const int*, const int*, MPI_Datatype, void*,
                     const int*, const int*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoallv_init_c, const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
                     void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoallw_init, const void*, const int*, const int*, const MPI_Datatype*,
                     void*, const int*, const int*, const MPI_Datatype*, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Alltoallw_init_c, const void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Barrier_init, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Bcast_init, void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Bcast_init_c, void*, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Exscan_init, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Exscan_init_c, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Gather_init, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Gather_init_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Gatherv_init, const void*, int, MPI_Datatype, void*, const int*, const int*,
                     MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Gatherv_init_c, const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*,
                     const MPI_Aint*, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_init, const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_init_c, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_scatter_block_init, const void*, void*, int, MPI_Datatype, MPI_Op,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_scatter_block_init_c, const void*, void*, MPI_Count, MPI_Datatype,
                     MPI_Op, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_scatter_init, const void*, void*, const int*, MPI_Datatype, MPI_Op,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Reduce_scatter_init_c, const void*, void*, const MPI_Count*, MPI_Datatype,
                     MPI_Op, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scan_init, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scan_init_c, const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scatter_init, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scatter_init_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scatterv_init, const void*, const int*, const int*, MPI_Datatype, void*, int,
                     MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Scatterv_init_c, const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype,
                     void*, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)
