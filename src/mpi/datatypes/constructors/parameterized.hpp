// mpi/datatypes/constructors/parameterized.hpp
// Predefined types without a name of their own, which a program asks for by what they have to hold:
// a precision and a range of Fortran, a length, a value with an index. The same question has the
// same handle as answer, which cannot be freed.
//
// Layer    mpi/datatypes/constructors.
// Threads  any.
// Errors   MPI_ERR_ARG where there is no such type, MPI_ERR_TYPE for what is no type of a number.
// Source   MPI 5.0, 19.1.9; 6.9.4.
#pragma once

#include "mpi/datatypes/datatype.hpp"

namespace peal::mpi {

/// MPI_UNDEFINED for one of both: any.
[[nodiscard]] MPI_Datatype f90_real(int precision, int range);
[[nodiscard]] MPI_Datatype f90_complex(int precision, int range);
[[nodiscard]] MPI_Datatype f90_integer(int range);

/// `type_class`: MPI_TYPECLASS_...
[[nodiscard]] MPI_Datatype match_size(int type_class, int size);

/// MPI_DATATYPE_NULL: there is no such pair.
[[nodiscard]] MPI_Datatype value_index_type(MPI_Datatype value, MPI_Datatype index);

}  // namespace peal::mpi
