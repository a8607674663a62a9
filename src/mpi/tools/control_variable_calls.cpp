// Control variables of MPI_T.
#include "mpi/support/failure.hpp"
#include "mpi/tools/control_variables.hpp"
#include "mpi/tools/tool_function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, T_cvar_get_num, int* num_cvar) {
  return run_tool([&] {
    need_argument(num_cvar);
    *num_cvar = static_cast<int>(control_variables().size());
  });
}

PEAL_MPI_FUNCTION(int, T_cvar_get_info, int cvar_index, char* name, int* name_len, int* verbosity,
                  MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                  int* bind, int* scope) {
  return run_tool([&] {
    const auto all = control_variables();
    need_index(cvar_index, all.size());
    const peal::detail::setting& of = all[static_cast<std::size_t>(cvar_index)];
    tell_text(name, name_len, of.name);
    tell(verbosity, static_cast<int>(MPI_T_VERBOSITY_USER_BASIC));
    tell(datatype, is_integer(of) ? MPI_INT : MPI_CHAR);
    tell(enumtype, MPI_T_ENUM_NULL);
    tell_text(desc, desc_len, of.meaning + " (" + of.allowed + ")");
    tell(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
    tell(scope, static_cast<int>(of.must_agree ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL));
  });
}

PEAL_MPI_FUNCTION(int, T_cvar_get_index, const char* name, int* cvar_index) {
  return run_tool([&] {
    need_argument(name);
    need_argument(cvar_index);
    const auto all = control_variables();
    for (std::size_t each = 0; each != all.size(); ++each)
      if (all[each].name == name) {
        *cvar_index = static_cast<int>(each);
        return;
      }
    fail(MPI_T_ERR_INVALID_NAME, "there is no control variable of that name");
  });
}

PEAL_MPI_FUNCTION(int, T_cvar_handle_alloc, int cvar_index, void* obj_handle,
                  MPI_T_cvar_handle* handle, int* count) {
  (void)obj_handle;  // none belongs to an object
  return run_tool([&] {
    need_argument(handle);
    *handle = bind_control_variable(cvar_index, count);
  });
}

PEAL_MPI_FUNCTION(int, T_cvar_handle_free, MPI_T_cvar_handle* handle) {
  return run_tool([&] {
    need_argument(handle);
    if (control_variable_handles().find(*handle) == nullptr)
      fail(MPI_T_ERR_INVALID_HANDLE, "it is no handle of a control variable");
    control_variable_handles().remove(*handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
  });
}

PEAL_MPI_FUNCTION(int, T_cvar_read, MPI_T_cvar_handle handle, void* buf) {
  return run_tool([&] { read_control_variable(handle, buf); });
}

PEAL_MPI_FUNCTION(int, T_cvar_write, MPI_T_cvar_handle handle, const void* buf) {
  return run_tool([&] { write_control_variable(handle, buf); });
}
