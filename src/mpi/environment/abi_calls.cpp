// What the ABI is, and what Fortran adds to it.
#include "mpi/environment/fortran_abi.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Abi_get_version, int* abi_major, int* abi_minor) {
  return run("MPI_Abi_get_version", [&] {
    need_place(abi_major, "abi_major");
    need_place(abi_minor, "abi_minor");
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
  });
}

PEAL_MPI_FUNCTION(int, Abi_get_info, MPI_Info* info) {
  return run("MPI_Abi_get_info", [&] {
    need_place(info, "info");
    *info = handle_of(abi_info());
  });
}

PEAL_MPI_FUNCTION(int, Abi_set_fortran_info, MPI_Info info) {
  return run("MPI_Abi_set_fortran_info", [&] { set_fortran_info(info_of(info)); });
}

PEAL_MPI_FUNCTION(int, Abi_get_fortran_info, MPI_Info* info) {
  return run("MPI_Abi_get_fortran_info", [&] {
    need_place(info, "info");
    const auto told = fortran_info();
    *info = told ? handle_of(*told) : MPI_INFO_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Abi_set_fortran_booleans, int logical_size, void* logical_true,
                  void* logical_false) {
  return run("MPI_Abi_set_fortran_booleans",
             [&] { set_fortran_booleans(logical_size, logical_true, logical_false); });
}

PEAL_MPI_FUNCTION(int, Abi_get_fortran_booleans, int logical_size, void* logical_true,
                  void* logical_false, int* is_set) {
  return run("MPI_Abi_get_fortran_booleans", [&] {
    need_place(logical_true, "logical_true");
    need_place(logical_false, "logical_false");
    need_place(is_set, "is_set");
    *is_set = get_fortran_booleans(logical_size, logical_true, logical_false) ? 1 : 0;
  });
}
