// Functions of graphs that every rank knows as a whole, and MPI_Topo_test. Ranks are never
// reordered, which the standard permits.
#include <cstddef>
#include <utility>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/topologies/arrays.hpp"
#include "mpi/topologies/topology_communicators.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

graph graph_from(const communicator& in, int nnodes, const int* index, const int* edges) {
  need(nnodes >= 0, MPI_ERR_ARG, "nnodes", nnodes, "it must not be negative");
  need(nnodes <= detail::size_of(*in.state), MPI_ERR_ARG, "nnodes", nnodes,
       "the communicator has fewer ranks");
  if (nnodes == 0) return {{}, {}};
  need_place(index, "indx");
  const auto nodes = static_cast<std::size_t>(nnodes);
  const int last = index[nodes - 1];
  need(last >= 0, MPI_ERR_ARG, "indx[nnodes - 1]", last, "it must not be negative");
  if (last != 0) need_place(edges, "edges");
  return {{index, nodes}, {edges, static_cast<std::size_t>(last)}};
}

}  // namespace

PEAL_MPI_FUNCTION(int, Graph_create, MPI_Comm comm_old, int nnodes, const int indx[],
                  const int edges[], int reorder, MPI_Comm* comm_graph) {
  (void)reorder;
  return run("MPI_Graph_create", comm_old, [&] {
    const communicator& from = intracommunicator_of(comm_old, "comm_old");
    graph given = check_for_all(from, [&] {
      need_place(comm_graph, "comm_graph");
      return graph_from(from, nnodes, indx, edges);
    });
    *comm_graph =
        nnodes == 0 ? MPI_COMM_NULL : first_ranks_with(topology{std::move(given)}, nnodes, from);
  });
}

PEAL_MPI_FUNCTION(int, Graph_map, MPI_Comm comm, int nnodes, const int indx[], const int edges[],
                  int* newrank) {
  return run("MPI_Graph_map", comm, [&] {
    need_place(newrank, "newrank");
    const communicator& of = intracommunicator_of(comm);
    (void)graph_from(of, nnodes, indx, edges);
    const int rank = detail::rank_of(*of.state);
    *newrank = rank < nnodes ? rank : MPI_UNDEFINED;
  });
}

PEAL_MPI_FUNCTION(int, Graphdims_get, MPI_Comm comm, int* nnodes, int* nedges) {
  return run("MPI_Graphdims_get", comm, [&] {
    need_place(nnodes, "nnodes");
    need_place(nedges, "nedges");
    const graph& of = graph_of(comm);
    *nnodes = of.nodes();
    *nedges = static_cast<int>(of.edges().size());
  });
}

PEAL_MPI_FUNCTION(int, Graph_get, MPI_Comm comm, int maxindex, int maxedges, int indx[],
                  int edges[]) {
  return run("MPI_Graph_get", comm, [&] {
    const graph& of = graph_of(comm);
    tell(of.index(), indx, maxindex, "indx", "maxindex");
    tell(of.edges(), edges, maxedges, "edges", "maxedges");
  });
}

PEAL_MPI_FUNCTION(int, Graph_neighbors_count, MPI_Comm comm, int rank, int* nneighbors) {
  return run("MPI_Graph_neighbors_count", comm, [&] {
    need_place(nneighbors, "nneighbors");
    *nneighbors = static_cast<int>(graph_of(comm).neighbors(rank).size());
  });
}

PEAL_MPI_FUNCTION(int, Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors,
                  int neighbors[]) {
  return run("MPI_Graph_neighbors", comm, [&] {
    tell(graph_of(comm).neighbors(rank), neighbors, maxneighbors, "neighbors", "maxneighbors");
  });
}

PEAL_MPI_FUNCTION(int, Topo_test, MPI_Comm comm, int* status) {
  return run("MPI_Topo_test", comm, [&] {
    need_place(status, "status");
    const communicator& of = intracommunicator_of(comm);
    *status = of.topology == nullptr ? MPI_UNDEFINED : of.topology->kind();
  });
}
