#include "command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/variables.hpp"
#include "config.h"
#include "processes/program.hpp"

namespace peal::launcher {

namespace {

constexpr const char* footer =
    "\nSeveral programs make one job when parted by ':', each with its own -n, -x, --threads and "
    "--wdir:\n"
    "  pealrun -n 1 ./server : -n 4 -x LEVEL=2 ./worker\n"
    "The exit code is 0, or that of the first rank that failed (128 + signal when a signal ended "
    "it), 124 after a timeout, 2 for a wrong\n"
    "command line, 127 or 126 for a program that is not there or cannot be run. See pealrun(1).";

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string check_ranks(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 1 && *value <= most_ranks) return {};
  return fmt::format("'{}' is no number of ranks: a whole number from 1 to {} is allowed", text,
                     most_ranks);
}

std::string check_threads(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 1 && *value <= most_threads) return {};
  return fmt::format("'{}' is no number of threads: a whole number from 1 to {} is allowed", text,
                     most_threads);
}

std::string check_seconds(const std::string& text) {
  const auto value = number_in<double>(text);
  if (value && std::isfinite(*value) && *value > 0 && *value <= 1e9) return {};
  return fmt::format("'{}' is no time: a number of seconds above 0 is allowed", text);
}

std::string check_variable(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  if (name.empty()) return fmt::format("'{}' has no name: NAME or NAME=VALUE is allowed", text);
  if (text == name && std::getenv(name.c_str()) == nullptr)
    return fmt::format("{} is not set, so there is nothing to pass on: set it, or give {}=VALUE",
                       name, name);
  // Rank 0 warns of names that are no variable of peal's.
  if (const variable* known = find_variable(name); known != nullptr && text != name)
    return objection(*known, std::string_view{text}.substr(name.size() + 1));
  return {};
}

CLI::Validator one_of(std::vector<std::string> allowed) {
  return {[allowed](std::string& text) -> std::string {
            if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return {};
            return fmt::format("'{}' is not known: {} is allowed", text,
                               fmt::join(allowed, " or "));
          },
          fmt::format("{}", fmt::join(allowed, "|"))};
}

// What CLI11 fills in, as text.
struct raw_options {
  std::string ranks = "1", threads, folder, timeout, on_failure = "kill", bind = "auto";
  std::vector<std::string> variables;
  bool tag_output = false;
};

void declare(CLI::App& app, raw_options& raw, bool first) {
  app.prefix_command();
  app.set_help_flag("-h,--help", "print this and end");
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
  if (!first) return;
  app.set_version_flag("-V,--version", PACKAGE_STRING);
  app.add_flag("--tag-output", raw.tag_output, "write [rank] before every line that a rank writes");
  app.add_option("--timeout", raw.timeout, "kill the job when it runs longer")
      ->check(check_seconds)
      ->type_name("SECONDS");
  app.add_option(
         "--on-failure", raw.on_failure,
         "kill (as set): end the job when a rank fails; notify: tell the others, they go on")
      ->check(one_of({"kill", "notify"}))
      ->type_name("");
  app.add_option("--bind", raw.bind,
                 "core: one core a rank when there are enough; none: leave it to the system; auto "
                 "(as set): core, but none where jobs in other "
                 "containers cannot be seen")
      ->check(one_of({"auto", "core", "none"}))
      ->type_name("");
  app.footer(footer);
}

// -np is one option of two letters, as every mpirun has it; CLI11 would read -n p.
void spell_out(std::vector<std::string>& words) {
  for (std::string& word : words)
    if (word == "-np") word = "--np";
}

application read_application(std::vector<std::string> words, raw_options& raw, bool first) {
  // Only pealrun's own words are spelled out: they end at the program, which the first pass finds.
  CLI::App app{"pealrun starts the ranks of a parallel job on this machine.", "pealrun"};
  declare(app, raw, first);
  std::vector<std::string> spelled = words;
  spell_out(spelled);
  std::reverse(spelled.begin(), spelled.end());
  try {
    app.parse(spelled);
  } catch (const CLI::CallForHelp&) {
    throw stop{
        0, app.help(
               "pealrun [OPTIONS] PROGRAM [ARGUMENT...] [: [-n COUNT] PROGRAM [ARGUMENT...]]...")};
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
  std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  else if (!rest.empty() && rest.front().starts_with('-'))
    throw stop{2, fmt::format("pealrun: unknown option {}{}; pealrun --help lists them all\n",
                              rest.front(), first ? "" : " after ':'")};
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

int job_request::ranks() const {
  int sum = 0;
  for (const application& each : applications) sum += each.ranks;
  return sum;
}

std::size_t job_request::application_of(int rank) const {
  std::size_t at = 0;
  for (int before = 0; before + applications[at].ranks <= rank; ++at)
    before += applications[at].ranks;
  return at;
}

job_request read_command_line(const std::vector<std::string>& arguments) {
  job_request request;
  for (auto from = arguments.begin();;) {
    const auto to = std::find(from, arguments.end(), ":");
    raw_options raw;
    const bool first = request.applications.empty();
    request.applications.push_back(read_application({from, to}, raw, first));
    if (first) {
      request.tag_output = raw.tag_output;
      if (!raw.timeout.empty()) request.timeout = *number_in<double>(raw.timeout);
      request.on_failure =
          raw.on_failure == "notify" ? failure_policy::notify : failure_policy::kill;
      using enum binding_policy;
      request.bind = raw.bind == "none" ? none : raw.bind == "core" ? core : automatic;
    }
    if (to == arguments.end()) break;
    from = to + 1;
  }
  if (request.ranks() > most_ranks)
    throw stop{2, fmt::format("pealrun: {} ranks in all: at most {} are allowed\n", request.ranks(),
                              most_ranks)};
  return request;
}

}  // namespace peal::launcher
