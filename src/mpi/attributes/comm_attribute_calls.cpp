// Attributes of communicators.
#include <optional>

#include "mpi/attributes/attribute_calls.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

int create(const char* function, MPI_Comm_copy_attr_function* copy,
           MPI_Comm_delete_attr_function* remove, int* key, void* extra_state) {
  return run_in_job(function, [&] { create_keyval<MPI_Comm>(copy, remove, key, extra_state); });
}

int free(const char* function, int* key) {
  return run_in_job(function, [&] { free_keyval<MPI_Comm>(key); });
}

int set(const char* function, MPI_Comm comm, int key, void* value) {
  return run(function, comm, [&] { attributes_of(comm).set(comm, key, value); });
}

int get(const char* function, MPI_Comm comm, int key, void* value, int* found) {
  return run(function, comm, [&] {
    // Only of communicators does the standard define attributes that are always there.
    if (const std::optional<int*> predefined = predefined_attribute(key)) {
      (void)attributes_of(comm);
      need_place(value, "attribute_val");
      need_place(found, "flag");
      *found = *predefined != nullptr;
      if (*predefined != nullptr) std::memcpy(value, &*predefined, sizeof *predefined);
    } else {
      get_attribute(comm, key, value, found);
    }
  });
}

int erase(const char* function, MPI_Comm comm, int key) {
  return run(function, comm, [&] { attributes_of(comm).erase(comm, key); });
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_create_keyval, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                  MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval,
                  void* extra_state) {
  return create("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                extra_state);
}
PEAL_MPI_FUNCTION(int, Comm_free_keyval, int* comm_keyval) {
  return free("MPI_Comm_free_keyval", comm_keyval);
}
PEAL_MPI_FUNCTION(int, Comm_set_attr, MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}
PEAL_MPI_FUNCTION(int, Comm_get_attr, MPI_Comm comm, int comm_keyval, void* attribute_val,
                  int* flag) {
  return get("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}
PEAL_MPI_FUNCTION(int, Comm_delete_attr, MPI_Comm comm, int comm_keyval) {
  return erase("MPI_Comm_delete_attr", comm, comm_keyval);
}

// The names that these functions had in MPI 1.
PEAL_MPI_FUNCTION(int, Keyval_create, MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn,
                  int* keyval, void* extra_state) {
  return create("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}
PEAL_MPI_FUNCTION(int, Keyval_free, int* keyval) { return free("MPI_Keyval_free", keyval); }
PEAL_MPI_FUNCTION(int, Attr_put, MPI_Comm comm, int keyval, void* attribute_val) {
  return set("MPI_Attr_put", comm, keyval, attribute_val);
}
PEAL_MPI_FUNCTION(int, Attr_get, MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return get("MPI_Attr_get", comm, keyval, attribute_val, flag);
}
PEAL_MPI_FUNCTION(int, Attr_delete, MPI_Comm comm, int keyval) {
  return erase("MPI_Attr_delete", comm, keyval);
}
