// How many elements a status tells of.

#include "mpi/datatypes/layouts/elements.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/status.hpp"

namespace peal::mpi {

namespace {

/// -1: it does not tell.
std::int64_t told_bytes(const MPI_Status* status, const void* count) {
  need_place(status, "status");
  need_place(count, "count");
  return bytes_of(*status);
}

template <class Count>
void count_whole(const MPI_Status* status, MPI_Datatype type, Count* count) {
  const std::int64_t bytes = told_bytes(status, count);
  const std::int64_t size = datatype_of(type).type().size();
  if (bytes == 0) *count = 0;
  else if (bytes < 0 || size == 0 || bytes % size != 0) *count = MPI_UNDEFINED;
  else *count = result_of<Count>(bytes / size);
}

template <class Count>
void count_elements(const MPI_Status* status, MPI_Datatype type, Count* count) {
  const std::int64_t bytes = told_bytes(status, count);
  const layout& of = datatype_of(type).type().layout();
  const std::int64_t elements = bytes < 0 ? -1 : elements_of_bytes(of, bytes);
  *count = elements < 0 ? static_cast<Count>(MPI_UNDEFINED) : result_of<Count>(elements);
}

void set_elements(MPI_Status* status, MPI_Datatype type, std::int64_t count) {
  need_place(status, "status");
  need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
  const std::int64_t bytes = bytes_of_elements(datatype_of(type).type().layout(), count);
  need(bytes >= 0, MPI_ERR_COUNT, "count", count, "the datatype has no elements");
  set_bytes(*status, bytes);
}

}  // namespace

PEAL_MPI_FUNCTION(int, Get_count, const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return run_in_job("MPI_Get_count", [&] { count_whole(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Get_count_c, const MPI_Status* status, MPI_Datatype datatype,
                  MPI_Count* count) {
  return run_in_job("MPI_Get_count_c", [&] { count_whole(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Get_elements, const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return run_in_job("MPI_Get_elements", [&] { count_elements(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Get_elements_x, const MPI_Status* status, MPI_Datatype datatype,
                  MPI_Count* count) {
  return run_in_job("MPI_Get_elements_x", [&] { count_elements(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Get_elements_c, const MPI_Status* status, MPI_Datatype datatype,
                  MPI_Count* count) {
  return run_in_job("MPI_Get_elements_c", [&] { count_elements(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Status_set_elements, MPI_Status* status, MPI_Datatype datatype, int count) {
  return run_in_job("MPI_Status_set_elements", [&] { set_elements(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Status_set_elements_x, MPI_Status* status, MPI_Datatype datatype,
                  MPI_Count count) {
  return run_in_job("MPI_Status_set_elements_x", [&] { set_elements(status, datatype, count); });
}
PEAL_MPI_FUNCTION(int, Status_set_elements_c, MPI_Status* status, MPI_Datatype datatype,
                  MPI_Count count) {
  return run_in_job("MPI_Status_set_elements_c", [&] { set_elements(status, datatype, count); });
}

}  // namespace peal::mpi
