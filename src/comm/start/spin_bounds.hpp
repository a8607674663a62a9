// comm/start/spin_bounds.hpp
// How long a wait of this job spins before it sleeps.
//
// Layer    comm.
// Threads  one, which starts the job.
// Errors   none.
#pragma once

#include <chrono>

#include "base/settings.hpp"
#include "progress/wait_policy.hpp"

namespace peal {

/// Bounds of how long to spin, as they are set, or as they are measured where `measures` says that
/// they matter now.
wait_policy::bounds spin_bounds(const wait_settings& set, bool measures);

/// What it costs here to arm, to sleep and to be woken: a few round trips between two threads,
/// about a tenth of a millisecond. Between 5 and 100 µs whatever comes out.
std::chrono::nanoseconds measured_cost_of_waking() noexcept;

}  // namespace peal
