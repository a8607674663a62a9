#include "request/options/output_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

std::string check_input(const std::string& text) {
  const auto rank = number_in<int>(text);
  if (text == "all" || text == "none" || (rank && *rank >= 0)) return {};
  return fmt::format("'{}' is no rank: the number of a rank, all or none is allowed", text);
}

std::string check_folder_name(const std::string& text) {
  return text.empty() ? "the name of a folder is missing" : "";
}

}  // namespace

void output_options::declare(CLI::App& app) {
  app.option_defaults()->group("Input and output");
  app.add_flag("--tag-output", tag_, "write [rank] before every line that a rank writes");
  app.add_flag("--timestamp-output", timestamp_, "write date and time before every line");
  app.add_option("--output", folder_, "write to files in this folder, two for each rank")
      ->check(check_folder_name)
      ->type_name("FOLDER");
  app.add_flag("--merge-stderr", merge_, "errors of a rank go where its output goes");
  app.add_option("--stdin", input_, "the rank that has the standard input (0 as set), all or none")
      ->check(check_input)
      ->type_name("RANK|all|none");
}

void output_options::put_into(job_request& request) const {
  stream_request& made = request.streams;
  made.tag = tag_;
  made.timestamp = timestamp_;
  made.merge = merge_;
  made.folder = folder_;
  made.input = input_ == "all"    ? input_policy::all
               : input_ == "none" ? input_policy::none
                                  : input_policy::one;
  if (made.input != input_policy::one) return;
  made.input_rank = *number_in<int>(input_);
  if (made.input_rank >= request.ranks())
    throw stop{2, fmt::format("pealrun: --stdin {}: the job has no such rank: 0 to {}, all or none "
                              "is allowed\n",
                              made.input_rank, request.ranks() - 1)};
}

}  // namespace peal::launcher
