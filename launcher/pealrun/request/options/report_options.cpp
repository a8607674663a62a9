#include "request/options/report_options.hpp"

#include <CLI/CLI.hpp>

namespace peal::launcher {

namespace {

std::string check_not_empty(const std::string& text) {
  return text.empty() ? "the name of a file is missing" : "";
}

}  // namespace

void report_options::declare(CLI::App& to) {
  to.option_defaults()->group("Report");
  to.add_option("--report", report_, "write a page about the run: traffic, times, waits")
      ->check(check_not_empty)
      ->type_name("FILE.html");
  to.add_option("--trace", trace_, "write what each rank did when, for Perfetto")
      ->check(check_not_empty)
      ->type_name("FILE.json");
}

void report_options::put_into(job_request& made) const {
  made.report = report_;
  made.trace = trace_;
}

}  // namespace peal::launcher
