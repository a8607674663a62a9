#include "mpi/tools/control_variables.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/tools/tool_function.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

namespace {

/// A value that a tool writes may be longer than the one that is there.
constexpr int least_room = 256;

const control_variable& bound(MPI_T_cvar_handle handle) {
  const control_variable* const found = control_variable_handles().find(handle);
  if (found == nullptr) fail(MPI_T_ERR_INVALID_HANDLE, "it is no handle of a control variable");
  return *found;
}

/// As a setting has it: up to the zero byte, but no more than the tool has room for.
std::string text_written(const void* from, int most) {
  const auto* const text = static_cast<const char*>(from);
  return {text, ::strnlen(text, static_cast<std::size_t>(most))};
}
std::string integer_written(const void* from) {
  int value = 0;
  std::memcpy(&value, from, sizeof value);
  return std::to_string(value);
}

}  // namespace

std::vector<detail::setting> control_variables() { return detail::settings(); }

bool is_integer(const detail::setting& of) noexcept { return of.allowed == "0|1"; }

control_variable_table& control_variable_handles() noexcept {
  static auto* const all = new control_variable_table;
  return *all;
}

MPI_T_cvar_handle bind_control_variable(int index, int* count) {
  const std::vector<detail::setting> all = control_variables();
  need_index(index, all.size());
  const detail::setting& of = all[static_cast<std::size_t>(index)];
  const int elements =
      is_integer(of) ? 1 : std::max(least_room, static_cast<int>(of.value.size()) + 1);
  tell(count, elements);
  return control_variable_handles().add(
      std::make_unique<control_variable>(control_variable{index, elements}));
}

void read_control_variable(MPI_T_cvar_handle handle, void* into) {
  const control_variable& of = bound(handle);
  need_argument(into);
  const detail::setting now = control_variables()[static_cast<std::size_t>(of.index)];
  if (is_integer(now)) {
    const int value = now.value == "1" ? 1 : 0;
    std::memcpy(into, &value, sizeof value);
  } else {
    copy_cut(now.value, static_cast<char*>(into), static_cast<std::size_t>(of.count));
  }
}

void write_control_variable(MPI_T_cvar_handle handle, const void* from) {
  const control_variable& of = bound(handle);
  need_argument(from);
  if (detail::job_running())
    fail(MPI_T_ERR_CVAR_SET_NOT_NOW, "settings do not change while MPI runs");
  const detail::setting now = control_variables()[static_cast<std::size_t>(of.index)];
  const std::string value = is_integer(now) ? integer_written(from) : text_written(from, of.count);
  if (!detail::change_setting(now.name, value))
    fail(MPI_T_ERR_INVALID, now.name + "=" + value + ": allowed is " + now.allowed);
}

}  // namespace peal::mpi
