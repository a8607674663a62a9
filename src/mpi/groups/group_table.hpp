// mpi/groups/group_table.hpp
// Groups by their handles.
//
// Layer    mpi/groups.
// Threads  any.
// Errors   group_of throws a failure, MPI_ERR_GROUP.
#pragma once

#include <mpi.h>

#include "mpi/groups/group.hpp"
#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

using group_table = handle_table<MPI_Group, group, handle_kind::group>;

[[nodiscard]] group_table& groups();
/// Fails for MPI_GROUP_NULL and for whatever is no group; `argument` is what the handle is called.
[[nodiscard]] const group& group_of(MPI_Group handle, const char* argument = "group");
/// A new handle, which MPI_Group_free gives back. Without members: MPI_GROUP_EMPTY.
[[nodiscard]] MPI_Group handle_of(group made);

}  // namespace peal::mpi
