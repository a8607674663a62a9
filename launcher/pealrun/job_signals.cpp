// What a job does with the signals that pealrun gets, and with ranks that the terminal stopped.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "job.hpp"
#include "processes/unkillable.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

// Two interrupts within this time come from a user who wants the job to end, whatever its ranks
// make of a signal.
constexpr std::chrono::seconds impatience{5};
// The system ends a process that was killed at once, unless it has much memory to free or waits for
// a device.
constexpr std::chrono::seconds last_wait{2};
constexpr std::chrono::seconds look_again{1};

}  // namespace

void job::serve_signals() {
  for (const int signal : signals_.take()) {
    if (signal == SIGCHLD) child_changed_ = true;
    else if (signal == SIGTSTP) stop_with_ranks(SIGSTOP);
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

bool job::may_start_again() const noexcept {
  constexpr unsigned asks = 1u << SIGINT | 1u << SIGTERM | 1u << SIGHUP;
  return rank_failed_ && (passed_on_ & asks) == 0;
}

void job::interrupt() {
  const auto now = clock::now();
  const bool again = interrupted_at_ && now - *interrupted_at_ <= impatience;
  interrupted_at_ = now;
  if (!again || phase_ == phase::killed) return;
  fail(128 + SIGINT,
       fmt::format("interrupted twice within {} s: the job is killed", impatience.count()));
  kill_at_.reset();
  kill_all();
}

void job::kill_all() {
  phase_ = phase::killed;
  signal_groups(SIGKILL, true);
  give_up_at_ = clock::now() + last_wait;
}

// Nobody can end such a process; waiting for it would keep the user from the exit code. The system
// ends it as soon as that is possible.
void job::give_up() {
  give_up_at_.reset();
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    member& of = members_[rank];
    if (of.pid <= 0 || of.ended) continue;
    const auto why = what_keeps(of.pid);
    if (!why) {
      give_up_at_ = clock::now() + look_again;
      continue;
    }
    say(fmt::format("{} was killed and does not end: {}; it is left behind",
                    describe(static_cast<int>(rank)), *why));
    of.ended = of.judged = of.given_up = true;
  }
}

// A rank is in the background of the terminal, so the system stops it when it uses the terminal as
// only the foreground may. A stop by SIGSTOP is left to the user who sent it; SIGTSTP stops the
// rank that has the terminal when the user types ^Z.
void job::look_for_stops() {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0) return;
    const auto found = std::find_if(members_.begin(), members_.end(), [&info](const member& each) {
      return each.pid == info.si_pid;
    });
    if (found == members_.end()) continue;
    if (info.si_status == SIGTTIN || info.si_status == SIGTTOU)
      stopped_by_terminal(static_cast<int>(found - members_.begin()), info.si_status);
    if (info.si_status == SIGTSTP && terminal_.given_to() == found->pid) stop_with_ranks(SIGSTOP);
  }
}

// Nothing else would show why the job stands still, or who hears ^C. The other ranks are stopped
// for the same reason, as a rule, so that is told once.
void job::stopped_by_terminal(int rank, int signal) {
  members_[static_cast<std::size_t>(rank)].stopped = true;
  const bool background = !terminal_.ours() && terminal_.given_to() == 0;
  if (!std::exchange(stop_told_, true))
    say(fmt::format("{} was stopped by {}: it {} the terminal; {}", describe(rank),
                    signal_name(signal), signal == SIGTTIN ? "reads" : "changes",
                    background ? "pealrun stops too, until it is in the foreground (fg)"
                               : "it has the terminal now, with all that is typed and ^C, until it "
                                 "ends"));
  // As a shell has it with what runs in the background. Where no shell could let us go on, the
  // system ignores the signal.
  if (background) stop_with_ranks(signal);
}

// One rank at a time has the terminal; those that wait for it get it when that one has ended.
void job::share_terminal() {
  if (!stop_told_) return;
  for (const member& each : members_)
    if (each.ended && each.pid > 0 && each.pid == terminal_.given_to()) terminal_.take_back();
  if (!terminal_.ours()) return;
  for (member& each : members_) {
    if (!each.stopped || each.ended || !terminal_.give_to(each.pid)) continue;
    each.stopped = false;
    ::kill(-each.pid, SIGCONT);
    return;
  }
}

// The shell that started us shall see a stopped job, so we stop too. SIGCONT wakes us, and waits in
// the descriptor to be passed on. Time that the job was stopped does not count against it.
void job::stop_with_ranks(int by) {
  terminal_.take_back();
  pass_on(SIGTSTP);
  const auto before = clock::now();
  ::kill(::getpid(), by);
  if (sigset_t came; sigpending(&came) == 0 && sigismember(&came, SIGCONT) == 0) {
    // The system did not stop us.
    for (const member& each : members_)
      if (each.pid > 0 && !each.ended && !each.stopped) ::kill(-each.pid, SIGCONT);
  }
  const auto stopped = clock::now() - before;
  for (auto* each : {&timeout_, &kill_at_})
    if (*each) **each += stopped;
}

}  // namespace peal::launcher
