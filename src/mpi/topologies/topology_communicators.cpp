#include "mpi/topologies/topology_communicators.hpp"

#include <memory>
#include <utility>

#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

struct released {
  detail::communicator_state& unwanted;
  ~released() { detail::release(unwanted); }
};

}  // namespace

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
