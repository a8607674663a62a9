// Predefined types that a program asks for by what they have to hold.

#include "mpi/datatypes/constructors/parameterized.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

PEAL_MPI_FUNCTION(int, Type_create_f90_real, int p, int r, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_f90_real", [&] {
    need_place(newtype, "newtype");
    *newtype = f90_real(p, r);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_f90_complex, int p, int r, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_f90_complex", [&] {
    need_place(newtype, "newtype");
    *newtype = f90_complex(p, r);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_f90_integer, int r, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_f90_integer", [&] {
    need_place(newtype, "newtype");
    *newtype = f90_integer(r);
  });
}
PEAL_MPI_FUNCTION(int, Type_match_size, int typeclass, int size, MPI_Datatype* datatype) {
  return run_in_job("MPI_Type_match_size", [&] {
    need_place(datatype, "datatype");
    *datatype = match_size(typeclass, size);
  });
}
PEAL_MPI_FUNCTION(int, Type_get_value_index, MPI_Datatype value_type, MPI_Datatype index_type,
                  MPI_Datatype* pair_type) {
  return run_in_job("MPI_Type_get_value_index", [&] {
    need_place(pair_type, "pair_type");
    *pair_type = value_index_type(value_type, index_type);
  });
}

}  // namespace peal::mpi
