// mpi/datatypes/constructors/arrays.hpp
// Datatypes of a part of an array: a box of it, or what one process has of a distributed one.
//
// Layer    mpi/datatypes/constructors.
// Units    sizes and starts are elements of `old`.
// Errors   MPI_ERR_ARG for numbers that name no part of the array, MPI_ERR_RANK for a rank that is
//          not in the grid of processes, MPI_ERR_VALUE_TOO_LARGE.
// Source   MPI 5.0, 5.1.3 and 5.1.4.
#pragma once

#include "mpi/datatypes/constructors/constructors.hpp"

namespace peal::mpi {

/// Requires: the lists are of one length.
[[nodiscard]] definition_pointer make_subarray(form made_by, count_list sizes, count_list subsizes,
                                               count_list starts, int order,
                                               const definition_pointer& old);

struct distribution {
  int size = 1;  // of the grid of processes, in which rank is
  int rank = 0;
  count_list sizes;            // of the whole array
  std::span<const int> kinds;  // MPI_DISTRIBUTE_...
  std::span<const int> arguments;
  std::span<const int> processes;
  int order = MPI_ORDER_C;
};
/// Requires: the lists are of one length.
[[nodiscard]] definition_pointer make_darray(form made_by, const distribution& how,
                                             const definition_pointer& old);

}  // namespace peal::mpi
