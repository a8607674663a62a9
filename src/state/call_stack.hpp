// state/call_stack.hpp
// Where a thread is: the return addresses on its stack.
//
// Layer    state.
// Threads  any.
// Errors   none; code without unwind tables ends the walk.
// Source   _Unwind_Backtrace, of the Itanium C++ ABI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace peal::state {

/// Fills `into` with those of the calling thread, the innermost first, and returns how many there
/// are. Takes some ten microseconds.
std::size_t call_stack(std::span<std::uint64_t> into) noexcept;

}  // namespace peal::state
