// mpi/environment/hardware.hpp
// Which kinds of hardware this process has one of, by the processors that it may run on.
//
// Layer    mpi/environment.
// Threads  any.
// Errors   std::bad_alloc. What the system does not tell is absent.
// Source   MPI 5.0, MPI_Get_hw_resource_info; sched_setaffinity(2); the kernel's
//          Documentation/admin-guide/cputopology.rst.
#pragma once

#include <string>
#include <vector>

#include "mpi/info/info.hpp"

namespace peal::mpi {

/// Kinds by the names of hwloc, such as "hwloc://NUMANode"; "true": the calling thread may run on
/// processors of one such thing only.
[[nodiscard]] info hardware_info();

/// The same of some processors, for a folder like /sys/devices/system/cpu.
[[nodiscard]] info hardware_info_of(const std::vector<int>& processors, const std::string& folder);

}  // namespace peal::mpi
