// launcher/pealrun/request/placement_options.hpp
// Options that say where ranks run.
//
// Layer    launcher.
// Errors   what a word is wrong with the command line tells.
#pragma once

#include <string>

#include "request/request.hpp"

namespace CLI {
class App;
}

namespace peal::launcher {

class placement_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  std::string bind_ = "auto";
};

}  // namespace peal::launcher
