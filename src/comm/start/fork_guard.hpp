// comm/start/fork_guard.hpp
// Whether this process is a forked child of one that had a job. Such a child shares the node's
// segment and the launcher's socket with its parent and must touch neither.
//
// Layer    comm.
// Threads  any.
#pragma once

namespace peal {

/// Watches for forks from now on, and calls `in_child` in a forked child; repeated calls do
/// nothing. Called when a job starts.
void watch_forks(void (*in_child)());

namespace detail_start {
extern bool in_forked_child;  // written by the only thread of a fresh child
}

/// True in a process forked after watch_forks().
inline bool forked_child() noexcept { return detail_start::in_forked_child; }

}  // namespace peal
