#include "engine/supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "engine/slurm/slurm_step.hpp"
#include "processes/program.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

// A launcher that was asked to end the ranks, or that knows of a failure, gets this long.
constexpr std::chrono::seconds grace{3};
// srun has this long to pass on what ranks wrote before they were killed.
constexpr std::chrono::milliseconds last_words{500};
// What it wrote is read for this long after its end, should another process hold the pipe.
constexpr std::chrono::seconds drain{2};
// As job_signals.cpp has it.
constexpr std::chrono::seconds impatience{2};
constexpr int timeout_code = 124;  // as timeout(1)

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  return ends;
}

void close_end(int& descriptor) {
  if (const int end = std::exchange(descriptor, -1); end >= 0) ::close(end);
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Above those that the launcher gets as 0 to 3.
int moved_up(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10); }

}  // namespace

supervisor::supervisor(const job_request& request, signal_source& signals,
                       std::vector<std::string> words, std::string step, node_view* nodes)
    : request_{request},
      signals_{signals},
      words_{std::move(words)},
      step_{std::move(step)},
      daemons_{step_},
      nodes_{nodes},
      filter_{request.given_for("--tag-output") != nullptr} {}

supervisor::~supervisor() {
  if (launcher_ > 0 && !ended_) kill_job();
  close_end(errors_);
  close_end(own_);
}

other_end supervisor::run() {
  std::string program;
  try {
    program = find_program(words_.front());
  } catch (const stop&) {
    throw stop{127,
               fmt::format("pealrun: {} is not found in PATH, and has to start this job: "
                           "install {}, or give --engine local for one node\n",
                           words_.front(),
                           step_.empty() ? "PRRTE 3.0.0 (github.com/openpmix/prrte, tag v3.0.0)"
                                         : "Slurm's commands (slurm-client)")};
  }
  if (request_.timeout > 0)
    timeout_ = clock::now() + std::chrono::duration_cast<clock::duration>(
                                  std::chrono::duration<double>{request_.timeout});
  start(program);
  while (!ended_ || ((errors_ >= 0 || own_ >= 0) && clock::now() < *drain_until_)) {
    wait_for_something();
    look_after_daemons();
    serve_signals();
    look_for_end();
    check_deadlines();
  }
  write_all(filter_.rest());
  return {*result_, may_start_again()};
}

// The job failed, and not because somebody asked for its end or its time was over.
bool supervisor::may_start_again() const noexcept {
  constexpr unsigned asks = 1u << SIGINT | 1u << SIGTERM | 1u << SIGHUP;
  return lost_ || (told_.first() && !ending_ && (passed_on_ & asks) == 0);
}

