#include "processes/strays.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace peal::launcher {

namespace {

std::vector<pid_t> children() {
  std::ifstream list{fmt::format("/proc/self/task/{}/children", ::getpid())};
  std::vector<pid_t> found;
  for (pid_t each; list >> each;) found.push_back(each);
  return found;
}

}  // namespace

strays::strays() : groups_before_{::getpgrp()} {
  for (const pid_t each : children()) {
    before_.insert(each);
    groups_before_.insert(::getpgid(each));
  }
}

bool strays::ran_before(pid_t child) const {
  return before_.contains(child) || groups_before_.contains(::getpgid(child));
}

void strays::reap() {
  for (const pid_t each : children())
    // The number may be given out again.
    if (!awaited_.contains(each) && ::waitpid(each, nullptr, WNOHANG) == each) before_.erase(each);
}

bool strays::any_in_group_of_others() const {
  const std::vector<pid_t> list = children();
  return std::any_of(list.begin(), list.end(), [this](pid_t each) {
    return !awaited_.contains(each) && awaited_.contains(::getpgid(each));
  });
}

void strays::end() {
  // A killed stray's own children come to us next, so look again. The bound is for what no signal
  // ends (a hung disk).
  for (int round = 0; round < 1000; ++round) {
    std::vector<pid_t> left;
    for (const pid_t each : children())
      if (!awaited_.contains(each) && !ran_before(each)) left.push_back(each);
    if (left.empty()) return;
    for (const pid_t each : left) ::kill(each, SIGKILL);
    for (const pid_t each : left) ::waitpid(each, nullptr, WNOHANG);
    if (round > 0) ::usleep(1000);
  }
}

}  // namespace peal::launcher
