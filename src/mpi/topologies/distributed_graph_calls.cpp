// Functions of graphs of which every rank knows its own edges. Ranks are never reordered, which the
// standard permits, and weights are kept for the program.
#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/topologies/arrays.hpp"
#include "mpi/topologies/topology_communicators.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

void need_rank(int rank, const communicator& in) {
  need(rank >= 0 && rank < detail::size_of(*in.state), MPI_ERR_RANK, "an end of an edge", rank,
       "it is no rank of the communicator");
}

std::vector<int> weights_from(const int* weights, std::size_t count) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  if (weights == MPI_WEIGHTS_EMPTY)
    fail(MPI_ERR_ARG, "weights are MPI_WEIGHTS_EMPTY, but there are edges");
  need_place(weights, "the array of weights");
  for (std::size_t each = 0; each != count; ++each)
    need(weights[each] >= 0, MPI_ERR_ARG, "a weight", weights[each], "it must not be negative");
  return {weights, weights + count};
}

/// Of one direction of a rank's edges.
std::vector<int> ranks_from(const communicator& in, int degree, const int* ranks) {
  need(degree >= 0, MPI_ERR_ARG, "a degree", degree, "it must not be negative");
  if (degree != 0) need_place(ranks, "an array of ranks");
  for (int each = 0; each != degree; ++each) need_rank(ranks[each], in);
  return {ranks, ranks + degree};
}

std::vector<edge> edges_from(const communicator& in, int n, const int* sources, const int* degrees,
                             const int* destinations, const int* weights) {
  need(n >= 0, MPI_ERR_ARG, "n", n, "it must not be negative");
  std::vector<edge> made;
  if (n != 0) need_place(sources, "sources");
  if (n != 0) need_place(degrees, "degrees");
  for (int node = 0; node != n; ++node) {
    need_rank(sources[node], in);
    need(degrees[node] >= 0, MPI_ERR_ARG, "an element of degrees", degrees[node],
         "it must not be negative");
    if (degrees[node] != 0) need_place(destinations, "destinations");
    for (int each = 0; each != degrees[node]; ++each) {
      const int to = destinations[made.size()];
      need_rank(to, in);
      made.push_back({sources[node], to, 0});
    }
  }
  std::size_t next = 0;
  for (const int each : weights_from(weights, made.size())) made[next++].weight = each;
  return made;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree,
                  const int sources[], const int* sourceweights, int outdegree,
                  const int destinations[], const int* destweights, MPI_Info info, int reorder,
                  MPI_Comm* comm_dist_graph) {
  (void)info;  // hints
  (void)reorder;
  return run("MPI_Dist_graph_create_adjacent", comm_old, [&] {
    need_place(comm_dist_graph, "comm_dist_graph");
    const communicator& from = intracommunicator_of(comm_old);
    distributed_graph own;
    own.weighted = sourceweights != MPI_UNWEIGHTED;
    if (own.weighted != (destweights != MPI_UNWEIGHTED))
      fail(MPI_ERR_ARG, "one of sourceweights and destweights is MPI_UNWEIGHTED, but not both are");
    own.sources = ranks_from(from, indegree, sources);
    own.source_weights = weights_from(sourceweights, own.sources.size());
    own.destinations = ranks_from(from, outdegree, destinations);
    own.destination_weights = weights_from(destweights, own.destinations.size());
    *comm_dist_graph = copy_with(topology{std::move(own)}, *from.state, from);
  });
}

PEAL_MPI_FUNCTION(int, Dist_graph_create, MPI_Comm comm_old, int n, const int sources[],
                  const int degrees[], const int destinations[], const int* weights, MPI_Info info,
                  int reorder, MPI_Comm* comm_dist_graph) {
  (void)info;  // hints
  (void)reorder;
  return run("MPI_Dist_graph_create", comm_old, [&] {
    need_place(comm_dist_graph, "comm_dist_graph");
    const communicator& from = intracommunicator_of(comm_old);
    const std::vector<edge> known = edges_from(from, n, sources, degrees, destinations, weights);
    *comm_dist_graph = copy_with(topology{share_out(*from.state, known, weights != MPI_UNWEIGHTED)},
                                 *from.state, from);
  });
}

PEAL_MPI_FUNCTION(int, Dist_graph_neighbors_count, MPI_Comm comm, int* indegree, int* outdegree,
                  int* weighted) {
  return run("MPI_Dist_graph_neighbors_count", comm, [&] {
    need_place(indegree, "indegree");
    need_place(outdegree, "outdegree");
    need_place(weighted, "weighted");
    const distributed_graph& own = distributed_graph_of(comm);
    *indegree = static_cast<int>(own.sources.size());
    *outdegree = static_cast<int>(own.destinations.size());
    *weighted = own.weighted ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[],
                  int* sourceweights, int maxoutdegree, int destinations[], int* destweights) {
  return run("MPI_Dist_graph_neighbors", comm, [&] {
    const distributed_graph& own = distributed_graph_of(comm);
    tell(own.sources, sources, maxindegree, "sources");
    tell(own.destinations, destinations, maxoutdegree, "destinations");
    if (sourceweights != MPI_UNWEIGHTED)
      tell(own.source_weights, sourceweights, maxindegree, "sourceweights");
    if (destweights != MPI_UNWEIGHTED)
      tell(own.destination_weights, destweights, maxoutdegree, "destweights");
  });
}
