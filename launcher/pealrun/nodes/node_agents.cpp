#include "nodes/node_agents.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/timing/ticks.hpp"
#include "engine/slurm/slurm_step.hpp"
#include "nodes/agent/answer_lines.hpp"
#include "nodes/agent/node_agent.hpp"
#include "shown/tool.hpp"

extern char** environ;

namespace peal::launcher {

namespace {

using clock = std::chrono::steady_clock;

// A busy controller takes seconds to make a step, and large programs are read from a file system.
constexpr double start_patience = 30;
constexpr double answer_patience = 10;
constexpr double stack_patience = 45;  // two tools, one after the other
constexpr std::size_t most_told = 4096;
constexpr std::chrono::seconds end_patience{3};

clock::time_point after(double seconds) {
  return clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
}

/// Without what Slurm has set: srun would take it for options.
std::vector<std::string> plain_environment() {
  std::vector<std::string> made;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    if (!text.starts_with("SLURM_") || text.starts_with("SLURM_CONF=")) made.emplace_back(text);
  }
  return made;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> made;
  for (std::string& each : words) made.push_back(each.data());
  made.push_back(nullptr);
  return made;
}

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

}  // namespace

node_agents::~node_agents() { end(); }

void node_agents::start(const slurm_job& job) {
  end();
  const std::string srun = find_tool("srun");
  if (srun.empty()) throw std::runtime_error{"srun is not found in PATH"};
  std::error_code failed;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", failed);
  step_ = step_name("peal-look");
  std::vector<std::string> words{srun,
                                 "--jobid=" + job.number,
                                 "--overlap",
                                 fmt::format("--nodes={}", job.nodes.size()),
                                 fmt::format("--ntasks={}", job.nodes.size()),
                                 "--ntasks-per-node=1",
                                 "--mpi=none",
                                 "--cpu-bind=none",
                                 "--export=ALL",
                                 "--input=all",
                                 "--disable-status",
                                 "--kill-on-bad-exit=0",
                                 "--no-kill",
                                 "--chdir=/",
                                 "--job-name=" + step_,
                                 self,
                                 node_agent_word,
                                 which_};
  std::array<std::array<int, 2>, 3> pipes{};
  for (auto& each : pipes)
    if (::pipe2(each.data(), O_CLOEXEC) != 0)
      throw std::system_error{errno, std::generic_category(), "pipe"};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, pipes[0][0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, pipes[1][1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, pipes[2][1], STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);  // ^C is for the job, or for whoever looks
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> variables = plain_environment();
  const int problem = ::posix_spawn(&srun_, srun.c_str(), &files, &how, pointers(words).data(),
                                    pointers(variables).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  for (const int each : {pipes[0][0], pipes[1][1], pipes[2][1]}) ::close(each);
  input_ = pipes[0][1];
  output_ = pipes[1][0];
  errors_ = pipes[2][0];
  if (problem != 0) {
    srun_ = -1;
    end();
    throw std::system_error{problem, std::generic_category(), srun};
  }
  for (const int each : {output_, errors_}) ::fcntl(each, F_SETFL, O_NONBLOCK);
  nodes_ = {job.nodes.begin(), job.nodes.end()};
  std::set<std::string> awaited = nodes_;
  number_ = 0;
  const auto limit = after(start_patience);
  while (!awaited.empty() && output_ >= 0 && clock::now() < limit)
    take(awaited, [](const std::string&, const std::string&) {});
  silent_ = awaited;
  if (silent_.size() < nodes_.size() && output_ >= 0) return;
  const std::string why = reason();
  end();
  throw std::runtime_error{why};
}

// What srun says first is the cause, as a rule.
std::string node_agents::reason() const {
  std::istringstream lines{told_};
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view sort = "error: ";
    if (const std::size_t at = line.find(sort); at != std::string::npos)
      return line.substr(at + sort.size());
    if (first.empty()) first = line;
  }
  if (!first.empty()) return first;
  return fmt::format("no node has answered within {} s", start_patience);
}

bool node_agents::running() { return output_ >= 0 && silent_.size() < nodes_.size(); }

/// False: there is nothing at the moment, or nothing more.
bool node_agents::read_some(int& descriptor, std::string& into) {
  std::array<char, 65536> bytes;
  while (descriptor >= 0) {
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
      close_end(descriptor);
      return false;
    }
    into.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }
  return false;
}

