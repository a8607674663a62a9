#include "mpi/topologies/balanced_dims.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "mpi/support/failure.hpp"
#include "peal/topology.hpp"

namespace peal::mpi {

void balance_dims(int ranks, std::span<int> dims) {
  need(ranks >= 1, MPI_ERR_ARG, "nnodes", ranks, "it must be at least 1");
  int left = ranks;
  for (const int each : dims) {
    need(each >= 0, MPI_ERR_DIMS, "an element of dims", each, "it must not be negative");
    if (each == 0) continue;
    need(left % each == 0, MPI_ERR_DIMS, "nnodes", ranks,
         "it is no multiple of the extents that dims gives");
    left /= each;
  }
  const auto free = static_cast<std::size_t>(std::count(dims.begin(), dims.end(), 0));
  if (free == 0) {
    need(left == 1, MPI_ERR_DIMS, "nnodes", ranks,
         "dims gives all extents, and they are for fewer ranks");
    return;
  }
  const auto extents = balanced_extents(left, free);
  auto next = extents.begin();
  for (int& each : dims)
    if (each == 0) each = *next++;
}

}  // namespace peal::mpi
