// bootstrap/pmix_fence.hpp
// A fence of the whole job by PMIx.
//
// Layer    bootstrap: may include base/.
// Threads  one.
// Errors   throws peal::error (errc::bootstrap_failed) where PMIx refuses it.
// Source   PMIx Standard 4.1; libpmix 4.2.2; Slurm 22.05.
#pragma once

#include <pmix.h>

#include <chrono>
#include <functional>

namespace peal {

/// A fence of the whole job. Once a death is known it is waited for no longer than `patience`, for
/// it may never end: libpmix 4.2.2 leaves the dead out of a fence, but waits for ranks that have
/// left the job by PMIx_Finalize before the fence began, as those do that heard first.
///
/// Every fence collects data, also when there are none: a fence that does not returns at once under
/// Slurm 22.05, on each node by itself.
pmix_status_t fence_all(const pmix_proc_t& everyone, std::chrono::milliseconds patience,
                        const std::function<bool()>& progress);

}  // namespace peal
