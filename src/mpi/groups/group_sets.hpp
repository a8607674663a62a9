// mpi/groups/group_sets.hpp
// Groups made of other groups: as sets, and by lists of ranks.
//
// Layer    mpi/groups.
// Units    ranks of the group given.
// Threads  any.
// Errors   a failure: MPI_ERR_RANK for a rank that the group does not have, or that is named twice;
//          MPI_ERR_ARG for a range with a stride of zero.
#pragma once

#include <span>

#include "mpi/groups/group.hpp"

namespace peal::mpi {

/// Ranks first, first + stride, ... as far as last.
using rank_range = int[3];

/// All of the first, then those of the second that are not in the first.
[[nodiscard]] group union_of(const group& one, const group& other);
/// In the order of the first.
[[nodiscard]] group intersection_of(const group& one, const group& other);
[[nodiscard]] group difference_of(const group& one, const group& other);

/// These ranks in this order.
[[nodiscard]] group chosen(const group& of, std::span<const int> ranks);
/// All others, in the order of the group.
[[nodiscard]] group without(const group& of, std::span<const int> ranks);
/// What the ranges name, each rank for itself.
[[nodiscard]] std::vector<int> ranks_in(const group& of, std::span<const rank_range> ranges);

/// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
[[nodiscard]] int comparison_of(const group& one, const group& other);

}  // namespace peal::mpi
