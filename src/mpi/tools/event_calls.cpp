// Events of MPI_T and their sources: there are none, so no index, name or handle is one.
#include "mpi/support/failure.hpp"
#include "mpi/tools/tool_function.hpp"

using namespace peal::mpi;

namespace {

int wrong_index() {
  return run_tool([] { fail(MPI_T_ERR_INVALID_INDEX, "there are no events"); });
}
int wrong_name() {
  return run_tool([] { fail(MPI_T_ERR_INVALID_NAME, "there are no events"); });
}
int wrong_handle() {
  return run_tool([] { fail(MPI_T_ERR_INVALID_HANDLE, "there are no events"); });
}
int none(int* count) {
  return run_tool([&] {
    need_argument(count);
    *count = 0;
  });
}

}  // namespace

PEAL_MPI_FUNCTION(int, T_event_callback_get_info, MPI_T_event_registration, MPI_T_cb_safety,
                  MPI_Info*) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_callback_set_info, MPI_T_event_registration, MPI_T_cb_safety,
                  MPI_Info) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_copy, MPI_T_event_instance, void*) { return wrong_handle(); }
PEAL_MPI_FUNCTION(int, T_event_get_index, const char*, int*) { return wrong_name(); }
PEAL_MPI_FUNCTION(int, T_event_get_info, int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*,
                  MPI_T_enum*, MPI_Info*, char*, int*, int*) {
  return wrong_index();
}
PEAL_MPI_FUNCTION(int, T_event_get_num, int* num_events) { return none(num_events); }
PEAL_MPI_FUNCTION(int, T_event_get_source, MPI_T_event_instance, int*) { return wrong_handle(); }
PEAL_MPI_FUNCTION(int, T_event_get_timestamp, MPI_T_event_instance, MPI_Count*) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_handle_alloc, int, void*, MPI_Info, MPI_T_event_registration*) {
  return wrong_index();
}
PEAL_MPI_FUNCTION(int, T_event_handle_free, MPI_T_event_registration, void*,
                  MPI_T_event_free_cb_function) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_handle_get_info, MPI_T_event_registration, MPI_Info*) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_handle_set_info, MPI_T_event_registration, MPI_Info) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_read, MPI_T_event_instance, int, void*) { return wrong_handle(); }
PEAL_MPI_FUNCTION(int, T_event_register_callback, MPI_T_event_registration, MPI_T_cb_safety,
                  MPI_Info, void*, MPI_T_event_cb_function) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_event_set_dropped_handler, MPI_T_event_registration,
                  MPI_T_event_dropped_cb_function) {
  return wrong_handle();
}
PEAL_MPI_FUNCTION(int, T_source_get_info, int, char*, int*, char*, int*, MPI_T_source_order*,
                  MPI_Count*, MPI_Count*, MPI_Info*) {
  return wrong_index();
}
PEAL_MPI_FUNCTION(int, T_source_get_num, int* num_sources) { return none(num_sources); }
PEAL_MPI_FUNCTION(int, T_source_get_timestamp, int, MPI_Count*) { return wrong_index(); }
