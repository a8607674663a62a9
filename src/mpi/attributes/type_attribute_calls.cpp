// Attributes of datatypes.
#include "mpi/attributes/attribute_calls.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Type_create_keyval, MPI_Type_copy_attr_function* type_copy_attr_fn,
                  MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval,
                  void* extra_state) {
  return run_in_job("MPI_Type_create_keyval", [&] {
    create_keyval<MPI_Datatype>(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
  });
}

PEAL_MPI_FUNCTION(int, Type_free_keyval, int* type_keyval) {
  return run_in_job("MPI_Type_free_keyval", [&] { free_keyval<MPI_Datatype>(type_keyval); });
}

PEAL_MPI_FUNCTION(int, Type_set_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return run_in_job("MPI_Type_set_attr",
                    [&] { attributes_of(datatype).set(datatype, type_keyval, attribute_val); });
}

PEAL_MPI_FUNCTION(int, Type_get_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val,
                  int* flag) {
  return run_in_job("MPI_Type_get_attr",
                    [&] { get_attribute(datatype, type_keyval, attribute_val, flag); });
}

PEAL_MPI_FUNCTION(int, Type_delete_attr, MPI_Datatype datatype, int type_keyval) {
  return run_in_job("MPI_Type_delete_attr",
                    [&] { attributes_of(datatype).erase(datatype, type_keyval); });
}
