// mpi/info/env_info.hpp
// What MPI_INFO_ENV says of how this process was started.
//
// Layer    mpi/info.
// Threads  the start of MPI sets values, before others read them.
// Errors   std::bad_alloc. What the system does not tell is absent.
// Source   MPI 5.0, section 11.2.1; proc_pid_cmdline(5).
#pragma once

#include <mpi.h>

#include <span>

#include "mpi/info/info.hpp"

namespace peal::mpi {

/// Of this process. The start of MPI adds what it learns ("maxprocs", "thread_level").
[[nodiscard]] info& env_info();
/// The same with the command and the arguments given; of no arguments it is a copy.
[[nodiscard]] info env_info_for(std::span<char* const> arguments);
/// Such as "MPI_THREAD_MULTIPLE", for "thread_level"; null for what is no level.
[[nodiscard]] const char* name_of_thread_level(int level) noexcept;

}  // namespace peal::mpi
