// Functions of mpi/topologies.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Cart_coords, MPI_Comm, int, int, int*)
PEAL_MPI_UNSUPPORTED(Cart_create, MPI_Comm, int, const int*, const int*, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Cart_get, MPI_Comm, int, int*, int*, int*)
PEAL_MPI_UNSUPPORTED(Cart_map, MPI_Comm, int, const int*, const int*, int*)
PEAL_MPI_UNSUPPORTED(Cart_rank, MPI_Comm, const int*, int*)
PEAL_MPI_UNSUPPORTED(Cart_shift, MPI_Comm, int, int, int*, int*)
PEAL_MPI_UNSUPPORTED(Cart_sub, MPI_Comm, const int*, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Cartdim_get, MPI_Comm, int*)
PEAL_MPI_UNSUPPORTED(Dist_graph_create, MPI_Comm, int, const int*, const int*, const int*,
                     const int*, MPI_Info, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Dist_graph_create_adjacent, MPI_Comm, int, const int*, const int*, int,
                     const int*, const int*, MPI_Info, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Dist_graph_neighbors, MPI_Comm, int, int*, int*, int, int*, int*)
PEAL_MPI_UNSUPPORTED(Dist_graph_neighbors_count, MPI_Comm, int*, int*, int*)
PEAL_MPI_UNSUPPORTED(Graph_create, MPI_Comm, int, const int*, const int*, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Graph_get, MPI_Comm, int, int, int*, int*)
PEAL_MPI_UNSUPPORTED(Graph_map, MPI_Comm, int, const int*, const int*, int*)
PEAL_MPI_UNSUPPORTED(Graph_neighbors, MPI_Comm, int, int, int*)
PEAL_MPI_UNSUPPORTED(Graph_neighbors_count, MPI_Comm, int, int*)
PEAL_MPI_UNSUPPORTED(Graphdims_get, MPI_Comm, int*, int*)
PEAL_MPI_UNSUPPORTED(Topo_test, MPI_Comm, int*)
PEAL_MPI_UNSUPPORTED(Ineighbor_allgather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_allgather_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_allgatherv, const void*, int, MPI_Datatype, void*, const int*,
                     const int*, MPI_Datatype, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_allgatherv_c, const void*, MPI_Count, MPI_Datatype, void*,
                     const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoall_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoallv, const void*, const int*, const int*, MPI_Datatype, void*,
                     const int*, const int*, MPI_Datatype, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoallv_c, const void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoallw, const void*, const int*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const int*, const MPI_Aint*, const MPI_Datatype*,
                     MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Ineighbor_alltoallw_c, const void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_allgather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_allgather_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_allgather_init, const void*, int, MPI_Datatype, void*, int,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_allgather_init_c, const void*, MPI_Count, MPI_Datatype, void*,
                     MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_allgatherv, const void*, int, MPI_Datatype, void*, const int*,
                     const int*, MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_allgatherv_c, const void*, MPI_Count, MPI_Datatype, void*,
                     const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_allgatherv_init, const void*, int, MPI_Datatype, void*, const int*,
                     const int*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_allgatherv_init_c, const void*, MPI_Count, MPI_Datatype, void*,
                     const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                     MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoall_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoall_init, const void*, int, MPI_Datatype, void*, int,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoall_init_c, const void*, MPI_Count, MPI_Datatype, void*,
                     MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallv, const void*, const int*, const int*, MPI_Datatype, void*,
                     const int*, const int*, MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallv_c, const void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallv_init, const void*, const int*, const int*, MPI_Datatype,
                     void*, const int*, const int*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallv_init_c, const void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallw, const void*, const int*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const int*, const MPI_Aint*, const MPI_Datatype*,
                     MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallw_c, const void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallw_init, const void*, const int*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const int*, const MPI_Aint*, const MPI_Datatype*,
                     MPI_Comm, MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Neighbor_alltoallw_init_c, const void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, void*, const MPI_Count*, const MPI_Aint*,
                     const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*)
