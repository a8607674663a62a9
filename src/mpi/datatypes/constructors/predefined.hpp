// mpi/datatypes/constructors/predefined.hpp
// The datatypes that MPI gives a name: those of C, those of Fortran with the sizes that gfortran
// has by default, and pairs of a value and an index.
//
// Layer    mpi/datatypes/constructors.
// Errors   throws std::bad_alloc.
// Source   MPI 5.0, 3.2.2, 6.9.4 and appendix A.
#pragma once

#include "mpi/datatypes/datatype.hpp"

namespace peal::mpi {

/// Puts them into the table, where they stay.
void add_predefined(datatype_table& table);

/// Whether it stands for an optional type of Fortran that does not exist here.
[[nodiscard]] bool is_missing(MPI_Datatype type) noexcept;
/// Requires: is_missing(type).
[[nodiscard]] const char* name_of_missing(MPI_Datatype type) noexcept;

/// A value, and an index behind it as a C compiler would place it. Requires: both are basic.
[[nodiscard]] std::unique_ptr<definition> make_pair_type(const definition_pointer& value,
                                                         const definition_pointer& index,
                                                         contents made_with);

}  // namespace peal::mpi
