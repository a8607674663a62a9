// mpi/attributes/attribute_calls.hpp
// What the functions for attributes of communicators and of datatypes do alike.
//
// Layer    mpi/attributes.
// Threads  as the object.
// Errors   a failure, as attributes.
#pragma once

#include <mpi.h>

#include <cstring>

#include "mpi/attributes/owners.hpp"
#include "mpi/attributes/predefined_attributes.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// `Handle`, everywhere: MPI_Comm or MPI_Datatype.
template <class Handle>
void create_keyval(typename keyval_functions<Handle>::copy_function* copy,
                   typename keyval_functions<Handle>::delete_function* remove, int* key,
                   void* extra_state) {
  need_place(key, "keyval");
  *key = make_keyval(keyval_functions<Handle>{copy, remove}, extra_state);
}

template <class Handle>
void free_keyval(int* key) {
  need_place(key, "keyval");
  free_keyval<Handle>(*key);
  *key = MPI_KEYVAL_INVALID;
}

/// `value`: the place of a pointer of whatever type.
template <class Handle>
void get_attribute(Handle owner, int key, void* value, int* found) {
  const attributes& of = attributes_of(owner);
  need_place(value, "attribute_val");
  need_place(found, "flag");
  void* held = nullptr;
  *found = of.get<Handle>(key, held);
  if (*found != 0) std::memcpy(value, &held, sizeof held);
}

}  // namespace peal::mpi
