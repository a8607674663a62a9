#include "request/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "config.h"
#include "processes/program.hpp"
#include "request/checks.hpp"
#include "request/help.hpp"
#include "request/options/engine_options.hpp"
#include "request/options/failure_options.hpp"
#include "request/options/hang_options.hpp"
#include "request/options/output_options.hpp"
#include "request/options/placement_options.hpp"
#include "request/options/report_options.hpp"

namespace peal::launcher {

namespace {

constexpr const char* usage =
    "pealrun [OPTION]... PROGRAM [ARGUMENT]... [: [OPTION]... PROGRAM ...]...";

constexpr const char* footer = R"(
Examples:
  pealrun -n 4 ./solver input.dat            four ranks, a core each
  pealrun -n 4 --threads 8 ./hybrid          four ranks of eight OpenMP threads
  pealrun -n 8 --map-by numa --report-bindings ./solver
                                             dealt out over the NUMA nodes
  pealrun -n 8 --explain ./solver            what would be done
  pealrun -n 1 ./server : -n 4 -x LEVEL=2 ./worker
                                             one job of two programs

Options of the group "Programs" hold for one program, and may stand again behind
each ':'; the others stand before the first program.

The exit code is 0, or that of the first rank that failed (128 + signal when a
signal ended it), 124 after a timeout, 2 for a wrong command line, 127 or 126
for a program that is not there or cannot be run. See pealrun(1).
)";

// What CLI11 fills in, as text.
struct program_options {
  std::string ranks = "1", threads, folder;
  std::vector<std::string> variables;
};

struct job_options {
  engine_options engine;
  placement_options placement;
  output_options output;
  failure_options failure;
  hang_options hang;
  report_options report;
  std::vector<given_option> given;

  void declare(CLI::App& app) {
    engine.declare(app);
    placement.declare(app);
    output.declare(app);
    failure.declare(app);
    hang.declare(app);
    report.declare(app);
  }
  void put_into(job_request& request) const {
    placement.put_into(request);
    output.put_into(request);
    failure.put_into(request);
    hang.put_into(request);
    report.put_into(request);
    engine.put_into(request);
    request.given = given;
  }
};

void declare(CLI::App& app, program_options& raw) {
  app.option_defaults()->group("Programs");
  app.add_option("-n,--np", raw.ranks, "how many ranks to start (also -np); 1 when not given")
      ->check(check_ranks)
      ->type_name("COUNT");
  app.add_option("-x", raw.variables, "set a variable for the ranks, or demand that it is set")
      ->allow_extra_args(false)
      ->check(check_variable)
      ->type_name("NAME[=VALUE]");
  app.add_option(
         "--threads", raw.threads,
         "how many OpenMP threads a rank runs, and cores it gets; OMP_NUM_THREADS when not given")
      ->check(check_threads)
      ->type_name("COUNT");
  app.add_option("--wdir", raw.folder, "folder in which the ranks start")
      ->check(check_folder)
      ->type_name("FOLDER");
}

// Words of several letters behind one dash, as mpirun and mpiexec have them; CLI11 would read -n p.
void spell_out(std::vector<std::string>& words) {
  for (std::string& word : words)
    for (const std::string_view each : {"-np", "-ppn", "-map-by", "-rank-by", "-bind-to"})
      if (word == each) word.insert(0, "-");
}

// What to say of a word that is no option.
std::string unknown_option(const CLI::App& app, const std::string& word, bool first) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
  const std::string meant = nearest_to(word.substr(0, word.find('=')), names);
  return fmt::format("pealrun: unknown option {}{}; {}\n", word, first ? "" : " after ':'",
                     meant.empty() || !first ? "pealrun --help lists them all"
                                             : meant + " may be meant; see pealrun --help");
}

/// `all`: the options of the whole job, which stand before the first program.
application read_application(std::vector<std::string> words, job_options* all) {
  // Only pealrun's own words are spelled out: they end at the program, which the first pass finds.
  CLI::App app{"pealrun starts the ranks of a parallel job on this machine.", "pealrun"};
  app.formatter(std::make_shared<help_format>());
  const bool first = all != nullptr;
  program_options raw;
  app.prefix_command();
  app.option_defaults()->group("Help");
  app.set_help_flag("-h,--help", "print this and end");
  if (first) app.set_version_flag("-V,--version", PACKAGE_STRING, "print the version and end");
  declare(app, raw);
  if (first) all->declare(app);
  app.footer(footer);
  std::vector<std::string> spelled = words;
  spell_out(spelled);
  std::reverse(spelled.begin(), spelled.end());
  try {
    app.parse(spelled);
  } catch (const CLI::CallForHelp&) {
    throw stop{0, app.help(usage)};
  } catch (const CLI::CallForVersion& version) {
    throw stop{0, fmt::format("pealrun ({})\n", version.what())};
  } catch (const CLI::ArgumentMismatch& problem) {
    const std::string_view text{problem.what()};
    const std::string_view option = text.substr(0, text.find(':'));
    throw stop{2, fmt::format("pealrun: {} {}\n", option,
                              text.ends_with("missing") ? "needs a value; pealrun --help says which"
                                                        : "is given more than once")};
  } catch (const CLI::ParseError& problem) {
    throw stop{2, fmt::format("pealrun: {}\n", problem.what())};
  }
  if (first)
    for (const CLI::Option* each : app.get_options())
      if (each->count() > 0) all->given.push_back({each->get_name(), each->results()});
  std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  else if (!rest.empty() && rest.front().starts_with('-'))
    throw stop{2, unknown_option(app, rest.front(), first)};
  if (rest.empty())
    throw stop{2, fmt::format("pealrun: no program{}: pealrun [OPTIONS] PROGRAM [ARGUMENT...]\n",
                              first ? "" : " after ':'")};

  application made;
  made.ranks = *number_in<int>(raw.ranks);
  made.arguments.assign(words.end() - static_cast<std::ptrdiff_t>(rest.size()), words.end());
  made.folder = raw.folder;
  if (!raw.threads.empty()) made.variables.emplace_back("OMP_NUM_THREADS", raw.threads);
  for (const std::string& each : raw.variables) {
    const auto equals = each.find('=');
    const std::string name = each.substr(0, equals);
    made.variables.emplace_back(
        name, equals == std::string::npos ? std::getenv(name.c_str()) : each.substr(equals + 1));
  }
  made.program = find_program(made.arguments.front());
  return made;
}

}  // namespace

job_request read_command_line(const std::vector<std::string>& arguments) {
  job_request request;
  job_options options;
  for (auto from = arguments.begin();;) {
    const auto to = std::find(from, arguments.end(), ":");
    const bool first = request.applications.empty();
    request.applications.push_back(read_application({from, to}, first ? &options : nullptr));
    if (to == arguments.end()) break;
    from = to + 1;
  }
  options.put_into(request);
  if (request.ranks() > most_ranks)
    throw stop{2, fmt::format("pealrun: {} ranks in all: at most {} are allowed\n", request.ranks(),
                              most_ranks)};
  return request;
}

}  // namespace peal::launcher
