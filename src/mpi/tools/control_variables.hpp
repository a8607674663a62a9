// mpi/tools/control_variables.hpp
// The PEAL_ variables as control variables of MPI_T: a tool may change them before MPI starts.
//
// Layer    mpi/tools.
// Units    elements of the datatype; values of MPI_CHAR end with a zero byte.
// Threads  under the lock of MPI_T.
// Errors   MPI_T_ERR_INVALID_INDEX, _HANDLE; _CVAR_SET_NOT_NOW while MPI runs, MPI_T_ERR_INVALID
//          for a value that is not allowed.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/support/handle_table.hpp"
#include "peal/detail/setting.hpp"

namespace peal::mpi {

/// All of them, with their values of now. Always the same ones, in one order.
[[nodiscard]] std::vector<detail::setting> control_variables();

/// 0 or 1 are an int, everything else is text.
[[nodiscard]] bool is_integer(const detail::setting& of) noexcept;

struct control_variable {
  int index;
  int count;  // of elements, as the tool was told
};
using control_variable_table =
    handle_table<MPI_T_cvar_handle, control_variable, handle_kind::control_variable>;
[[nodiscard]] control_variable_table& control_variable_handles() noexcept;

[[nodiscard]] MPI_T_cvar_handle bind_control_variable(int index, int* count);
void read_control_variable(MPI_T_cvar_handle handle, void* into);
void write_control_variable(MPI_T_cvar_handle handle, const void* from);

}  // namespace peal::mpi
