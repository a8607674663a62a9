// launcher/pealrun/report/page/charts.hpp
// The report's bars.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>

#include "report/gathered.hpp"

namespace peal::launcher {

/// The parts of a rank's time, stacked: a column for each rank. Empty where no time has passed.
std::string time_chart(const gathered_run&);
/// The lengths of messages that all ranks have sent.
std::vector<record::length_class> lengths_of(const gathered_run&);
/// A bar as long as a share, for a cell of a table. `kind`: what it shows, which has the colour.
std::string share_bar(double share, const std::string& kind);

}  // namespace peal::launcher
