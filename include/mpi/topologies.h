/* mpi/topologies.h
 * Process topologies, and collectives between neighbours. */
#ifndef PEAL_MPI_TOPOLOGIES_H
#define PEAL_MPI_TOPOLOGIES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[]);
PEAL_MPI(int, Cart_create, MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
         int reorder, MPI_Comm* comm_cart);
PEAL_MPI(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
PEAL_MPI(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[],
         int* newrank);
PEAL_MPI(int, Cart_rank, MPI_Comm comm, const int coords[], int* rank);
PEAL_MPI(int, Cart_shift, MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest);
PEAL_MPI(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm);
PEAL_MPI(int, Cartdim_get, MPI_Comm comm, int* ndims);
PEAL_MPI(int, Dims_create, int nnodes, int ndims, int dims[]);
/* Weights are pointers, as compilers warn where MPI_UNWEIGHTED is given as an array. */
PEAL_MPI(int, Dist_graph_create, MPI_Comm comm_old, int n, const int sources[], const int degrees[],
         const int destinations[], const int* weights, MPI_Info info, int reorder,
         MPI_Comm* comm_dist_graph);
PEAL_MPI(int, Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree, const int sources[],
         const int* sourceweights, int outdegree, const int destinations[], const int* destweights,
         MPI_Info info, int reorder, MPI_Comm* comm_dist_graph);
PEAL_MPI(int, Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[],
         int* sourceweights, int maxoutdegree, int destinations[], int* destweights);
PEAL_MPI(int, Dist_graph_neighbors_count, MPI_Comm comm, int* indegree, int* outdegree,
         int* weighted);
PEAL_MPI(int, Graph_create, MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
         int reorder, MPI_Comm* comm_graph);
PEAL_MPI(int, Graph_get, MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]);
PEAL_MPI(int, Graph_map, MPI_Comm comm, int nnodes, const int indx[], const int edges[],
         int* newrank);
PEAL_MPI(int, Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
PEAL_MPI(int, Graph_neighbors_count, MPI_Comm comm, int rank, int* nneighbors);
PEAL_MPI(int, Graphdims_get, MPI_Comm comm, int* nnodes, int* nedges);
PEAL_MPI(int, Topo_test, MPI_Comm comm, int* status);
PEAL_MPI(int, Ineighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_allgather_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
         const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoallw, const void* sendbuf, const int sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ineighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Neighbor_allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_allgather_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request* request);
PEAL_MPI(int, Neighbor_allgather_init_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Neighbor_allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
         MPI_Comm comm);
PEAL_MPI(int, Neighbor_allgatherv_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
         const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Neighbor_allgatherv_init_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
         const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoall_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoall_init_c, const void* sendbuf, MPI_Count sendcount,
         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoallv, const void* sendbuf, const int sendcounts[], const int sdispls[],
         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
         MPI_Datatype recvtype, MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoallv_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoallv_init, const void* sendbuf, const int sendcounts[],
         const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
         const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
         MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoallv_init_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoallw, const void* sendbuf, const int sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoallw_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm);
PEAL_MPI(int, Neighbor_alltoallw_init, const void* sendbuf, const int sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Neighbor_alltoallw_init_c, const void* sendbuf, const MPI_Count sendcounts[],
         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
         MPI_Comm comm, MPI_Info info, MPI_Request* request);

#ifdef __cplusplus
}
#endif

#endif
