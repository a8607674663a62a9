// mpi/attributes/keyval.hpp
// Keys of attributes: the functions that a program gave for copying and deleting what is stored
// under a key.
//
// Layer    mpi/attributes.
// Threads  any. The functions of the program are called without a lock.
// Errors   a failure: MPI_ERR_KEYVAL; what a function of the program gives, where that is no
//          success.
#pragma once

#include <mpi.h>

#include <memory>
#include <variant>

namespace peal::mpi {

/// `Handle`: of the kind of objects that the key is for, MPI_Comm or MPI_Datatype. Null functions
/// copy nothing, and do nothing when an attribute goes.
template <class Handle>
struct keyval_functions {
  using copy_function = int(Handle, int, void*, void*, void*, int*);
  using delete_function = int(Handle, int, void*, void*);
  copy_function* copy = nullptr;
  delete_function* remove = nullptr;
};

class keyval {
 public:
  using any_functions = std::variant<keyval_functions<MPI_Comm>, keyval_functions<MPI_Datatype>>;

  keyval(int number, any_functions functions, void* extra_state) noexcept
      : number_{number}, functions_{functions}, extra_state_{extra_state} {}

  [[nodiscard]] int number() const noexcept { return number_; }
  template <class Handle>
  [[nodiscard]] bool is_for() const noexcept {
    return std::holds_alternative<keyval_functions<Handle>>(functions_);
  }

  // Below, `Requires`: is_for<Handle>().
  /// Whether the copy is to have an attribute; `copied` is its value.
  template <class Handle>
  [[nodiscard]] bool copy(Handle owner, void* value, void*& copied) const;
  template <class Handle>
  void remove(Handle owner, void* value) const;

 private:
  int number_;
  any_functions functions_;
  void* extra_state_;
};

/// The key's number, which is above those that the standard gives.
[[nodiscard]] int make_keyval(keyval::any_functions functions, void* extra_state);
/// Attributes under it live on. Fails for what is no key for objects of this kind.
template <class Handle>
void free_keyval(int number);
/// Fails for what is no key for objects of this kind, and for a key that was freed.
template <class Handle>
[[nodiscard]] std::shared_ptr<const keyval> keyval_of(int number);

}  // namespace peal::mpi
