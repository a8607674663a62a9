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
#include "topology/core_sharing.hpp"

namespace peal {

/// Bounds of how long to spin, as they are set, or as they are measured where `measures` says that
/// they matter now. `others`: where the ranks run that will wake this one.
wait_policy::bounds spin_bounds(const wait_settings& set, bool measures, const cpu_mask& others);

/// What it costs here to arm, to sleep and to be woken: a few round trips between two threads,
/// a tenth of a millisecond to half of one. Between 20 and 100 µs whatever comes out.
///
/// The second thread runs on a core of `others`, where it may: a wake-up on the same core is
/// a switch only, while a core that idles has to be called back (a virtual machine with two cores
/// of an EPYC 9005: 5.8 µs a round trip on one core, 35 between two).
std::chrono::nanoseconds measured_cost_of_waking(const cpu_mask& others) noexcept;

}  // namespace peal
