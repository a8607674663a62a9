// launcher/pealrun/request/command_line.hpp
// Reads what the user asked of pealrun. The options of the whole job stand in files of their own,
// by group; those of a program, which may come again after each ':', stand here.
//
// Layer    launcher.
// Errors   throws stop, with the text to print.
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal::launcher {

job_request read_command_line(const std::vector<std::string>& arguments);

}  // namespace peal::launcher
