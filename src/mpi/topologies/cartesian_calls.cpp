// Functions of cartesian topologies. Ranks are never reordered, which the standard permits.
#include <utility>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/topologies/arrays.hpp"
#include "mpi/topologies/topology_communicators.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

cartesian grid_of(int ndims, const int* dims, const int* periods) {
  need(ndims >= 0, MPI_ERR_DIMS, "ndims", ndims, "it must not be negative");
  return {array_of(dims, ndims, "dims"), array_of(periods, ndims, "periods")};
}

void need_ranks(const cartesian& grid, const communicator& in) {
  need(grid.size() <= detail::size_of(*in.state), MPI_ERR_DIMS, "the product of dims", grid.size(),
       "the communicator has fewer ranks");
}

}  // namespace

PEAL_MPI_FUNCTION(int, Cart_create, MPI_Comm comm_old, int ndims, const int dims[],
                  const int periods[], int reorder, MPI_Comm* comm_cart) {
  (void)reorder;
  return run("MPI_Cart_create", comm_old, [&] {
    const communicator& from = intracommunicator_of(comm_old, "comm_old");
    cartesian grid = check_for_all(from, [&] {
      need_place(comm_cart, "comm_cart");
      cartesian given = grid_of(ndims, dims, periods);
      need_ranks(given, from);
      return given;
    });
    const int ranks = grid.size();
    *comm_cart = first_ranks_with(topology{std::move(grid)}, ranks, from);
  });
}

PEAL_MPI_FUNCTION(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[],
                  int* newrank) {
  return run("MPI_Cart_map", comm, [&] {
    need_place(newrank, "newrank");
    const communicator& of = intracommunicator_of(comm);
    const cartesian grid = grid_of(ndims, dims, periods);
    need_ranks(grid, of);
    const int rank = detail::rank_of(*of.state);
    *newrank = rank < grid.size() ? rank : MPI_UNDEFINED;
  });
}

PEAL_MPI_FUNCTION(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return run("MPI_Cart_sub", comm, [&] {
    const cartesian& grid = cartesian_of(comm);
    const communicator& from = intracommunicator_of(comm);
    const auto kept = check_for_all(from, [&] {
      need_place(newcomm, "newcomm");
      return array_of(remain_dims, grid.dimensions(), "remain_dims");
    });
    const int rank = detail::rank_of(*from.state);
    *newcomm = part_with(topology{grid.part(kept)}, grid.part_of(rank, kept), from);
  });
}

PEAL_MPI_FUNCTION(int, Cartdim_get, MPI_Comm comm, int* ndims) {
  return run("MPI_Cartdim_get", comm, [&] {
    need_place(ndims, "ndims");
    *ndims = cartesian_of(comm).dimensions();
  });
}

PEAL_MPI_FUNCTION(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[],
                  int coords[]) {
  return run("MPI_Cart_get", comm, [&] {
    const cartesian& grid = cartesian_of(comm);
    tell(grid.dims(), dims, maxdims, "dims", "maxdims");
    tell(grid.periods(), periods, maxdims, "periods", "maxdims");
    tell(grid.coordinates(detail::rank_of(*intracommunicator_of(comm).state)), coords, maxdims,
         "coords", "maxdims");
  });
}

PEAL_MPI_FUNCTION(int, Cart_rank, MPI_Comm comm, const int coords[], int* rank) {
  return run("MPI_Cart_rank", comm, [&] {
    need_place(rank, "rank");
    const cartesian& grid = cartesian_of(comm);
    *rank = grid.rank_at(array_of(coords, grid.dimensions(), "coords"));
  });
}

PEAL_MPI_FUNCTION(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[]) {
  return run("MPI_Cart_coords", comm, [&] {
    tell(cartesian_of(comm).coordinates(rank), coords, maxdims, "coords", "maxdims");
  });
}

PEAL_MPI_FUNCTION(int, Cart_shift, MPI_Comm comm, int direction, int disp, int* rank_source,
                  int* rank_dest) {
  return run("MPI_Cart_shift", comm, [&] {
    need_place(rank_source, "rank_source");
    need_place(rank_dest, "rank_dest");
    const int rank = detail::rank_of(*intracommunicator_of(comm).state);
    const auto [source, destination] = cartesian_of(comm).shift(rank, direction, disp);
    *rank_source = source;
    *rank_dest = destination;
  });
}
