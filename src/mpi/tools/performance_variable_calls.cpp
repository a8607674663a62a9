// Performance variables of MPI_T.
#include <cstring>

#include "mpi/support/failure.hpp"
#include "mpi/tools/performance_variables.hpp"
#include "mpi/tools/tool_function.hpp"

using namespace peal::mpi;

namespace {

/// One handle, or all of the session's.
template <class Action>
void for_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal,
                 Action&& action) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) {
    for (auto& each : session_of(session).handles)
      if (each.second.is_counter()) action(each.second);
    return;
  }
  performance_handle& of = handle_of(session, handle);
  if (!of.is_counter()) fail(refusal, "the variable is no counter");
  action(of);
}

void read_into(const performance_handle& of, void* buf) {
  need_argument(buf);
  const unsigned long long value = of.read();
  std::memcpy(buf, &value, sizeof value);
}

}  // namespace

PEAL_MPI_FUNCTION(int, T_pvar_get_num, int* num_pvar) {
  return run_tool([&] {
    need_argument(num_pvar);
    *num_pvar = static_cast<int>(performance_variables().size());
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_get_info, int pvar_index, char* name, int* name_len, int* verbosity,
                  int* var_class, MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc,
                  int* desc_len, int* bind, int* readonly, int* continuous, int* atomic) {
  return run_tool([&] {
    const auto& all = performance_variables();
    need_index(pvar_index, all.size());
    const performance_variable& of = all[static_cast<std::size_t>(pvar_index)];
    tell_text(name, name_len, of.name);
    tell(verbosity, static_cast<int>(MPI_T_VERBOSITY_USER_BASIC));
    tell(var_class, of.variable_class);
    tell(datatype, MPI_UNSIGNED_LONG_LONG);
    tell(enumtype, MPI_T_ENUM_NULL);
    tell_text(desc, desc_len, of.meaning);
    tell(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
    tell(readonly, of.is_counter() ? 0 : 1);
    tell(continuous, of.is_counter() ? 0 : 1);
    tell(atomic, of.is_counter() ? 1 : 0);
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_get_index, const char* name, int var_class, int* pvar_index) {
  return run_tool([&] {
    need_argument(name);
    need_argument(pvar_index);
    const auto& all = performance_variables();
    for (std::size_t each = 0; each != all.size(); ++each)
      if (all[each].name == name && all[each].variable_class == var_class) {
        *pvar_index = static_cast<int>(each);
        return;
      }
    fail(MPI_T_ERR_INVALID_NAME, "there is no performance variable of that name and class");
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_session_create, MPI_T_pvar_session* session) {
  return run_tool([&] {
    need_argument(session);
    *session = performance_sessions().add(std::make_unique<performance_session>());
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_session_free, MPI_T_pvar_session* session) {
  return run_tool([&] {
    need_argument(session);
    (void)session_of(*session);
    performance_sessions().remove(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_handle_alloc, MPI_T_pvar_session session, int pvar_index,
                  void* obj_handle, MPI_T_pvar_handle* handle, int* count) {
  (void)obj_handle;  // none belongs to an object
  return run_tool([&] {
    performance_session& in = session_of(session);
    need_argument(handle);
    *handle = bind_performance_variable(in, pvar_index);
    tell(count, 1);
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_handle_free, MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  return run_tool([&] {
    need_argument(handle);
    (void)handle_of(session, *handle);
    session_of(session).handles.erase(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_start, MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return run_tool([&] {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP,
                [](performance_handle& of) { of.start(); });
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_stop, MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return run_tool([&] {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP,
                [](performance_handle& of) { of.stop(); });
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_read, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                  void* buf) {
  return run_tool([&] { read_into(handle_of(session, handle), buf); });
}

PEAL_MPI_FUNCTION(int, T_pvar_write, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                  const void* buf) {
  return run_tool([&] {
    performance_handle& of = handle_of(session, handle);
    if (!of.is_counter()) fail(MPI_T_ERR_PVAR_NO_WRITE, "the variable is no counter");
    need_argument(buf);
    unsigned long long value = 0;
    std::memcpy(&value, buf, sizeof value);
    of.set(value);
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_reset, MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return run_tool([&] {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_WRITE,
                [](performance_handle& of) { of.set(0); });
  });
}

PEAL_MPI_FUNCTION(int, T_pvar_readreset, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                  void* buf) {
  return run_tool([&] {
    performance_handle& of = handle_of(session, handle);
    if (!of.is_counter()) fail(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable is no counter");
    need_argument(buf);
    const unsigned long long value = of.take();
    std::memcpy(buf, &value, sizeof value);
  });
}
