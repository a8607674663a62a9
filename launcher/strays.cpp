#include "strays.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace peal::launcher {

namespace {

// Orphans are given to the main thread, which is the one that runs here.
std::vector<pid_t> strays(std::span<const pid_t> known) {
  std::ifstream list{fmt::format("/proc/self/task/{}/children", ::getpid())};
  std::vector<pid_t> found;
  for (pid_t each; list >> each;)
    if (std::find(known.begin(), known.end(), each) == known.end()) found.push_back(each);
  return found;
}

}  // namespace

void reap_strays(std::span<const pid_t> known) {
  for (const pid_t each : strays(known)) ::waitpid(each, nullptr, WNOHANG);
}

void end_strays(std::span<const pid_t> known) {
  // A killed stray's own children come to us next, so look again. The bound is for what no signal ends (a hung disk).
  for (int round = 0; round < 1000; ++round) {
    const std::vector<pid_t> left = strays(known);
    if (left.empty()) return;
    for (const pid_t each : left) ::kill(each, SIGKILL);
    for (const pid_t each : left) ::waitpid(each, nullptr, WNOHANG);
    if (round > 0) ::usleep(1000);
  }
}

}  // namespace peal::launcher
