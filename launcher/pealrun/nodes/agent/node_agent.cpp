#include "nodes/agent/node_agent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/timing/ticks.hpp"
#include "hang/stacks.hpp"
#include "nodes/agent/answer_lines.hpp"
#include "nodes/agent/file_pieces.hpp"
#include "nodes/agent/step_filter.hpp"
#include "shown/known_calls.hpp"
#include "shown/rank_pages.hpp"

namespace peal::launcher {

namespace {

// Whoever asks does so several times in this time.
constexpr int silence_ms = 180'000;

volatile std::sig_atomic_t asked_to_end = 0;

std::string node_name() {
  if (const char* const name = std::getenv("SLURMD_NODENAME")) return name;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// A folder that only this user can enter. Returns what went wrong, or nothing.
std::string make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return fmt::format("{}: {}", path, std::strerror(errno));
  struct stat about{};
  if (::lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == ::geteuid() &&
      (about.st_mode & 077) == 0)
    return {};
  return fmt::format("{} exists and is not this user's own folder", path);
}

class agent {
 public:
  explicit agent(const std::string& which)
      : node_{node_name()}, pages_{0, step_filter{which, node_}} {}
  ~agent() {
    std::error_code ignored;
    if (folder_.empty()) return;
    std::filesystem::remove_all(folder_, ignored);
    // Where nodes share files the last one succeeds.
    std::filesystem::remove(std::filesystem::path{folder_}.parent_path(), ignored);
  }
  agent(const agent&) = delete;
  agent& operator=(const agent&) = delete;

  void run() {
    answer(0, node_);
    std::string text;
    while (!gone_ && asked_to_end == 0) {
      for (std::size_t end; !gone_ && (end = text.find('\n')) != std::string::npos;
           text.erase(0, end + 1))
        serve(text.substr(0, end));
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (const int found = ::poll(&input, 1, silence_ms); found <= 0) {
        if (found < 0 && errno == EINTR) continue;
        return;
      }
      std::array<char, 4096> bytes{};
      const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      text.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  void serve(const std::string& question) {
    std::istringstream words{question};
    std::uint64_t number = 0;
    std::string what;
    if (!(words >> number >> what)) return;
    if (what == ask_time) return answer(number, fmt::format("{}", nanoseconds()));
    if (what == ask_known || what == ask_look || what == ask_calls)
      return answer(number, shown(what));
    if (what == ask_files) return give_files(number);
    std::string argument;
    if (what == ask_folder) {
      std::getline(words >> std::ws, argument);
      const std::string mine = argument + "/" + node_;
      std::string problem = make_folder(argument);
      if (problem.empty()) problem = make_folder(mine);
      if (problem.empty()) folder_ = mine;
      return answer(number, problem);
    }
    long process = 0;
    if (what == ask_stack && words >> argument >> process && argument == node_ && has(process))
      return answer(number, fmt::format("{}", fmt::join(stack_of(process), "\n")));
    answer(number, {});
  }

  std::string shown(const std::string& what) {
    if (what != ask_known) pages_.look();
    std::vector<job_snapshot> all = pages_.read();
    for (job_snapshot& job : all) {
      for (shown_rank& rank : job.ranks) rank.host = node_;
      if (what == ask_calls) calls_.fill(job);
    }
    return to_json(all);
  }

  [[nodiscard]] bool has(long process) {
    for (const job_snapshot& job : pages_.read())
      if (std::ranges::find(job.ranks, process, &shown_rank::pid) != job.ranks.end()) return true;
    return false;
  }

  void give_files(std::uint64_t number) {
    if (!folder_.empty())
      read_pieces(folder_, [&](const std::string& piece) {
        if (!gone_) write_out(text_of(answer_line{node_, number, false, piece}));
      });
    answer(number, {});
  }

  void answer(std::uint64_t number, const std::string& text) {
    write_out(answer_text(node_, number, text));
  }

  void write_out(std::string_view text) {
    while (!text.empty() && asked_to_end == 0) {
      const ssize_t some = ::write(STDOUT_FILENO, text.data(), text.size());
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) {
        gone_ = true;
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(some));
    }
  }

  std::string node_;
  rank_pages pages_;
  known_calls calls_;
  std::string folder_;
  bool gone_ = false;  // whoever asked
};

}  // namespace

int serve_node(const std::string& which) {
  struct sigaction end{};
  end.sa_handler = [](int) { asked_to_end = 1; };
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(each, &end, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  agent{which}.run();
  return 0;
}

}  // namespace peal::launcher