void supervisor::start(const std::string& program) {
  const int input = input_.open();
  std::array<int, 2> errors{-1, -1}, own{-1, -1};
  if (!step_.empty()) errors = new_pipe();
  else remains_.emplace();
  own = new_pipe();
  errors_ = errors[0];
  own_ = own[0];
  for (const int each : {errors_, own_})
    if (each >= 0) ::fcntl(each, F_SETFL, O_NONBLOCK);
  launcher_ = ::fork();
  if (launcher_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (launcher_ == 0) become_launcher(program, input, errors[1], own[1]);
  ::setpgid(launcher_, launcher_);
  close_end(errors[1]);
  close_end(own[1]);
  input_.close_child_end();
}

// In a process group of its own: what is typed to interrupt the job reaches it from pealrun, once.
// pealrun is one thread here, so the child may allocate.
void supervisor::become_launcher(const std::string& program, int input, int errors, int own) {
  const pid_t parent = ::getppid();
  ::setpgid(0, 0);
  // Both end their ranks at SIGTERM.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(126);
  if (input != STDIN_FILENO) ::dup2(moved_up(input), STDIN_FILENO);
  const int moved = errors >= 0 ? moved_up(errors) : -1;
  ::dup2(moved_up(own), STDERR_FILENO);
  if (moved >= 0) ::dup2(moved, ranks_errors);
  std::vector<char*> arguments;
  for (std::string& each : words_) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  signals_.restore();
  ::execv(program.c_str(), arguments.data());
  say(fmt::format("cannot execute {}: {}", program, std::generic_category().message(errno)));
  ::_exit(126);
}

void supervisor::wait_for_something() {
  std::vector<pollfd> list{{signals_.descriptor(), POLLIN, 0}};
  for (const int each : {errors_, own_, daemons_.descriptor()})
    if (each >= 0) list.push_back({each, POLLIN, 0});
  if (!ended_) input_.add_to(list);
  auto next = clock::time_point::max();
  for (const auto& each : {timeout_, kill_at_, drain_until_, daemons_.next()})
    if (each) next = std::min(next, *each);
  int wait = -1;
  if (next != clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    wait = static_cast<int>(std::clamp<long long>(left, 0, std::numeric_limits<int>::max()));
  }
  ::poll(list.data(), list.size(), wait);
  read_ranks_errors();
  read_own_lines();
  list.erase(list.begin());
  if (!ended_) input_.serve(list);
}

void supervisor::read_ranks_errors() {
  std::array<char, 65536> bytes;
  while (errors_ >= 0) {
    const ssize_t got = ::read(errors_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return close_end(errors_);
    write_all(filter_.pass({bytes.data(), static_cast<std::size_t>(got)}));
  }
}

void supervisor::read_own_lines() {
  std::array<char, 4096> bytes;
  while (own_ >= 0) {
    const ssize_t got = ::read(own_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (step_.empty()) {
      if (got > 0) take_from_prterun({bytes.data(), static_cast<std::size_t>(got)});
      else close_end(own_);
      continue;
    }
    if (got > 0) own_lines_.append(bytes.data(), static_cast<std::size_t>(got));
    else {
      close_end(own_);
      if (!own_lines_.empty()) own_lines_ += '\n';
    }
    take_lines();
  }
}

void supervisor::take_lines() {
  for (std::size_t end; (end = own_lines_.find('\n')) != std::string::npos;) {
    const std::string line = own_lines_.substr(0, end);
    own_lines_.erase(0, end + 1);
    if (told_.take(line) && !ending_) write_all(line + "\n");
  }
  // srun ends the others at once, as a rule; it does not in every case.
  if (told_.first() && !kill_at_ && !ended_) kill_at_ = clock::now() + grace;
}

// srun would wait for ever for the daemon that has died, and its ranks are ended by those who tell
// of it.
void supervisor::look_after_daemons() {
  const auto lost = ended_ ? std::nullopt : daemons_.serve();
  if (!lost) return;
  fail(128 + SIGKILL, *lost + ", so all ranks are ended");
  lost_ = !ending_;
  ending_ = true;
  cancel_step(step_);
  kill_at_ = clock::now() + last_words;
}

void supervisor::take_from_prterun(std::string_view bytes) {
  write_all(prterun_told_.pass(bytes));
  if (prterun_told_.host_missing() && !ended_ && !ending_) {
    fail(1,
         "prterun cannot start its daemon on a host of this job: see whether 'ssh HOST prted "
         "--version' works for every host of --host or --hostfile");
    end_job();
  }
  // It ends the other ranks at once, as a rule.
  if (prterun_told_.first() && !kill_at_ && !ended_) kill_at_ = clock::now() + grace;
}

void supervisor::serve_signals() {
  for (const int signal : signals_.take()) {
    if (signal == SIGCHLD || ended_) continue;
    if (signal == SIGTSTP) {
      const auto before = clock::now();
      ::kill(::getpid(), SIGSTOP);
      for (auto* each : {&timeout_, &kill_at_})
        if (*each) **each += clock::now() - before;
      continue;
    }
    if (signal == SIGTERM || signal == SIGHUP) {
      fail(128 + signal, fmt::format("{} ends the job", signal_name(signal)));
      end_job();
      continue;
    }
    if (signal == report_signal && nodes_ != nullptr) {
      nodes_->report();
      continue;
    }
    passed_on_ |= 1u << signal;
    ::kill(launcher_, signal);
    if (signal == SIGINT) interrupt();
  }
}

void supervisor::interrupt() {
  const auto now = clock::now();
  if (interrupted_at_ && now - *interrupted_at_ <= impatience) {
    fail(128 + SIGINT,
         fmt::format("interrupted twice within {} s: the job is ended", impatience.count()));
    end_job();
  }
  interrupted_at_ = now;
}

void supervisor::check_deadlines() {
  const auto now = clock::now();
  if (ended_) return;
  if (timeout_ && now >= *timeout_) {
    timeout_.reset();
    fail(timeout_code, fmt::format("the job runs longer than {} s (--timeout)", request_.timeout));
    end_job();
  }
  if (kill_at_ && now >= *kill_at_) {
    kill_at_.reset();
    kill_job();
  }
}

void supervisor::look_for_end() {
  int status = 0;
  if (ended_ || ::waitpid(launcher_, &status, WNOHANG) != launcher_) return;
  ended_ = true;
  drain_until_ = clock::now() + drain;
  read_ranks_errors();
  read_own_lines();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // What it ran may go on without it.
    if (!step_.empty()) cancel_step(step_);
    if (!told_.first())
      fail(128 + signal, signal == SIGPIPE
                             ? "nobody reads the output any more"
                             : fmt::format("{} was killed by {}, so the ranks are ended",
                                           words_.front(), signal_name(signal)));
  }
  if (!step_.empty()) {
    result_ = result_of(status);
    return;
  }
  // A rank or a daemon that goes on would keep the pipe open, so they go first.
  remains_->end(launcher_);
  read_own_lines();
  write_all(prterun_told_.rest());
  result_ = result_of_prterun(status);
}

int supervisor::result_of_prterun(int status) {
  if (!result_ && (passed_on_ & (1u << SIGINT)) != 0)
    fail(128 + SIGINT, "interrupted: prterun has ended the ranks");
  if (const auto& failure = prterun_told_.first(); failure && !result_)
    fail(failure->code, describe(*failure, program_of(*failure)));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (!result_ && code != 0 && !prterun_told_.has_told())
    fail(code, code > 128 && code < NSIG + 128
                   ? fmt::format("a rank was killed by {}; prterun does not tell which",
                                 signal_name(code - 128))
                   : fmt::format("a rank, or prterun itself, ended with code {}; prterun does not "
                                 "tell which",
                                 code));
  return result_.value_or(code);
}

const std::string& supervisor::program_of(const rank_failure& failure) const {
  const auto& programs = request_.applications;
  int rank = 0;
  for (const char each : failure.ranks) {
    if (each < '0' || each > '9') break;
    rank = rank * 10 + (each - '0');
  }
  const std::size_t which =
      programs.size() == 1 || rank >= request_.ranks() ? 0 : request_.application_of(rank);
  return programs[which].arguments.front();
}

int supervisor::result_of(int status) {
  if (const auto& failure = told_.first(); failure && !result_) {
    const bool asked = failure->signal != 0 && (passed_on_ & (1u << failure->signal)) != 0;
    // Slurm ends ranks by these.
    const bool killed = failure->signal == SIGTERM || failure->signal == SIGKILL;
    const std::string by_slurm = !asked && killed ? end_by_slurm(step_) : "";
    ending_ |= !by_slurm.empty();
    fail(failure->code,
         describe(*failure, program_of(*failure)) + (asked ? ", which pealrun passed on"
                                                     : by_slurm.empty() ? ""
                                                                        : ": " + by_slurm));
  }
  if (result_) return *result_;
  write_all(told_.kept_back());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void supervisor::end_job() {
  ending_ = true;
  ::kill(launcher_, SIGTERM);
  if (!kill_at_) kill_at_ = clock::now() + grace;
}

void supervisor::kill_job() {
  ::kill(-launcher_, SIGKILL);
  if (!step_.empty()) cancel_step(step_);
}

// The first cause is the one.
void supervisor::fail(int code, const std::string& line) {
  if (result_) return;
  result_ = code;
  say(line);
}

}  // namespace peal::launcher
