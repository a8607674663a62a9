// mpi/datatypes/constructors/constructors.hpp
// Makes datatypes of others, with displacements in bytes or in extents.
//
// Layer    mpi/datatypes/constructors.
// Units    strides and displacements are bytes where a name begins with h, else extents of `old`.
// Errors   a negative count is MPI_ERR_COUNT, a negative length of a block MPI_ERR_ARG, bounds that
//          64 bits do not hold are MPI_ERR_VALUE_TOO_LARGE.
// Source   MPI 5.0, 5.1.2.
#pragma once

#include "mpi/datatypes/definition.hpp"

namespace peal::mpi {

using count_list = std::span<const std::int64_t>;

[[nodiscard]] definition_pointer make_contiguous(form made_by, std::int64_t count,
                                                 const definition_pointer& old);
[[nodiscard]] definition_pointer make_vector(form made_by, std::int64_t count, std::int64_t length,
                                             std::int64_t stride, const definition_pointer& old);
[[nodiscard]] definition_pointer make_hvector(form made_by, std::int64_t count, std::int64_t length,
                                              std::int64_t stride, const definition_pointer& old);
// Requires, here and below: the lists are of one length.
[[nodiscard]] definition_pointer make_indexed(form made_by, count_list lengths,
                                              count_list displacements,
                                              const definition_pointer& old);
[[nodiscard]] definition_pointer make_hindexed(form made_by, count_list lengths,
                                               count_list displacements,
                                               const definition_pointer& old);
[[nodiscard]] definition_pointer make_indexed_block(form made_by, std::int64_t length,
                                                    count_list displacements,
                                                    const definition_pointer& old);
[[nodiscard]] definition_pointer make_hindexed_block(form made_by, std::int64_t length,
                                                     count_list displacements,
                                                     const definition_pointer& old);
[[nodiscard]] definition_pointer make_struct(form made_by, count_list lengths,
                                             count_list displacements,
                                             std::vector<definition_pointer> types);
[[nodiscard]] definition_pointer make_resized(form made_by, std::int64_t lower, std::int64_t extent,
                                              const definition_pointer& old);
[[nodiscard]] definition_pointer make_dup(const definition_pointer& old);

}  // namespace peal::mpi
