// launcher/pealrun/request/output_options.hpp
// Options that say what becomes of what ranks read and write.
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

class output_options {
 public:
  void declare(CLI::App&);
  void put_into(job_request&) const;

 private:
  bool tag_ = false;
};

}  // namespace peal::launcher
