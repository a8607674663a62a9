#include "request/placement_options.hpp"

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

void placement_options::declare(CLI::App& app) {
  app.option_defaults()->group("Placement");
  app.add_option("--bind", bind_,
                 "core: one core a rank when there are enough; none: leave it to the system; auto "
                 "(as set): core, but none where jobs in other "
                 "containers cannot be seen")
      ->check(one_of({"auto", "core", "none"}))
      ->type_name("");
}

void placement_options::put_into(job_request& request) const {
  using enum binding_policy;
  request.bind = bind_ == "none" ? none : bind_ == "core" ? core : automatic;
}

}  // namespace peal::launcher
