#include "mpi/topologies/topology.hpp"

#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

template <class Shape>
const Shape& shape_of(MPI_Comm comm, const char* wanted) {
  const topology* const found = communicator_of(comm).topology.get();
  const Shape* const shape = found == nullptr ? nullptr : std::get_if<Shape>(&found->shape);
  if (shape == nullptr) fail(MPI_ERR_TOPOLOGY, wanted);
  return *shape;
}

/// Neighbours of a grid come in pairs, below and above in each dimension.
detail::neighborhood around(const cartesian& grid, int rank) {
  detail::neighborhood near;
  near.paired = true;
  for (int dimension = 0; dimension != grid.dimensions(); ++dimension) {
    const auto [below, above] = grid.shift(rank, dimension, 1);
    near.sources.push_back(below);
    near.sources.push_back(above);
  }
  near.destinations = near.sources;
  return near;
}

}  // namespace

topology::topology(graph of) : shape{std::move(of)} {
  has_neighbors = std::get<graph>(shape).is_symmetric();
}

int topology::kind() const noexcept {
  constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  return kinds[shape.index()];
}

const cartesian& cartesian_of(MPI_Comm comm) {
  return shape_of<cartesian>(comm, "comm has no cartesian topology");
}
const graph& graph_of(MPI_Comm comm) { return shape_of<graph>(comm, "comm has no graph topology"); }
const distributed_graph& distributed_graph_of(MPI_Comm comm) {
  return shape_of<distributed_graph>(comm, "comm has no distributed graph topology");
}

void need_neighbors(const communicator& of) {
  if (of.topology == nullptr) fail(MPI_ERR_TOPOLOGY, "comm has no topology");
  if (!of.topology->has_neighbors)
    fail(MPI_ERR_TOPOLOGY,
         "in the graph of comm a rank names another one more often than that names it");
}

detail::neighborhood neighborhood_of(const topology& in, int rank) {
  if (const auto* const grid = std::get_if<cartesian>(&in.shape)) return around(*grid, rank);
  detail::neighborhood near;
  if (const auto* const known = std::get_if<graph>(&in.shape)) {
    const auto ranks = known->neighbors(rank);
    near.sources.assign(ranks.begin(), ranks.end());
    near.destinations = near.sources;
  } else {
    const auto& own = std::get<distributed_graph>(in.shape);
    near.sources = own.sources;
    near.destinations = own.destinations;
  }
  return near;
}

}  // namespace peal::mpi
