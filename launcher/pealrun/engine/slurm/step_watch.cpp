#include "engine/slurm/step_watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

using namespace std::chrono_literals;

// Prologs may take a while between the making of a step and its ranks.
constexpr auto longest_start = 60s;
// pealrun asks whether a node is there when it has heard nothing for some of these.
constexpr int between_signs = 2000;  // milliseconds
// What a SIGKILL has not ended after this long hangs in the kernel.
constexpr auto longest_end = 5s;

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// Of a list in which each entry ends with a zero byte.
std::optional<std::string_view> value_in(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
  }
  return std::nullopt;
}

// -1 where it has none or has ended.
pid_t parent_of(const std::string& folder) {
  const std::string text = read_file(folder + "/stat");
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || text.size() < name_end + 5) return -1;
  const char state = text[name_end + 2];
  if (state == 'Z' || state == 'X') return -1;
  const std::string rest = text.substr(name_end + 4);
  return number_in<pid_t>(rest.substr(0, rest.find(' '))).value_or(-1);
}

// A system may hide the processes of other users: then any parent but the first process may be it.
bool is_daemon(const std::string& proc, pid_t process) {
  if (process <= 1) return false;
  const std::string words = read_file(fmt::format("{}/{}/cmdline", proc, process));
  return words.empty() || words.starts_with("slurmstepd");
}

void tell(const char* word, const std::string& node) {
  const std::string line = fmt::format("{} {}\n", word, node);
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

void kill_all(const step_processes& step) {
  for (const auto* list : {&step.ranks, &step.started})
    for (const pid_t each : *list) ::kill(each, SIGKILL);
}

void end_what_is_left(const std::string& name, const std::string& node) {
  const auto end = std::chrono::steady_clock::now() + longest_end;
  do {
    const step_processes left = step_on_node("/proc", name, node);
    if (left.ranks.empty() && left.started.empty()) return;
    kill_all(left);
    std::this_thread::sleep_for(10ms);
  } while (std::chrono::steady_clock::now() < end);
}

step_processes first_seen(const std::string& name, const std::string& node) {
  const auto end = std::chrono::steady_clock::now() + longest_start;
  for (auto pause = 20ms;; pause = std::min(pause * 2, 1000ms)) {
    const step_processes found = step_on_node("/proc", name, node);
    if (!found.ranks.empty() || found.left || std::chrono::steady_clock::now() > end) return found;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

step_processes step_on_node(const std::string& proc, const std::string& name,
                            const std::string& node) {
  step_processes found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{proc, failed}) {
    const auto process = number_in<pid_t>(entry.path().filename().string());
    if (!process || *process == ::getpid()) continue;
    const std::string folder = entry.path().string();
    const std::string variables = read_file(folder + "/environ");
    if (value_in(variables, "SLURM_JOB_NAME") != name ||
        value_in(variables, "SLURMD_NODENAME") != node)
      continue;
    const pid_t parent = parent_of(folder);
    if (parent < 0) continue;
    const std::string rank{value_in(variables, "SLURM_TASK_PID").value_or("")};
    if (rank != std::to_string(*process)) {
      found.started.push_back(*process);
      found.left |=
          !rank.empty() && !std::filesystem::exists(fmt::format("{}/{}", proc, rank), failed);
      continue;
    }
    found.ranks.push_back(*process);
    if (is_daemon(proc, parent)) found.daemon = parent;
  }
  return found;
}

int watch_step(const std::string& name) {
  const char* set = std::getenv("SLURMD_NODENAME");
  const std::string node = set != nullptr ? set : "";
  ::signal(SIGPIPE, SIG_IGN);
  step_processes seen = first_seen(name, node);
  if (seen.daemon > 0) {
    const int daemon = static_cast<int>(::syscall(SYS_pidfd_open, seen.daemon, 0));
    // ESRCH: it has ended meanwhile. A kernel without pidfd_open watches nothing.
    if (daemon < 0 && errno != ESRCH) return 1;
    pollfd end{daemon, POLLIN, 0};
    do tell(watch_told_alive, node);
    while (daemon >= 0 && ::poll(&end, 1, between_signs) <= 0);
    seen = step_on_node("/proc", name, node);
  }
  // A daemon that does its work ends after its ranks.
  if (!seen.ranks.empty()) {
    kill_all(seen);
    tell(watch_told_lost, node);
  } else {
    tell(watch_told_over, node);
  }
  // As on one node, what ranks have started does not outlive them; Slurm finds all of it only where
  // it uses cgroups.
  end_what_is_left(name, node);
  return 0;
}

}  // namespace peal::launcher
