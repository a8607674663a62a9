#include "mpi/topologies/topology.hpp"

#include <memory>
#include <utility>

#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

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

struct released {
  detail::communicator_state& unwanted;
  ~released() { detail::release(unwanted); }
};

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

MPI_Comm copy_with(topology wanted, detail::communicator_state& among, const communicator& from) {
  auto kept = std::make_shared<const topology>(std::move(wanted));
  detail::communicator_state& made =
      kept->has_neighbors
          ? detail::with_neighbors(among, neighborhood_of(*kept, detail::rank_of(among)), place)
          : detail::duplicate(among, place);
  const MPI_Comm handle = hand_out(made, from);
  communicator_of(handle).topology = std::move(kept);
  return handle;
}

MPI_Comm first_ranks_with(topology wanted, int ranks, const communicator& from) {
  if (ranks == detail::size_of(*from.state)) return copy_with(std::move(wanted), *from.state, from);
  return part_with(std::move(wanted), detail::rank_of(*from.state) < ranks ? 0 : MPI_UNDEFINED,
                   from);
}

MPI_Comm part_with(topology wanted, int part, const communicator& from) {
  detail::communicator_state* const members =
      detail::split(*from.state, part != MPI_UNDEFINED, part, detail::rank_of(*from.state), place);
  if (members == nullptr) return MPI_COMM_NULL;
  const released guard{*members};
  return copy_with(std::move(wanted), *members, from);
}

}  // namespace peal::mpi
