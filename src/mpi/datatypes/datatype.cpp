#include "mpi/datatypes/datatype.hpp"

#include <fmt/format.h>

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

[[noreturn, gnu::cold]] void fail_no_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) fail(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
  if (is_missing(type))
    fail(MPI_ERR_TYPE, fmt::format("{} does not exist on this machine", name_of_missing(type)));
  fail(MPI_ERR_TYPE, fmt::format("{:#x} is no datatype, or one that was freed",
                                 reinterpret_cast<std::uintptr_t>(type)));
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

datatype& datatype_of(MPI_Datatype type) {
  datatype* const found = datatypes().find(type);
  if (found == nullptr) [[unlikely]]
    fail_no_type(type);
  return *found;
}

datatype& committed_datatype_of(MPI_Datatype type) {
  datatype& found = datatype_of(type);
  if (!found.committed) [[unlikely]]
    fail(MPI_ERR_TYPE, found.name.empty()
                           ? std::string{"the datatype is not committed"}
                           : fmt::format("the datatype {} is not committed", found.name));
  return found;
}

MPI_Datatype add_datatype(definition_pointer type) {
  return datatypes().add(std::make_unique<datatype>(std::move(type)));
}

}  // namespace peal::mpi
