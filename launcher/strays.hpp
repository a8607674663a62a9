// launcher/strays.hpp
// Processes that ranks left behind and that became pealrun's children, since it is the reaper of its descendants (PR_SET_CHILD_SUBREAPER).
//
// Layer    launcher.
// Source   prctl(2), proc(5): /proc/PID/task/TID/children.
#pragma once

#include <sys/types.h>

#include <span>

namespace peal::launcher {

/// Fetches strays that have ended, so that a long job does not gather them. `known` are children that somebody else waits for.
void reap_strays(std::span<const pid_t> known);

/// Kills all strays and waits for them.
void end_strays(std::span<const pid_t> known);

}  // namespace peal::launcher
