// launcher/pealrun/request/options/engine_options.hpp
// Options that say which launcher starts the ranks, and on which nodes.
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

class engine_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  std::string engine_ = "auto", nodes_, hosts_, host_file_;
};

}  // namespace peal::launcher
