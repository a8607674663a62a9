// mpi/tools/tool_function.hpp
// The frame of the functions of MPI_T. They return codes and call no error handler; a place for a
// result may be a null pointer where the program does not want it.
//
// Layer    mpi/tools.
// Threads  any: all of MPI_T has one lock, which a body holds.
// Errors   bodies throw failures.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "mpi/support/function.hpp"

namespace peal::mpi {

[[nodiscard]] std::mutex& tools_lock() noexcept;
/// MPI_T_init_thread and MPI_T_finalize, as often as they are called. With the lock held.
void begin_tools() noexcept;
void end_tools();
/// Fails where the one was not called, or the other as often.
void need_tools();

/// In a handler of an exception: its code.
[[nodiscard, gnu::cold]] int code_of_thrown() noexcept;

template <std::invocable Body>
int run_tool(Body&& body) noexcept {
  try {
    const std::lock_guard<std::mutex> guard{tools_lock()};
    need_tools();
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return code_of_thrown();
  }
}

/// Fails with MPI_T_ERR_INVALID_INDEX.
void need_index(int index, std::size_t count);
/// Fails with MPI_T_ERR_INVALID where something must be told and is not.
void need_argument(const void* place);

template <class Value>
void tell(Value* wanted, Value value) noexcept {
  if (wanted != nullptr) *wanted = value;
}
/// `length`: the room, and then what the string took with the byte that ends it, or would take
/// where there is no room at all.
void tell_text(char* wanted, int* length, std::string_view text) noexcept;
/// The first of so many.
void tell_indices(int room, int* wanted, const std::vector<int>& indices);

}  // namespace peal::mpi
