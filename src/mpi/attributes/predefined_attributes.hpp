// mpi/attributes/predefined_attributes.hpp
// The attributes that communicators have from the start.
//
// Layer    mpi/attributes.
// Units    as the standard gives them: MPI_TAG_UB is a tag, MPI_HOST and MPI_IO are ranks.
// Threads  any; the start of MPI sets the application's number before others read it.
// Errors   a failure, MPI_ERR_OTHER, where no job runs and the size of the world is asked for.
#pragma once

#include <mpi.h>

#include <optional>

namespace peal::mpi {

/// MPI_TAG_UB and so on: a place that holds the value as long as the process lives. Empty: the key
/// is none of these. Null: it is one, and there is no value.
[[nodiscard]] std::optional<int*> predefined_attribute(int key);
/// Of several programs of one job, which one this is.
void set_application_number(int number) noexcept;

}  // namespace peal::mpi
