// launcher/pealrun/request/options/report_options.hpp
// Options that ask for a report or a trace of the run.
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

class report_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  std::string report_, trace_;
};

}  // namespace peal::launcher
