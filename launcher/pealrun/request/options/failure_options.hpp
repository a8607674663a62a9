// launcher/pealrun/request/options/failure_options.hpp
// Options that say when a job ends, and what happens when a rank fails.
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

class failure_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  std::string timeout_, on_failure_ = "kill", restarts_ = "0";
};

}  // namespace peal::launcher
