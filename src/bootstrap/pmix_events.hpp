// bootstrap/pmix_events.hpp
// Events of PMIx: what the launcher says of ranks that are gone, and what ranks say of peers that
// they do not reach.
//
// Layer    bootstrap: may include base/.
// Threads  any. Events come in a thread of PMIx, and are put where deaths.hpp says.
// Errors   none: a launcher may know of no events.
// Source   PMIx Standard 4.1, event notification.
#pragma once

#include <pmix.h>

namespace peal {

/// After PMIx_Init, and begin_to_hear.
void listen_for_events();
/// Tells all ranks of the job that this one, `self`, does not reach that one. Does not wait.
void tell_unreachable(const pmix_proc_t& self, int rank) noexcept;

}  // namespace peal
