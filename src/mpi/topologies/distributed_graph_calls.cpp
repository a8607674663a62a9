// Functions of graphs of which every rank knows its own edges. Ranks are never reordered, which the
// standard permits, and weights are kept for the program.
#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/topologies/arrays.hpp"
#include "mpi/topologies/topology_communicators.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

void need_rank(int rank, const char* argument, const communicator& in) {
  if (rank < 0 || rank >= detail::size_of(*in.state))
    fail(MPI_ERR_RANK,
         fmt::format("{} has {}, which is no rank of the communicator", argument, rank));
}

std::vector<int> weights_from(const char* argument, const int* weights, std::size_t count) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  if (weights == MPI_WEIGHTS_EMPTY)
    fail(MPI_ERR_ARG, fmt::format("{} is MPI_WEIGHTS_EMPTY, but there are edges", argument));
  need_place(weights, argument);
  for (std::size_t each = 0; each != count; ++each)
    if (weights[each] < 0)
      fail(MPI_ERR_ARG, fmt::format("{} has {}: it must not be negative", argument, weights[each]));
  return {weights, weights + count};
}

/// Of one direction of a rank's edges.
std::vector<int> ranks_from(const communicator& in, const char* degree_argument, int degree,
                            const char* argument, const int* ranks) {
  need(degree >= 0, MPI_ERR_ARG, degree_argument, degree, "it must not be negative");
  if (degree != 0) need_place(ranks, argument);
  for (int each = 0; each != degree; ++each) need_rank(ranks[each], argument, in);
  return {ranks, ranks + degree};
}

std::vector<edge> edges_from(const communicator& in, int n, const int* sources, const int* degrees,
                             const int* destinations, const int* weights) {
  need(n >= 0, MPI_ERR_ARG, "n", n, "it must not be negative");
  std::vector<edge> made;
  if (n != 0) need_place(sources, "sources");
  if (n != 0) need_place(degrees, "degrees");
  for (int node = 0; node != n; ++node) {
    need_rank(sources[node], "sources", in);
    if (degrees[node] < 0)
      fail(MPI_ERR_ARG, fmt::format("degrees has {}: it must not be negative", degrees[node]));
    if (degrees[node] != 0) need_place(destinations, "destinations");
    for (int each = 0; each != degrees[node]; ++each) {
      const int to = destinations[made.size()];
      need_rank(to, "destinations", in);
      made.push_back({sources[node], to, 0});
    }
  }
  std::size_t next = 0;
  for (const int each : weights_from("weights", weights, made.size())) made[next++].weight = each;
  return made;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree,
                  const int sources[], const int* sourceweights, int outdegree,
                  const int destinations[], const int* destweights, MPI_Info info, int reorder,
                  MPI_Comm* comm_dist_graph) {
  (void)reorder;
  return run("MPI_Dist_graph_create_adjacent", comm_old, [&] {
    const communicator& from = intracommunicator_of(comm_old, "comm_old");
    distributed_graph own;
    check_for_all(from, [&] {
      need_place(comm_dist_graph, "comm_dist_graph");
      (void)hints_of(info);  // peal knows of none
      own.weighted = sourceweights != MPI_UNWEIGHTED;
      if (own.weighted != (destweights != MPI_UNWEIGHTED))
        fail(MPI_ERR_ARG,
             "one of sourceweights and destweights is MPI_UNWEIGHTED, but not both are");
      own.sources = ranks_from(from, "indegree", indegree, "sources", sources);
      own.source_weights = weights_from("sourceweights", sourceweights, own.sources.size());
      own.destinations = ranks_from(from, "outdegree", outdegree, "destinations", destinations);
      own.destination_weights = weights_from("destweights", destweights, own.destinations.size());
    });
    *comm_dist_graph = copy_with(topology{std::move(own)}, *from.state, from);
  });
}

PEAL_MPI_FUNCTION(int, Dist_graph_create, MPI_Comm comm_old, int n, const int sources[],
                  const int degrees[], const int destinations[], const int* weights, MPI_Info info,
                  int reorder, MPI_Comm* comm_dist_graph) {
  (void)reorder;
  return run("MPI_Dist_graph_create", comm_old, [&] {
    const communicator& from = intracommunicator_of(comm_old, "comm_old");
    const std::vector<edge> known = check_for_all(from, [&] {
      need_place(comm_dist_graph, "comm_dist_graph");
      (void)hints_of(info);  // peal knows of none
      return edges_from(from, n, sources, degrees, destinations, weights);
    });
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
    tell(own.sources, sources, maxindegree, "sources", "maxindegree");
    tell(own.destinations, destinations, maxoutdegree, "destinations", "maxoutdegree");
    if (sourceweights != MPI_UNWEIGHTED)
      tell(own.source_weights, sourceweights, maxindegree, "sourceweights", "maxindegree");
    if (destweights != MPI_UNWEIGHTED)
      tell(own.destination_weights, destweights, maxoutdegree, "destweights", "maxoutdegree");
  });
}
