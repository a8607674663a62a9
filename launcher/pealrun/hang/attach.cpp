#include "hang/attach.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "hang/analysis.hpp"
#include "hang/hang_report.hpp"
#include "hang/job_table.hpp"
#include "nodes/agent/node_agent.hpp"
#include "nodes/node_agents.hpp"
#include "nodes/slurm_job.hpp"
#include "request/request.hpp"
#include "say.hpp"
#include "shown/known_calls.hpp"
#include "shown/rank_pages.hpp"

namespace peal::launcher {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds first_pause{500};  // where it is shown once
constexpr std::chrono::milliseconds refresh{1000};

struct wishes {
  std::string job;
  bool once = false, json = false, why = false;
  std::vector<std::string> others;  // files with snapshots of other nodes
  std::string slurm;                // number of a job of Slurm's, or NUMBER.STEP; empty: this node
};

void write_out(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

wishes wishes_of(const std::vector<std::string>& words) {
  wishes made;
  CLI::App app{"pealrun --attach shows what the ranks of a running job do.", "pealrun --attach"};
  app.add_option("JOB", made.job, "the job's name or the beginning of it, or a process of it");
  app.add_flag("--once", made.once, "show it once and end; as set where this is no terminal");
  app.add_flag("--json", made.json, "write what the ranks show, for programs, and end");
  app.add_flag("--why", made.why, "say who waits for whom, as --hang-after does, and end");
  app.add_option("--with", made.others, "FILEs that --json has written on the job's other nodes")
      ->type_name("FILE");
  app.add_option("--slurm", made.slurm, "a job of Slurm's, on all its nodes")
      ->type_name("NUMBER[.STEP]")
      ->check(CLI::Validator{
          [](const std::string& text) -> std::string {
            const bool good =
                !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos &&
                std::ranges::count(text, '.') <= 1 && text.front() != '.' && text.back() != '.';
            return good ? "" : fmt::format("'{}': expected NUMBER or NUMBER.STEP", text);
          },
          ""});
  std::vector<std::string> reversed{words.rbegin(), words.rend()};
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    throw stop{0, app.help()};
  } catch (const CLI::ParseError& problem) {
    throw stop{2, fmt::format("pealrun: --attach: {}\n", problem.what())};
  }
  return made;
}

std::vector<job_snapshot> read_files(const std::vector<std::string>& names) {
  std::vector<job_snapshot> made;
  for (const std::string& each : names) {
    std::ifstream file{each};
    if (!file) throw stop{1, fmt::format("pealrun: --with {}: the file cannot be read\n", each)};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    try {
      for (job_snapshot& job : from_json(text)) made.push_back(std::move(job));
    } catch (const std::runtime_error& problem) {
      throw stop{1, fmt::format("pealrun: --with {}: {}\n", each, problem.what())};
    }
  }
  return made;
}

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t suspended = 0;

/// A terminal whose keys are read one by one, with a screen of its own; as it was at the end, and
/// while the shell has it (^Z).
class screen {
 public:
  screen() { enter(); }
  ~screen() { leave(); }
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  static winsize size() {
    winsize found{24, 80, 0, 0};
    winsize asked{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &asked) == 0 && asked.ws_row > 3 && asked.ws_col > 20)
      found = asked;
    return found;
  }
  static void show(const std::vector<std::string>& lines) {
    std::string text = "\033[H";
    for (std::size_t each = 0; each != lines.size(); ++each)
      text += (each == 0 ? "" : "\r\n") + lines[each] + "\033[K";
    write_out(text + "\033[J");
  }
  /// Waits for a key for that long; whether the user wants to go.
  bool asked_to_end(std::chrono::milliseconds most) {
    const auto end = clock::now() + most;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()).count();
      if (left <= 0) return false;
      pollfd keys{STDIN_FILENO, POLLIN, 0};
      const int found = ::poll(&keys, 1, static_cast<int>(left));
      if (suspended != 0) {
        suspended = 0;
        suspend();
      }
      if (interrupted != 0) return true;
      if (found <= 0) continue;
      char key = 'q';
      if (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == 3) return true;
    }
  }

 private:
  void enter() {
    ::tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write_out("\033[?1049h\033[?25l");
  }
  void leave() const {
    write_out("\033[?25h\033[?1049l");
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  void suspend() {
    leave();
    ::raise(SIGSTOP);
    enter();
  }

  termios before_{};
};

/// What the ranks of all jobs show now, with calls and lines.
using look_at_ranks = std::function<std::vector<job_snapshot>()>;

look_at_ranks on_this_node() {
  struct known {
    rank_pages pages;
    known_calls calls;
  };
  return [all = std::make_shared<known>()] {
    all->pages.look();
    std::vector<job_snapshot> made = all->pages.read();
    for (job_snapshot& each : made) all->calls.fill(each);
    return made;
  };
}

