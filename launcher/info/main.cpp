// launcher/info/main.cpp
// peal-info: what peal finds on this machine, what it would use and why, and what is wrong.
//
// Layer    launcher.
// Errors   exit code 2 for a wrong command line, 1 when the machine cannot be read or the report not be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "config.h"
#include "report.hpp"

int main(int count, char** words) {
  CLI::App app{"peal-info shows what peal finds on this machine, what it would use and why, and what is wrong, with the remedy.",
               "peal-info"};
  bool json = false;
  app.set_help_flag("-h,--help", "print this and end");
  app.set_version_flag("-V,--version", PACKAGE_STRING);
  app.add_flag("--json", json, "one JSON object, for programs");
  try {
    app.parse(count, words);
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
    const peal::info::report found = peal::info::look_around();
    const std::string text = json ? to_json(found) : to_text(found);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
    fmt::print(stderr, "peal-info: the report cannot be written\n");
  } catch (const std::exception& problem) {
    fmt::print(stderr, "peal-info: {}\n", problem.what());
  }
  return 1;
}
