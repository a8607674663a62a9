#include "request/options/hang_options.hpp"

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

void hang_options::declare(CLI::App& app) {
  app.option_defaults()->group("Hangs");
  app.add_option("--hang-after", after_,
                 "say who waits for whom when nothing has moved for so long; so does SIGQUIT (^\\)")
      ->check(check_seconds)
      ->type_name("SECONDS");
  // Read before all others (hang/attach.hpp); here for --help, and for those who give it later.
  app.add_option("--attach", attached_,
                 "as the first word: show what the ranks of a running job do; --attach --help")
      ->type_name("[JOB|PID]")
      ->check([](const std::string&) -> std::string {
        return "has to be the first word: pealrun --attach [JOB|PID]";
      });
}

void hang_options::put_into(job_request& request) const {
  if (!after_.empty()) request.hang_after = *number_in<double>(after_);
}

}  // namespace peal::launcher
