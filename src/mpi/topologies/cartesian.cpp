#include "mpi/topologies/cartesian.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

cartesian::cartesian(std::span<const int> dims, std::span<const int> periods)
    : dims_(dims.begin(), dims.end()) {
  periods_.reserve(periods.size());
  for (const int each : periods) periods_.push_back(each != 0);
  long long size = 1;
  for (const int each : dims_) {
    need(each >= 1, MPI_ERR_DIMS, "an element of dims", each, "an extent is at least 1");
    size *= each;
    need(size <= std::numeric_limits<int>::max(), MPI_ERR_DIMS, "the product of dims", size,
         "no communicator has so many ranks");
  }
  size_ = static_cast<int>(size);
}

std::vector<int> cartesian::coordinates(int rank) const {
  need(rank >= 0 && rank < size_, MPI_ERR_RANK, "rank", rank, "the grid has no such rank");
  std::vector<int> made(dims_.size());
  for (std::size_t dimension = dims_.size(); dimension-- > 0;) {
    made[dimension] = rank % dims_[dimension];
    rank /= dims_[dimension];
  }
  return made;
}

int cartesian::rank_at(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t dimension = 0; dimension != dims_.size(); ++dimension) {
    const int extent = dims_[dimension];
    int at = coordinates[dimension];
    if (at < 0 || at >= extent) {
      if (periods_[dimension] == 0)
        fail(MPI_ERR_ARG,
             fmt::format("coords[{}] is {}: dimension {} has {} places and is not periodic",
                         dimension, at, dimension, extent));
      at = (at % extent + extent) % extent;
    }
    rank = rank * extent + at;
  }
  return rank;
}

int cartesian::rank_beside(std::vector<int> at, std::size_t dimension, long long by) const {
  const long long extent = dims_[dimension];
  long long moved = at[dimension] + by;
  if (periods_[dimension] != 0) moved = (moved % extent + extent) % extent;
  else if (moved < 0 || moved >= extent) return MPI_PROC_NULL;
  at[dimension] = static_cast<int>(moved);
  return rank_at(at);
}

cartesian::neighbors cartesian::shift(int rank, int direction, int by) const {
  need(direction >= 0 && direction < dimensions(), MPI_ERR_DIMS, "direction", direction,
       "the grid has no such dimension");
  const std::vector<int> at = coordinates(rank);
  const auto dimension = static_cast<std::size_t>(direction);
  return {rank_beside(at, dimension, -static_cast<long long>(by)), rank_beside(at, dimension, by)};
}

cartesian cartesian::part(std::span<const int> kept) const {
  std::vector<int> dims, periods;
  for (std::size_t dimension = 0; dimension != dims_.size(); ++dimension) {
    if (kept[dimension] == 0) continue;
    dims.push_back(dims_[dimension]);
    periods.push_back(periods_[dimension]);
  }
  return {dims, periods};
}

int cartesian::part_of(int rank, std::span<const int> kept) const {
  std::vector<int> at = coordinates(rank);
  for (std::size_t dimension = 0; dimension != dims_.size(); ++dimension)
    if (kept[dimension] != 0) at[dimension] = 0;
  return rank_at(at);
}

}  // namespace peal::mpi
