#include "mpi/datatypes/datatype.hpp"

#include <fmt/format.h>

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

[[noreturn, gnu::cold]] void fail_no_type(MPI_Datatype type, const char* argument) {
  if (is_missing(type))
    fail(MPI_ERR_TYPE, fmt::format("{} is {}, which does not exist on this machine", argument,
                                   name_of_missing(type)));
  fail_handle(MPI_ERR_TYPE, argument, type, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", "datatype");
}

}  // namespace

datatype_table& datatypes() {
  // Never ended: programs may free types after main.
  static datatype_table& all = *[] {
    auto table = std::make_unique<datatype_table>();
    add_predefined(*table);
    return table.release();
  }();
  return all;
}

datatype& datatype_of(MPI_Datatype type, const char* argument) {
  datatype* const found = datatypes().find(type);
  if (found == nullptr) [[unlikely]]
    fail_no_type(type, argument);
  return *found;
}

datatype& committed_datatype_of(MPI_Datatype type) {
  datatype& found = datatype_of(type);
  if (!found.committed) [[unlikely]]
    fail(MPI_ERR_TYPE, found.name.empty()
                           ? std::string{"datatype is not committed"}
                           : fmt::format("datatype is {}, which is not committed", found.name));
  return found;
}

MPI_Datatype add_datatype(definition_pointer type) {
  return datatypes().add(std::make_unique<datatype>(std::move(type)));
}

}  // namespace peal::mpi
