// launcher/pealrun/processes/program.hpp
// Finds the file behind a program's name before anything is started, so that a wrong name is one
// clear line and not one a rank.
//
// Layer    launcher.
#pragma once

#include <string>

namespace peal::launcher {

/// The file to execute, as an absolute path: a name with a slash counts from the present folder,
/// any other is looked up in PATH. Throws stop with 127 (not there) or 126 (a folder, or not
/// executable).
std::string find_program(const std::string& name);

/// Empty when it is a folder that can be entered, else what is wrong.
std::string check_folder(const std::string& path);

}  // namespace peal::launcher
