// collective/crew.hpp
// The OpenMP threads of this rank, which share long reductions with the thread that makes progress.
//
// peal has no threads for that and brings no OpenMP along. It calls the runtime of a program that
// uses OpenMP itself, whose threads have nothing to do then, as a rule, and wait by spinning: a
// second set beside them would fight for the same cores. A program without OpenMP gets no threads,
// so nothing of peal's spins beside its own.
//
// Layer    collective: may include base/.
// Units    bytes.
// Threads  any; but only the main thread of the process gets help, since a runtime has a set of
//          threads for each thread that asks.
// Source   libgomp's ABI (GOMP_parallel), which LLVM's runtime has, too.
#pragma once

#include <cstddef>

#include "collective/reduction.hpp"

namespace peal::crew {

/// How many hardware threads this rank has for itself; 1 to begin with. A runtime that would use
/// more threads is not asked.
void set_own(int) noexcept;

/// Whether this thread would get help, now.
[[nodiscard]] bool there() noexcept;

/// All of `bytes`, by as many threads as there are; an element is computed as by one thread alone.
/// Requires: there(), whole elements.
void apply(kernel, const std::byte* lower, const std::byte* higher, std::byte* into,
           std::size_t bytes, std::size_t element) noexcept;

}  // namespace peal::crew
