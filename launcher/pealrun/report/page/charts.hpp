// launcher/pealrun/report/page/charts.hpp
// The report's bars.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>

#include "report/gathered.hpp"

namespace peal::launcher {

/// The parts of a rank's time, stacked: a column for each rank.
std::string time_chart(const gathered_run&);
/// Messages by length.
std::string length_chart(const std::vector<record::length_class>&);
/// The lengths of messages that all ranks have sent.
std::vector<record::length_class> lengths_of(const gathered_run&);
/// A bar as long as a share, for a cell of a table.
std::string share_bar(double share);

}  // namespace peal::launcher
