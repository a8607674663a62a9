// launcher/pealrun/report/page/page.hpp
// The report of a run: one page of HTML that needs nothing else, neither files nor a network.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>

#include "report/gathered.hpp"

namespace peal::launcher {

std::string page_of(const gathered_run&);

}  // namespace peal::launcher
