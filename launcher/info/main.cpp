// launcher/info/main.cpp
// peal-info: what peal finds on this machine, what it would use and why, and what is wrong; why a
// collective gets its algorithm; what messages cost here.
//
// Layer    launcher.
// Errors   exit code 2 for a wrong command line, 1 when the machine cannot be read or the report
//          not be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "config.h"
#include "explain.hpp"
#include "learnt.hpp"
#include "overview.hpp"
#include "report.hpp"
#include "tune.hpp"

namespace {

struct wishes {
  bool json = false;
  bool tune = false;
  bool explains = false;
  int job = 0;
  peal::info::explain_words explain;
};

void define(CLI::App& app, wishes& into) {
  app.set_help_flag("-h,--help", "print this and end");
  app.set_version_flag("-V,--version", PACKAGE_STRING);
  app.add_flag("--json", into.json, "one JSON object, for programs");
  const auto explain =
      app.add_option("--explain", into.explain.collective,
                     "which algorithm a collective runs with, and why: one of " +
                         peal::info::known_collectives() + "; without a name an overview of all")
          ->expected(0, 1);
  const auto job =
      app.add_option("--job", into.job,
                     "what the running job of this process has learnt: pealrun's, or a rank's")
          ->needs(explain)
          ->check(CLI::PositiveNumber);
  app.add_option("--ranks", into.explain.ranks, "how many ranks call it")
      ->needs(explain)
      ->excludes(job);
  app.add_option("--nodes", into.explain.nodes, "on how many nodes they are (1)")->needs(explain);
  app.add_option("--cores", into.explain.cores, "of a node, for the ranks (those of this machine)")
      ->needs(explain);
  app.add_option(
         "--bytes", into.explain.bytes,
         "of a rank's block; of bcast, reduce, allreduce, scan, exscan the whole vector (8)")
      ->needs(explain);
  app.add_option("--tuning", into.explain.tuning,
                 "the tuning file by which algorithms are chosen (that of PEAL_TUNING)")
      ->needs(explain);
  app.add_option("--element", into.explain.element, "bytes of an element, of reductions (4)")
      ->needs(explain);
  app.add_flag("--tune", into.tune,
               "measure what messages cost here, and write the tuning file, by which later jobs "
               "choose algorithms")
      ->excludes(explain);
}

std::string answer(const wishes& wanted, int count, char** words) {
  if (wanted.tune) return peal::info::tune(count, words, wanted.json);
  if (wanted.job > 0) {
    const auto found = peal::info::learnt_by(wanted.job, wanted.explain.collective);
    return wanted.json ? to_json(found) : to_text(found);
  }
  if (wanted.explains && wanted.explain.collective.empty()) {
    const auto found = peal::info::look_at_all(wanted.explain);
    return wanted.json ? to_json(found) : to_text(found);
  }
  if (wanted.explains) {
    const auto found = peal::info::explain(wanted.explain);
    return wanted.json ? to_json(found) : to_text(found);
  }
  const peal::info::report found = peal::info::look_around();
  return wanted.json ? to_json(found) : to_text(found);
}

}  // namespace

int main(int count, char** words) {
  CLI::App app{
      "peal-info shows what peal finds on this machine, what it would use and why, and what is "
      "wrong, with the remedy.",
      "peal-info"};
  wishes wanted;
  define(app, wanted);
  try {
    app.parse(count, words);
    wanted.explains = app.count("--explain") > 0;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("peal-info ({})\n", version.what());
    return 0;
  } catch (const CLI::ParseError& problem) {
    fmt::print(stderr, "peal-info: {}; peal-info --help lists the options\n", problem.what());
    return 2;
  }
  try {
    const std::string text = answer(wanted, count, words);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
      return 0;
    fmt::print(stderr, "peal-info: the report cannot be written\n");
  } catch (const std::invalid_argument& problem) {
    fmt::print(stderr, "peal-info: {}\n", problem.what());
    return 2;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "peal-info: {}\n", problem.what());
  }
  return 1;
}
