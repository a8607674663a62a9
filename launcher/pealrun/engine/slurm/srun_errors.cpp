#include "engine/slurm/srun_errors.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <csignal>

#include "processes/signals.hpp"
#include "request/checks.hpp"

namespace peal::launcher {

namespace {

// By its description, which srun has from strsignal; 0 when it is none.
int signal_called(std::string_view text) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* words = ::sigdescr_np(signal);
    if (words != nullptr && text == words) return signal;
  }
  return 0;
}

// "srun: error: n[1-2]: tasks 0-1: Exited with exit code 3".
std::optional<rank_failure> failure_in(std::string_view line) {
  constexpr std::string_view begin = "srun: error: ", code = "Exited with exit code ",
                             dumped = " (core dumped)";
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  rank_failure found;
  const std::size_t host_end = line.find(": task");
  if (host_end == std::string_view::npos) return std::nullopt;
  found.host = line.substr(0, host_end);
  line.remove_prefix(host_end + std::string_view{": task"}.size());
  if (line.starts_with("s")) line.remove_prefix(1);
  const std::size_t end = line.find(": ");
  if (!line.starts_with(" ") || end == std::string_view::npos) return std::nullopt;
  found.ranks = line.substr(1, end - 1);
  if (found.ranks.empty() || found.ranks.find_first_not_of("0123456789,-") != std::string::npos)
    return std::nullopt;
  line.remove_prefix(end + 2);
  if (line.starts_with(code)) {
    found.code = number_in<int>(std::string{line.substr(code.size())}).value_or(1);
    return found;
  }
  found.core = line.ends_with(dumped);
  if (found.core) line.remove_suffix(dumped.size());
  found.signal = signal_called(line);
  if (found.signal == 0) found.text = line;
  // The kernel takes memory back by SIGKILL.
  found.code = found.signal != 0 ? 128 + found.signal : line == "Out Of Memory" ? 128 + SIGKILL : 1;
  return found;
}

bool is_news(std::string_view line) {
  constexpr std::string_view beginnings[] = {
      "srun: launch/slurm: ", "srun: Force Terminated ", "srun: Terminating ",
      "srun: Job step aborted", "srun: sending Ctrl-C ", "srun: got SIGCONT",
      "srun: forcing job termination",
      // A daemon that was killed while it spoke to srun.
      "srun: error: eio_message_socket_accept: ", "srun: error: slurm_msg_sendto: address:port="};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [line](std::string_view each) { return line.starts_with(each); });
}

bool is_broken_connection(std::string_view line) {
  constexpr std::string_view beginnings[] = {"srun: error: _server_read: ",
                                             "srun: error: step_launch_notify_io_failure: "};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [line](std::string_view each) { return line.starts_with(each); });
}

}  // namespace

bool srun_errors::take(std::string_view line) {
  if (is_news(line)) return false;
  if (is_broken_connection(line)) {
    kept_back_.append(line) += '\n';
    return false;
  }
  const auto found = failure_in(line);
  if (!found) return true;
  if (!first_) first_ = found;
  return false;
}

std::string describe(const rank_failure& what, const std::string& program) {
  const bool several = what.ranks.find_first_of(",-") != std::string::npos;
  const std::string who = fmt::format("{} {}{}{} ({})", several ? "ranks" : "rank", what.ranks,
                                      what.host.empty() ? "" : " on ", what.host, program);
  if (what.signal != 0)
    return fmt::format("{} {} killed by {}{}", who, several ? "were" : "was",
                       signal_name(what.signal), what.core ? ", core dumped" : "");
  if (!what.text.empty()) return fmt::format("{}: {}", who, what.text);
  return fmt::format("{} exited with code {}", who, what.code);
}

}  // namespace peal::launcher