look_at_ranks on_nodes_of(const std::string& wanted) {
  const std::string number = wanted.substr(0, wanted.find('.'));
  const auto where = running_job(number);
  if (!where)
    throw stop{1, fmt::format("pealrun: --attach --slurm {}: Slurm knows no such job that runs "
                              "(squeue lists them)\n",
                              wanted)};
  auto agents = std::make_shared<node_agents>("job=" + wanted);
  try {
    agents->start(*where);
  } catch (const std::exception& problem) {
    throw stop{1, fmt::format("pealrun: --attach --slurm {}: the nodes cannot be asked: {}\n",
                              wanted, problem.what())};
  }
  return [agents, wanted, told = std::set<std::string>{}]() mutable {
    std::vector<job_snapshot> made = agents->shown(ask_calls);
    for (const std::string& each : agents->silent())
      if (told.insert(each).second)
        say(fmt::format("--attach --slurm {}: {} does not answer, so its ranks are missing", wanted,
                        each));
    return made;
  };
}

/// Until the user ends it, or the job ends: whether the job has.
bool watch(const look_at_ranks& look, job_snapshot before, const std::string& job) {
  struct sigaction end{};
  end.sa_handler = [](int) { interrupted = 1; };
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(each, &end, nullptr);
  end.sa_handler = [](int) { suspended = 1; };
  ::sigaction(SIGTSTP, &end, nullptr);
  screen whole;
  auto last = clock::now();
  for (auto pause = first_pause; interrupted == 0; pause = refresh) {
    if (whole.asked_to_end(pause)) return false;
    std::vector<job_snapshot> all = look();
    const auto found = std::ranges::find(all, job, &job_snapshot::job);
    if (found == all.end()) return true;
    const auto now = clock::now();
    const double seconds = std::chrono::duration<double>{now - std::exchange(last, now)}.count();
    found->compare(before, seconds);
    const winsize room = screen::size();
    screen::show(job_table(*found, before, seconds, room.ws_row, room.ws_col));
    before = std::move(*found);
  }
  return false;
}

/// A table that refreshes needs a terminal that can go back to a line.
bool can_refresh() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 && kind != nullptr &&
         *kind != '\0' && std::string_view{kind} != "dumb";
}

}  // namespace

const job_snapshot& chosen_job(const std::vector<job_snapshot>& jobs, const std::string& wanted) {
  if (jobs.empty())
    throw stop{1, "pealrun: no job of this user that uses peal runs on this node\n"};
  std::vector<const job_snapshot*> found;
  pid_t process = 0;
  const auto [end, failed] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), process);
  const bool is_number =
      !wanted.empty() && failed == std::errc{} && end == wanted.data() + wanted.size();
  const std::set<pid_t> family = is_number ? family_of(process) : std::set<pid_t>{};
  for (const job_snapshot& each : jobs) {
    if (!wanted.empty() && each.job == wanted) return each;
    const bool fits =
        is_number ? std::ranges::any_of(each.ranks,
                                        [&](const shown_rank& rank) {
                                          return family.contains(static_cast<pid_t>(rank.pid));
                                        })
                  : each.job.starts_with(wanted);
    if (fits) found.push_back(&each);
  }
  if (found.size() == 1) return *found.front();
  std::string text =
      found.empty() ? fmt::format(
                          "pealrun: --attach {}: no job has that name or process; there "
                          "are:\n",
                          wanted)
                    : "pealrun: --attach: several jobs run here; say which, by name or process:\n";
  for (const std::string& each : job_list(jobs)) text += "  " + each + "\n";
  throw stop{1, text};
}

int attach(const std::vector<std::string>& words) {
  const wishes want = wishes_of(words);
  const look_at_ranks look = want.slurm.empty() ? on_this_node() : on_nodes_of(want.slurm);
  const std::vector<job_snapshot> first = look();
  if (want.json && want.job.empty()) {
    write_out(to_json(first) + "\n");
    return 0;
  }
  if (first.empty() && !want.slurm.empty())
    throw stop{1, fmt::format("pealrun: --attach --slurm {}: no rank that uses peal is seen on the "
                              "job's nodes\n",
                              want.slurm)};
  const job_snapshot& before = chosen_job(first, want.job);
  if (!want.once && !want.json && !want.why && want.others.empty() && can_refresh()) {
    const std::string job = before.job;
    if (watch(look, before, job)) write_out(fmt::format("pealrun: {} has ended\n", job));
    return 0;
  }
  const auto then = clock::now();
  std::this_thread::sleep_for(first_pause);
  std::vector<job_snapshot> second = look();
  const auto found = std::ranges::find(second, before.job, &job_snapshot::job);
  if (found == second.end())
    throw stop{1, fmt::format("pealrun: --attach: {} has ended meanwhile\n", before.job)};
  job_snapshot& now = *found;
  const double seconds = std::chrono::duration<double>{clock::now() - then}.count();
  now.compare(before, seconds);
  for (job_snapshot& each : read_files(want.others))
    if (each.job == now.job) now.merge(std::move(each));
  if (want.json) {
    write_out(to_json({now}) + "\n");
  } else if (want.why) {
    for (int rank = 0; rank < now.size; ++rank) (void)now.at(rank);
    write_out(report_text(diagnose(now), now, 0));
  } else {
    std::string text;
    for (const std::string& each : job_table(now, before, seconds, now.ranks.size() + 2, 1000))
      text += each + "\n";
    write_out(text);
  }
  return 0;
}

}  // namespace peal::launcher
