// mpi/attributes/attributes.hpp
// The attributes of one object, a communicator or a datatype, in the order in which they were set.
//
// Layer    mpi/attributes.
// Threads  one at a time for each object. Functions of the program may come back to the same
//          object.
// Errors   a failure: MPI_ERR_KEYVAL; what a function of the program gives. What it refuses to
//          delete stays.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "mpi/attributes/keyval.hpp"

namespace peal::mpi {

/// `owner`: the handle that the program knows the object by. One object has one kind of handle.
class attributes {
 public:
  /// Deletes what was there first.
  template <class Handle>
  void set(Handle owner, int key, void* value);
  /// Whether there is one. Fails where there is none and the key is none either.
  template <class Handle>
  [[nodiscard]] bool get(int key, void*& value) const;
  template <class Handle>
  void erase(Handle owner, int key);

  /// For a copy of the object: what the functions of the keys say of each. Throws what the first
  /// one to fail gives, and the copy has those before it, which its maker then deletes.
  template <class Handle>
  void copy_to(attributes& copy, Handle owner) const;
  /// When the object goes: the last one that was set is the first to go. Where it throws, those
  /// that are not deleted stay.
  template <class Handle>
  void erase_all(Handle owner);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

 private:
  struct entry {
    std::shared_ptr<const keyval> key;
    void* value;
  };
  using place = std::vector<entry>::iterator;
  [[nodiscard]] place find(int key) noexcept;
  template <class Handle>
  void erase(Handle owner, const entry& gone);

  std::vector<entry> entries_;  // a handful
};

}  // namespace peal::mpi
