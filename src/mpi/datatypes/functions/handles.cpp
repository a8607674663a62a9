// The life of a datatype and its name.

#include <algorithm>
#include <cstring>

#include "mpi/datatypes/constructors/constructors.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

void free_datatype(MPI_Datatype* type) {
  need_place(type, "datatype");
  datatype& found = datatype_of(*type);
  if (found.is_predefined())
    fail(MPI_ERR_TYPE, "datatype is " + found.name + ", which is never freed");
  found.attributes.erase_all(*type);
  (void)datatypes().remove(*type);
  *type = MPI_DATATYPE_NULL;
}

void tell_name(MPI_Datatype type, char* name, int* length) {
  need_place(name, "type_name");
  need_place(length, "resultlen");
  const std::string& found =
      type == MPI_DATATYPE_NULL ? std::string{"MPI_DATATYPE_NULL"} : datatype_of(type).name;
  std::memcpy(name, found.c_str(), found.size() + 1);
  *length = static_cast<int>(found.size());
}

}  // namespace

PEAL_MPI_FUNCTION(int, Type_commit, MPI_Datatype* datatype) {
  return run_in_job("MPI_Type_commit", [&] {
    need_place(datatype, "datatype");
    mpi::datatype& committed = datatype_of(*datatype);
    (void)committed.type().plan();
    committed.committed = true;
  });
}

PEAL_MPI_FUNCTION(int, Type_free, MPI_Datatype* datatype) {
  return run_in_job("MPI_Type_free", [&] { free_datatype(datatype); });
}

PEAL_MPI_FUNCTION(int, Type_dup, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_dup", [&] {
    need_place(newtype, "newtype");
    const datatype& old = datatype_of(oldtype, "oldtype");
    const MPI_Datatype made = add_datatype(make_dup(old.shared));
    datatype& copy = datatype_of(made);
    copy.committed = old.committed;
    try {
      old.attributes.copy_to(copy.attributes, oldtype);
    } catch (...) {
      copy.attributes.erase_all(made);
      datatypes().remove(made);
      *newtype = MPI_DATATYPE_NULL;
      throw;
    }
    *newtype = made;
  });
}

PEAL_MPI_FUNCTION(int, Type_set_name, MPI_Datatype datatype, const char* type_name) {
  return run_in_job("MPI_Type_set_name", [&] {
    need_place(type_name, "type_name");
    // What has no room is cut off.
    datatype_of(datatype).name.assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  });
}

PEAL_MPI_FUNCTION(int, Type_get_name, MPI_Datatype datatype, char* type_name, int* resultlen) {
  return run_in_job("MPI_Type_get_name", [&] { tell_name(datatype, type_name, resultlen); });
}

}  // namespace peal::mpi
