// launcher/pealrun/hang/stacks.hpp
// The stack of a process that does not wait in peal, by gdb or eu-stack where one is installed and
// the system lets it look.
//
// Layer    launcher.
// Errors   empty: it could not be had.
#pragma once

#include <string>
#include <vector>

namespace peal::launcher {

/// A line a frame, the innermost first: that of the main thread.
[[nodiscard]] std::vector<std::string> stack_of(long process);
/// Of what gdb ("bt") or eu-stack write.
[[nodiscard]] std::vector<std::string> read_stack(const std::string& output);

}  // namespace peal::launcher
