// launcher/pealrun/shown/tool.hpp
// Runs another program and takes what it writes, for a limited time.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   nothing where it cannot be started or takes too long: it is killed then.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace peal::launcher {

/// The file in PATH, or empty.
[[nodiscard]] std::string find_tool(const std::string& name);

/// What it has written on standard output. Its input is empty, and its errors are lost.
[[nodiscard]] std::optional<std::string> run_tool(const std::vector<std::string>& words,
                                                  double seconds);

}  // namespace peal::launcher
