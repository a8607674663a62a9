// launcher/sim/main.cpp
// peal-sim: what a collective takes with each of its algorithms, on a machine that need not be
// there.
//
// Layer    launcher.
// Errors   exit code 2 for a wrong command line, 1 when something cannot be written.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "command_line.hpp"
#include "report.hpp"

namespace {

bool write(std::FILE* to, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0;
}

/// Before anything is computed: a name that cannot be written to is told at once.
std::FILE* open_picture(const std::string& name) {
  std::FILE* file = std::fopen(name.c_str(), "w");
  if (!file) fmt::print(stderr, "peal-sim: {}: {}\n", name, std::strerror(errno));
  return file;
}

}  // namespace

int main(int count, char** words) {
  try {
    const auto [wanted, exit_code] = peal::sim::read_command_line(count, words);
    if (!wanted) return exit_code;
    std::FILE* picture = nullptr;
    if (!wanted->plot.empty() && !(picture = open_picture(wanted->plot))) return 1;
    const auto lines = peal::sim::compare(*wanted, wanted->ranks, wanted->bytes);
    if (!write(stdout, wanted->json ? to_json(*wanted, lines) : to_text(*wanted, lines))) {
      fmt::print(stderr, "peal-sim: the report cannot be written\n");
      return 1;
    }
    if (!picture) return 0;
    const bool written = write(picture, peal::sim::to_picture(*wanted));
    if (std::fclose(picture) == 0 && written) return 0;
    fmt::print(stderr, "peal-sim: {} cannot be written\n", wanted->plot);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "peal-sim: {}\n", problem.what());
  }
  return 1;
}
