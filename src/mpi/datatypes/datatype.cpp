#include "mpi/datatypes/datatype.hpp"

#include <fmt/format.h>

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

void fail_no_datatype(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) fail(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
  if (is_missing(type))
    fail(MPI_ERR_TYPE, fmt::format("{} does not exist on this machine", name_of_missing(type)));
  fail(MPI_ERR_TYPE, fmt::format("{:#x} is no datatype, or one that was freed",
                                 reinterpret_cast<std::uintptr_t>(type)));
}

void fail_not_committed(const datatype& type) {
  fail(MPI_ERR_TYPE, type.name.empty()
                         ? std::string{"the datatype is not committed"}
                         : fmt::format("the datatype {} is not committed", type.name));
}

datatype_table& make_datatypes() {
  auto table = std::make_unique<datatype_table>();
  add_predefined(*table);
  return *table.release();
}

MPI_Datatype add_datatype(definition_pointer type) {
  return datatypes().add(std::make_unique<datatype>(std::move(type)));
}

}  // namespace peal::mpi
