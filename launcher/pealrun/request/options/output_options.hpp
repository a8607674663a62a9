// launcher/pealrun/request/options/output_options.hpp
// Options that say what becomes of what ranks read and write.
//
// Layer    launcher.
// Errors   what a word is wrong with the command line tells; `put_into` throws stop for a rank that
//          the job does not have.
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
  /// Requires: the request has its programs.
  void put_into(job_request&) const;

 private:
  bool tag_ = false, timestamp_ = false, merge_ = false;
  std::string folder_, input_ = "0";
};

}  // namespace peal::launcher
