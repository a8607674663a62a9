// launcher/pealrun/job.hpp
// The life of a job: starts the ranks, passes signals and lines on, notices deaths and stops, ends
// what is to be ended.
//
// Layer    launcher.
// Threads  one: everything happens in `run`, in the thread that made the job.
// Errors   throws what starting a rank throws; the destructor kills what is running.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "end/cause.hpp"
#include "end/end_order.hpp"
#include "hang/hang_watch.hpp"
#include "placement/place.hpp"
#include "pmix/pmix_host.hpp"
#include "processes/descriptors.hpp"
#include "processes/guard.hpp"
#include "processes/signals.hpp"
#include "processes/strays.hpp"
#include "processes/terminal.hpp"
#include "request/request.hpp"
#include "streams/rank_input.hpp"
#include "streams/rank_output.hpp"

namespace peal::launcher {

/// The only argument of a pealrun that connects to a server in the name of a rank that never did,
/// and ends.
inline constexpr const char* stand_in_word = "--stand-in-for-a-dead-rank";

/// What was made before the first thread, and outlives the job.
struct surroundings {
  guard& watch;
  signal_source& signals;
  strays& left_behind;
  descriptor_limit& files;
};

class job {
 public:
  using clock = std::chrono::steady_clock;

  /// `places`: one for each rank.
  job(const job_request&, pmix_host&, const surroundings&, std::vector<place> places);
  ~job();
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  /// Returns pealrun's exit code when every rank has ended.
  int run();
  /// After that: whether it ended because a rank failed, and not because the user asked for it.
  [[nodiscard]] bool may_start_again() const noexcept;

 private:
  struct member {
    pid_t pid = -1;
    bool ended = false;
    bool judged = false;     // what its end means is settled
    bool stopped = false;    // by the terminal
    bool given_up = false;   // no signal ends it
    bool absent = false;     // died without having met the server, which waits for it
    rank_end end;            // what is known of it so far
    int abort_code = 0;      // of one that aborted the job
    std::string abort_text;  // why
  };
  enum class phase { running, asked_to_end, killed };

  void start_all();
  void start(int rank);
  void wait_for_something();
  void serve_signals();
  void interrupt();
  void look_for_stops();
  void stopped_by_terminal(int rank, int signal);
  void share_terminal();
  void kill_all();
  void give_up();
  void serve_host();
  void look_for_ends();
  void note_end(int rank);
  void judge_ends();
  void judge(int rank);
  bool mark_dying();
  void note_abort(member& of, int code, const std::string& why);
  void note_last_state(member& of);
  void stand_in_for_absent();
  void stand_in_for(int rank);
  void check_deadlines();
  void clear_groups();
  void fetch(const member&);
  void pass_on(int signal);
  void stop_with_ranks(int by);
  void fail(int code, const std::string& line);
  void end_job();
  void signal_groups(int signal, bool also_ended) const;
  [[nodiscard]] bool over() const;
  [[nodiscard]] std::string describe(int rank) const;
  [[nodiscard]] std::string still_running() const;
  [[nodiscard]] hang_watch::ends ends_in_words() const;

  const job_request& request_;
  pmix_host& host_;
  guard& guard_;
  signal_source& signals_;
  strays& strays_;
  descriptor_limit& files_;
  std::vector<place> places_;
  std::vector<member> members_;
  end_order order_;
  rank_output output_;
  rank_input input_;
  terminal terminal_;
  hang_watch hangs_;
  std::string host_name_;
  phase phase_ = phase::running;
  int result_ = 0;
  int ends_ = 0;  // and aborts
  int connections_lost_ = 0;
  bool child_changed_ = false;  // since the last look
  bool stop_told_ = false;
  bool rank_failed_ = false;  // by itself, and before anything else ended the job
  std::optional<clock::time_point> interrupted_at_;
  unsigned passed_on_ = 0;  // signals sent to the ranks on behalf of the user, as bits
  std::optional<clock::time_point> timeout_;
  std::optional<clock::time_point> kill_at_;
  std::optional<clock::time_point> give_up_at_;
  std::optional<clock::time_point> drain_until_;
  std::optional<clock::time_point> reap_at_;
};

}  // namespace peal::launcher
