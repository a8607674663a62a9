#include "mpi/datatypes/datatype.hpp"

#include <fmt/format.h>

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

void fail_no_datatype(MPI_Datatype type, const char* argument) {
  if (is_missing(type))
    fail(MPI_ERR_TYPE, fmt::format("{} is {}, which does not exist on this machine", argument,
                                   name_of_missing(type)));
  fail_handle(MPI_ERR_TYPE, argument, type, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", "datatype");
}

void fail_not_committed(const datatype& type) {
  fail(MPI_ERR_TYPE, type.name.empty()
                         ? std::string{"datatype is not committed"}
                         : fmt::format("datatype is {}, which is not committed", type.name));
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
