// mpi/datatypes/datatype.hpp
// A datatype as a program has it: a handle, and what belongs to the handle alone.
//
// Layer    mpi/datatypes.
// Threads  any, if what is used is not freed meanwhile, which MPI forbids programs to do.
// Errors   datatype_of and committed_datatype_of throw a failure, MPI_ERR_TYPE.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/attributes/attributes.hpp"
#include "mpi/datatypes/definition.hpp"
#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

struct datatype {
  definition_pointer shared;  // a transfer under way keeps it, since the program may free the type
  std::string name;
  bool committed = false;
  mpi::attributes attributes;

  explicit datatype(definition_pointer of) noexcept : shared{std::move(of)} {}

  [[nodiscard]] const definition& type() const noexcept { return *shared; }
  [[nodiscard]] bool is_predefined() const noexcept { return shared->predefined() != nullptr; }
};

using datatype_table = handle_table<MPI_Datatype, datatype, handle_kind::datatype>;

[[nodiscard]] datatype_table& make_datatypes();
/// All of the process, the predefined ones among them.
[[nodiscard]] inline datatype_table& datatypes() {
  // Never ended: programs may free types after main.
  static datatype_table& all = make_datatypes();
  return all;
}

[[noreturn, gnu::cold]] void fail_no_datatype(MPI_Datatype type, const char* argument);
[[noreturn, gnu::cold]] void fail_not_committed(const datatype& type);
/// Fails for MPI_DATATYPE_NULL, for whatever is no datatype, and for an optional type that does not
/// exist here. `argument` is what the handle is called.
// Always inline, as the next one, since every message comes by.
[[nodiscard, gnu::always_inline]] inline datatype& datatype_of(MPI_Datatype type,
                                                               const char* argument = "datatype") {
  datatype* const found = datatypes().find(type);
  if (found == nullptr) [[unlikely]]
    fail_no_datatype(type, argument);
  return *found;
}
[[nodiscard, gnu::always_inline]] inline datatype& committed_datatype_of(MPI_Datatype type) {
  datatype& found = datatype_of(type);
  if (!found.committed) [[unlikely]]
    fail_not_committed(found);
  return found;
}

/// A new handle.
[[nodiscard]] MPI_Datatype add_datatype(definition_pointer type);

}  // namespace peal::mpi
