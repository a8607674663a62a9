// mpi/topologies/cartesian.hpp
// Ranks in a grid, row by row: where a rank is, and which rank is where.
//
// Layer    mpi/topologies.
// Units    ranks of the communicator of the grid, 0 to size() - 1; the last coordinate is the one
//          that grows first.
// Threads  any: a grid never changes.
// Errors   a failure: MPI_ERR_DIMS, MPI_ERR_RANK, MPI_ERR_ARG.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace peal::mpi {

class cartesian {
 public:
  /// A rank for every place; no dimension at all has one place. `periods`: other than 0 means that
  /// a dimension's ends are neighbours. Requires: as many of them as dimensions. Fails with
  /// MPI_ERR_DIMS for an extent below 1, and where the ranks are more than an int can count.
  cartesian(std::span<const int> dims, std::span<const int> periods);

  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(dims_.size()); }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<int>& dims() const noexcept { return dims_; }
  /// 0 or 1 each.
  [[nodiscard]] const std::vector<int>& periods() const noexcept { return periods_; }

  /// Fails for what is no rank of the grid.
  [[nodiscard]] std::vector<int> coordinates(int rank) const;
  /// Coordinates of periodic dimensions wrap round; fails for others beyond the end. Requires: one
  /// a dimension.
  [[nodiscard]] int rank_at(std::span<const int> coordinates) const;

  struct neighbors {
    int source;       // the rank that sends here
    int destination;  // the rank that is sent to
  };
  /// For a rank that sends by so many places along a dimension; MPI_PROC_NULL beyond an end. Fails
  /// with MPI_ERR_DIMS for no dimension of it.
  [[nodiscard]] neighbors shift(int rank, int direction, int by) const;

  /// The grid of the dimensions kept (other than 0). Requires: `kept` says it of each.
  [[nodiscard]] cartesian part(std::span<const int> kept) const;
  /// The same number for ranks that are in one part, which differ in kept dimensions alone.
  [[nodiscard]] int part_of(int rank, std::span<const int> kept) const;

 private:
  [[nodiscard]] int rank_beside(std::vector<int> at, std::size_t dimension, long long by) const;

  std::vector<int> dims_;
  std::vector<int> periods_;
  int size_ = 1;
};

}  // namespace peal::mpi
