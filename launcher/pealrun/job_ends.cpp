// launcher/pealrun/job_ends.cpp
// How a job learns that ranks have ended, and what it makes of that.
//
// Layer    launcher.
// Threads  one, that of the job.
// Errors   none of its own.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>
#include <vector>

#include "job.hpp"

namespace peal::launcher {

namespace {

// Strays that have ended are fetched this long after a child changed: looking for them takes as
// long as there are ranks.
constexpr std::chrono::seconds reaping{1};

}  // namespace

void job::serve_host() {
  for (const host_event& event : host_.events()) {
    if (event.rank < 0 || event.rank >= request_.ranks()) continue;
    member& of = members_[static_cast<std::size_t>(event.rank)];
    switch (event.what) {
      case host_event::connected:
        of.end.connected = true;
        of.end.finalized = false;
        of.end.lost = 0;  // a rank may meet the server twice, one program after another
        break;
      case host_event::finalized: of.end.finalized = true; break;
      case host_event::lost: of.end.lost = ++connections_lost_; break;
      case host_event::aborted: note_abort(of, event.code, event.text); break;
    }
  }
  if (host_.was_asked()) stand_in_for_absent();
}

void job::note_abort(member& of, int code, const std::string& why) {
  if (of.judged || of.end.aborted) return;
  if (!of.ended) {
    of.end.place = ++ends_;
    of.end.at = clock::now();
  }
  of.end.aborted = true;
  of.abort_code = (code & 0xff) != 0 ? code & 0xff : 1;
  of.abort_text =
      fmt::format("aborted the job with code {}{}{}", code, why.empty() ? "" : ": ", why);
}

// What a rank that has ended said of itself in the memory that it shares with pealrun.
void job::note_last_state(member& of) {
  const start_state last = host_.state_of(of.end.rank);
  if (!last.connected) return;
  of.end.connected = true;
  of.end.finalized = last.finalized;
  if (!last.finalized && of.end.lost == 0) of.end.lost = ++connections_lost_;
  if (last.aborted) note_abort(of, last.abort_code, last.abort_text);
}

// Only those are asked about of which something has changed: with many ranks there are many
// wake-ups.
void job::look_for_ends() {
  for (const int rank : order_.look()) note_end(rank);
  if (!std::exchange(child_changed_, false)) return;
  // Those whose end `look` does not tell, and those whose end another process, a debugger, fetches
  // first.
  for (int rank = 0; rank < request_.ranks(); ++rank) {
    const member& each = members_[static_cast<std::size_t>(rank)];
    if (!each.ended && (!order_.knows(rank) || each.end.place > 0)) note_end(rank);
  }
  if (!reap_at_) reap_at_ = clock::now() + reaping;
}

// The dead are not fetched (WNOWAIT) before the job ends: so long their number, which is their
// group's too, is not given out again.
void job::note_end(int rank) {
  member& of = members_[static_cast<std::size_t>(rank)];
  if (of.end.place == 0 && order_.knows(rank)) of.end.place = ++ends_;
  siginfo_t info{};
  if (of.ended ||
      ::waitid(P_PID, static_cast<id_t>(of.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return;
  of.ended = true;
  if (!of.end.aborted) of.end.at = clock::now();
  // As wait's status word: macros of wait.h read it.
  of.end.status = info.si_code == CLD_EXITED
                      ? (info.si_status & 0xff) << 8
                      : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
  note_last_state(of);
}

// A rank can fail because of another whose memory is gone already, but whose end is not told yet:
// that takes as long as it has memory.
bool job::mark_dying() {
  bool any = false;
  for (member& each : members_)
    if (!each.ended && dying(each.pid)) any = each.end.seen_dying = true;
  return any;
}

void job::judge_ends() {
  const auto now = clock::now();
  std::vector<rank_end> ends;
  // A failure that may be due to an end that is not settled, or to one that is not told yet.
  bool fresh = false, open = false;
  for (const member& each : members_) {
    if ((!each.ended && !each.end.aborted) || each.judged) continue;
    if (!settled(each.end, now)) {
      open = true;
      continue;
    }
    ends.push_back(each.end);
    fresh = fresh || (each.end.failed() && now < each.end.at + dying_wait);
  }
  if (ends.empty() || (phase_ == phase::running && fresh && (open || mark_dying()))) return;
  sort_by_cause(ends);
  for (const rank_end& each : ends) judge(each.rank);
}

hang_watch::ends job::ends_in_words() const {
  hang_watch::ends made;
  for (int rank = 0; rank < request_.ranks(); ++rank) {
    const member& of = members_[static_cast<std::size_t>(rank)];
    if (!of.ended) continue;
    made[rank] = WIFSIGNALED(of.end.status)
                     ? fmt::format("was killed by {}", signal_name(WTERMSIG(of.end.status)))
                     : fmt::format("exited with code {}", code_of(of.end.status));
  }
  return made;
}

void job::judge(int rank) {
  member& of = members_[static_cast<std::size_t>(rank)];
  of.judged = true;
  const int code = code_of(of.end.status);
  const bool left_early = of.end.connected && !of.end.finalized;
  if (phase_ != phase::running || (!of.end.failed() && !left_early)) return;
  const bool signalled = WIFSIGNALED(of.end.status);
  rank_failed_ = true;
  if (of.end.aborted) {
    fail(of.abort_code, fmt::format("{} {}", describe(rank), of.abort_text));
    return end_job();
  }
  if (signalled) {
    const int signal = WTERMSIG(of.end.status);
    const bool asked = (passed_on_ & (1u << signal)) != 0;
    fail(code, fmt::format("{} was killed by {}{}{}", describe(rank), signal_name(signal),
                           WCOREDUMP(of.end.status) ? ", core dumped" : "",
                           asked ? ", which pealrun passed on" : ""));
  } else if (code != 0) {
    fail(code, fmt::format("{} exited with code {}", describe(rank), code));
  } else {
    fail(1, fmt::format(
                "{} exited with code 0, but without leaving the job: the others would wait for it",
                describe(rank)));
  }
  if (request_.on_failure == failure_policy::kill) return end_job();
  ::kill(-of.pid, SIGKILL);  // the processes that it left behind would go on without a use
  of.absent = !of.end.connected;
  if (host_.was_asked()) stand_in_for_absent();
  host_.tell_of_death(rank, signalled, code, request_.on_failure == failure_policy::go_on);
}

}  // namespace peal::launcher
