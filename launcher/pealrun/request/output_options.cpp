#include "request/output_options.hpp"

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

void output_options::declare(CLI::App& app) {
  app.option_defaults()->group("Input and output");
  app.add_flag("--tag-output", tag_, "write [rank] before every line that a rank writes");
}

void output_options::put_into(job_request& request) const { request.tag_output = tag_; }

}  // namespace peal::launcher
