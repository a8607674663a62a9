// launcher/pealrun/request/options/hang_options.hpp
// Options about jobs that stand still, and about looking at jobs that run.
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

class hang_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  std::string after_, attached_;
};

}  // namespace peal::launcher
