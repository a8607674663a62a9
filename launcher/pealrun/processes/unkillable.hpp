// launcher/pealrun/processes/unkillable.hpp
// Why a process is still there although SIGKILL was sent to it.
//
// Layer    launcher.
// Threads  any.
// Errors   none.
// Source   proc(5).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace peal::launcher {

/// Words that go on a sentence about the process; nothing when it is on its way out, which takes
/// long with much memory.
std::optional<std::string> what_keeps(pid_t);

}  // namespace peal::launcher
