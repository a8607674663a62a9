// launcher/pealrun/hang/job_table.hpp
// What the ranks of a job do, as a table that fits a terminal.
//
// Layer    launcher.
// Units    seconds, bytes, columns and lines.
// Threads  pure functions.
// Errors   none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shown/snapshot.hpp"

namespace peal::launcher {

/// Lines without their ends. Where there are more ranks than lines, those that do the same share
/// one; then what is left is counted. `before`: what was shown so many seconds earlier.
[[nodiscard]] std::vector<std::string> job_table(const job_snapshot& now,
                                                 const job_snapshot& before, double seconds,
                                                 std::size_t lines, std::size_t columns);

/// "1.2M", "873".
[[nodiscard]] std::string rate_text(double a_second);

/// The jobs of this node, a line each.
[[nodiscard]] std::vector<std::string> job_list(const std::vector<job_snapshot>&);

}  // namespace peal::launcher
