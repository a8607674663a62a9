// launcher/pealrun/request/options/placement_options.hpp
// Options that say where ranks run.
//
// Layer    launcher.
// Errors   what a word is wrong with the command line tells; throws stop when words contradict each
//          other.
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
  void refuse_contradictions() const;

  std::string map_by_, rank_by_, bind_to_, cpu_set_, rankfile_, ranks_per_node_;
  bool no_oversubscribe_ = false, report_bindings_ = false, explain_ = false;
};

}  // namespace peal::launcher
