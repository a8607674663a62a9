#include "request/options/failure_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

/// More would take years.
constexpr int most_restarts = 1'000'000;

std::string check_restarts(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 0 && *value <= most_restarts) return {};
  return fmt::format("'{}' is no number of restarts: a whole number from 0 to {} is allowed", text,
                     most_restarts);
}

}  // namespace

void failure_options::declare(CLI::App& app) {
  app.option_defaults()->group("Failures");
  app.add_option("--timeout", timeout_, "kill the job when it runs longer")
      ->check(check_seconds)
      ->type_name("SECONDS");
  app.add_option(
         "--on-failure", on_failure_,
         "kill (as set): end the job when a rank fails; notify: tell the others, they go on; "
         "continue: they go on and are not told")
      ->check(one_of({"kill", "notify", "continue"}))
      ->type_name("");
  app.add_option("--restart", restarts_,
                 "start the job again when a rank fails, at most so often; PEAL_RESTART counts")
      ->check(check_restarts)
      ->type_name("COUNT");
}

void failure_options::put_into(job_request& request) const {
  if (!timeout_.empty()) request.timeout = *number_in<double>(timeout_);
  request.on_failure = on_failure_ == "notify"     ? failure_policy::notify
                       : on_failure_ == "continue" ? failure_policy::go_on
                                                   : failure_policy::kill;
  request.restarts = *number_in<int>(restarts_);
  if (request.restarts > 0 && request.on_failure != failure_policy::kill)
    throw stop{2, fmt::format("pealrun: --restart {} and --on-failure {} contradict each other: a "
                              "job is started again once the failure of a rank has ended it\n",
                              request.restarts, on_failure_)};
}

}  // namespace peal::launcher
