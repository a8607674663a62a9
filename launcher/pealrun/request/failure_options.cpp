#include "request/failure_options.hpp"

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

void failure_options::declare(CLI::App& app) {
  app.option_defaults()->group("Failures");
  app.add_option("--timeout", timeout_, "kill the job when it runs longer")
      ->check(check_seconds)
      ->type_name("SECONDS");
  app.add_option(
         "--on-failure", on_failure_,
         "kill (as set): end the job when a rank fails; notify: tell the others, they go on")
      ->check(one_of({"kill", "notify"}))
      ->type_name("");
}

void failure_options::put_into(job_request& request) const {
  if (!timeout_.empty()) request.timeout = *number_in<double>(timeout_);
  request.on_failure = on_failure_ == "notify" ? failure_policy::notify : failure_policy::kill;
}

}  // namespace peal::launcher
