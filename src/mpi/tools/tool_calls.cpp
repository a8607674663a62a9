// The start and the end of MPI_T, and enumerations, of which there are none.
#include "mpi/info/env_info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/tools/tool_function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, T_init_thread, int required, int* provided) {
  if (provided == nullptr || name_of_thread_level(required) == nullptr) return MPI_T_ERR_INVALID;
  const std::lock_guard<std::mutex> guard{tools_lock()};
  begin_tools();
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}

PEAL_MPI_FUNCTION(int, T_finalize, void) {
  return run_tool([] { end_tools(); });
}

PEAL_MPI_FUNCTION(int, T_enum_get_info, MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  (void)enumtype, (void)num, (void)name, (void)name_len;
  return run_tool([] { fail(MPI_T_ERR_INVALID_HANDLE, "there are no enumerations"); });
}

PEAL_MPI_FUNCTION(int, T_enum_get_item, MPI_T_enum enumtype, int indx, int* value, char* name,
                  int* name_len) {
  (void)enumtype, (void)indx, (void)value, (void)name, (void)name_len;
  return run_tool([] { fail(MPI_T_ERR_INVALID_HANDLE, "there are no enumerations"); });
}
