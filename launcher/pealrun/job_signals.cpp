// What a job does with the signals that pealrun gets, and with ranks that the terminal stopped.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "job.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

// Two interrupts within this time come from a user who wants the job to end, whatever its ranks
// make of a signal.
constexpr std::chrono::seconds impatience{2};

}  // namespace

void job::serve_signals() {
  for (const int signal : signals_.take()) {
    if (signal == SIGCHLD) child_changed_ = true;
    else if (signal == SIGTSTP) stop_with_ranks();
    else if (signal == report_signal) hangs_.report(ends_in_words());
    else pass_on(signal);
    if (signal == SIGINT) interrupt();
  }
  if (child_changed_) look_for_stops();
}

// What asks a rank to end reaches one that the terminal has stopped only when it goes on.
void job::pass_on(int signal) {
  passed_on_ |= 1u << signal;
  signal_groups(signal, false);
  if (signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGTSTP) return;
  for (member& each : members_)
    if (std::exchange(each.stopped, false) && !each.ended) ::kill(-each.pid, SIGCONT);
}

void job::interrupt() {
  const auto now = clock::now();
  if (phase_ == phase::running && interrupted_at_ && now - *interrupted_at_ <= impatience) {
    fail(128 + SIGINT,
         fmt::format("interrupted twice within {} s: the job is ended", impatience.count()));
    end_job();
  }
  interrupted_at_ = now;
}

// A rank is in the background of the terminal, so the system stops it when it uses the terminal as
// only the foreground may. Nothing else would show why the job stands still. A stop by SIGSTOP is
// left to the user who sent it.
void job::look_for_stops() {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0) return;
    if (info.si_status != SIGTTIN && info.si_status != SIGTTOU) continue;
    const auto found = std::find_if(members_.begin(), members_.end(), [&info](const member& each) {
      return each.pid == info.si_pid;
    });
    if (found == members_.end()) continue;
    found->stopped = true;
    // The other ranks are stopped for the same reason, as a rule.
    if (std::exchange(stop_told_, true)) continue;
    say(fmt::format(
        "{} was stopped by {}: {}", describe(static_cast<int>(found - members_.begin())),
        signal_name(info.si_status),
        info.si_status == SIGTTIN ? "it reads the terminal, which only pealrun may; what is typed "
                                    "reaches rank 0 as its standard input"
                                  : "it changes the terminal, or writes to it where stty tostop "
                                    "forbids that, which only pealrun may; with "
                                    "--tag-output pealrun writes for its ranks"));
  }
}

// The shell that started us shall see a stopped job, so we stop too. SIGCONT wakes us, and waits in
// the descriptor to be passed on. Time that the job was stopped does not count against it.
void job::stop_with_ranks() {
  pass_on(SIGTSTP);
  const auto before = clock::now();
  ::kill(::getpid(), SIGSTOP);
  const auto stopped = clock::now() - before;
  for (auto* each : {&timeout_, &kill_at_})
    if (*each) **each += stopped;
}

}  // namespace peal::launcher
