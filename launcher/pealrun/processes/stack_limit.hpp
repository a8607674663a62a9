// launcher/pealrun/processes/stack_limit.hpp
// How large the stack may grow. libpmix keeps buffers of more than 100 KiB in one frame, here and
// in the ranks, and a stack that ends before is a segmentation fault that says nothing.
//
// Layer    launcher.
// Units    bytes.
// Threads  any.
// Errors   throws stop.
// Source   getrlimit(2); with libpmix 4.2, 200 KiB are too little and 250 KiB enough.
#pragma once

#include <cstdint>

namespace peal::launcher {

/// The least with which ranks are started.
constexpr std::uint64_t least_stack = 512 << 10;

/// Refuses to start ranks where the stack is smaller.
void require_stack();

}  // namespace peal::launcher
