// mpi/operations/op.hpp
// Operations of reductions: those of the standard, and functions of the program.
//
// Layer    mpi/operations: may include mpi/datatypes.
// Threads  any, if what is used is not freed meanwhile.
// Errors   MPI_ERR_OP where there is no such operation, or where it does not know the datatype.
// Source   MPI 5.0, 6.9.2 (which operations know which types).
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/datatypes/datatype.hpp"
#include "mpi/support/handle_table.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

struct op {
  const char* name = nullptr;  // of the standard's
  detail::builtin kind = detail::builtin::none;
  bool commutative = true;
  MPI_User_function* function = nullptr;
  MPI_User_function_c* large_function = nullptr;  // one of the two, or none for the standard's
};

using op_table = handle_table<MPI_Op, op, handle_kind::op>;
[[nodiscard]] op_table& ops();
[[nodiscard]] op& op_of(MPI_Op handle);

/// As what peal's own operations join elements of that type by this operation; opaque: they do not.
[[nodiscard]] detail::scalar scalar_joined_by(const op& how, const definition& type) noexcept;

/// An operation on elements of a datatype, as peal's collectives take it. Must stay where it is
/// while they use it, and outlives the handles that it was made of.
class joining {
 public:
  joining() = default;
  joining(MPI_Op handle, MPI_Datatype type);
  joining(const joining&) = delete;
  joining& operator=(const joining&) = delete;

  /// For a collective_call: its `type` and its `op`.
  void set(detail::collective_call& call) noexcept;
  /// inout[i] = in[i] op inout[i].
  void join(const void* in, void* inout, std::size_t count);
  /// From now on elements are given by where they begin: a type may have its lower bound elsewhere
  /// than at the address that the program has for an element. Fails, with
  /// MPI_ERR_UNSUPPORTED_OPERATION, where elements reach beyond their bounds, into others.
  void take_from_lower_bound();
  /// From one element to the next one.
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }

  using kernel = void (*)(const void* in, void* inout, std::size_t count);

 private:
  static void call_user(void* self, const void* in, void* inout, std::size_t count);
  static void call_kernel(void* self, const void* in, void* inout, std::size_t count);

  op how_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  definition_pointer shared_;
  std::size_t element_bytes_ = 0;
  std::int64_t lower_ = 0;
  detail::scalar scalar_ = detail::scalar::opaque;
  kernel kernel_ = nullptr;  // where peal's own do not serve
};

}  // namespace peal::mpi