// Waits for at most a tenth of a second, and takes all lines that are there.
void node_agents::take(std::set<std::string>& awaited, const line_taker& hand_over) {
  std::array<pollfd, 2> list{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
  ::poll(list.data(), list.size(), 100);
  while (read_some(errors_, told_)) told_.resize(std::min(told_.size(), most_told));
  while (read_some(output_, lines_)) {
    std::size_t begin = 0;
    for (std::size_t end; (end = lines_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const auto line = answer_line_in(std::string_view{lines_}.substr(begin, end - begin));
      // Answers to questions that nobody waits for any more are dropped.
      if (!line || line->number != number_ || !nodes_.contains(line->node)) continue;
      hand_over(line->node, line->bytes);
      if (line->last) awaited.erase(line->node);
    }
    lines_.erase(0, begin);
  }
}

void node_agents::ask(const std::string& question, double patience, const line_taker& hand_over) {
  ++number_;
  // One that was silent may be back; it is not waited for.
  std::set<std::string> awaited;
  std::ranges::set_difference(nodes_, silent_, std::inserter(awaited, awaited.end()));
  const std::string text = fmt::format("{} {}\n", number_, question);
  if (input_ < 0 || ::write(input_, text.data(), text.size()) < 0) close_end(output_);
  auto limit = after(patience);
  while (!awaited.empty() && output_ >= 0 && clock::now() < limit)
    take(awaited, [&](const std::string& node, const std::string& bytes) {
      limit = after(patience);
      silent_.erase(node);
      hand_over(node, bytes);
    });
  silent_.insert(awaited.begin(), awaited.end());
}

std::map<std::string, std::string> node_agents::ask(const std::string& question, double patience) {
  std::map<std::string, std::string> made;
  ask(question, patience,
      [&](const std::string& node, const std::string& bytes) { made[node] += bytes; });
  for (const std::string& each : silent_) made.erase(each);
  return made;
}

std::vector<job_snapshot> node_agents::shown(const std::string& question) {
  std::vector<job_snapshot> made;
  const double patience = question == ask_calls ? stack_patience : answer_patience;
  for (const auto& [node, text] : ask(question, patience))
    for (job_snapshot& each : from_json(text)) {
      const auto known = std::ranges::find(made, each.job, &job_snapshot::job);
      if (known == made.end()) made.push_back(std::move(each));
      else known->merge(std::move(each));
    }
  return made;
}

void node_agents::compare_clocks(node_clocks& into, int questions) {
  node_clocks all;
  for (int k = 0; k < questions && running(); ++k) {
    const std::int64_t asked = nanoseconds();
    ask(ask_time, answer_patience, [&](const std::string& node, const std::string& text) {
      const std::int64_t here = nanoseconds();
      std::int64_t said = 0;
      std::from_chars(text.data(), text.data() + text.size(), said);
      all[node].add(sample_of(asked, said, here));
    });
  }
  for (const auto& [node, clock] : all)
    into[node].add(*std::ranges::min_element(clock.samples(), {}, &clock_sample::error));
}

std::vector<std::string> node_agents::stack_of(const shown_rank& of) {
  std::vector<std::string> made;
  const auto all = ask(fmt::format("{} {} {}", ask_stack, of.host, of.pid), stack_patience);
  const auto found = all.find(of.host);
  std::istringstream lines{found == all.end() ? "" : found->second};
  for (std::string line; std::getline(lines, line);) made.push_back(line);
  return made;
}

// Agents end with their input, and srun with them; where it does not, its step is cancelled.
void node_agents::end() {
  close_end(input_);
  if (srun_ > 0) {
    const auto limit = clock::now() + end_patience;
    pid_t over = 0;
    while ((over = ::waitpid(srun_, nullptr, WNOHANG)) == 0 && clock::now() < limit) {
      std::string lost;
      if (!read_some(output_, lost)) std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    if (over == 0) {
      ::kill(srun_, SIGKILL);
      ::waitpid(srun_, nullptr, 0);
      cancel_step(step_);
    }
    srun_ = -1;
  }
  close_end(output_);
  close_end(errors_);
  lines_.clear();
  told_.clear();
  silent_.clear();
}

}  // namespace peal::launcher
