// launcher/pealrun/engine/supervisor.hpp
// A job that srun or prterun runs: pealrun passes signals, input and lines on, tells in one line
// why it failed, and ends it where that launcher does not.
//
// Layer    launcher.
// Threads  one: everything happens in `run`, in the thread that made the supervisor. It must live
//          as long as pealrun, since the launcher is ended with the thread that forked it.
// Errors   throws stop with 127 where the launcher is not there, std::system_error where the system
//          grants no pipe or process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/other_end.hpp"
#include "engine/prterun_errors.hpp"
#include "engine/prterun_remains.hpp"
#include "engine/slurm/daemon_watch.hpp"
#include "engine/slurm/srun_errors.hpp"
#include "engine/slurm/text_filter.hpp"
#include "engine/terminal_relay.hpp"
#include "nodes/node_view.hpp"
#include "processes/signals.hpp"
#include "request/request.hpp"

namespace peal::launcher {

class supervisor {
 public:
  /// `words` is the command; `step` the name by which Slurm knows what it starts, empty where it is
  /// not srun. What srun writes to the descriptor `ranks_errors` is what ranks write. SIGQUIT has
  /// `nodes` report, and is passed on where there is none.
  supervisor(const job_request&, signal_source&, std::vector<std::string> words, std::string step,
             node_view* nodes = nullptr);
  ~supervisor();
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;

  static constexpr int ranks_errors = 3;

  /// Returns when the launcher has ended.
  other_end run();

 private:
  using clock = std::chrono::steady_clock;

  void start(const std::string& program);
  [[noreturn]] void become_launcher(const std::string& program, int input, int errors, int own);
  void wait_for_something();
  void read_ranks_errors();
  void read_own_lines();
  void take_lines();
  void look_after_daemons();
  void take_from_prterun(std::string_view);
  void serve_signals();
  void interrupt();
  void check_deadlines();
  void look_for_end();
  void end_job();
  void kill_job();
  void fail(int code, const std::string& line);
  [[nodiscard]] int result_of(int status);
  [[nodiscard]] bool may_start_again() const noexcept;
  [[nodiscard]] int result_of_prterun(int status);
  [[nodiscard]] const std::string& program_of(const rank_failure&) const;

  const job_request& request_;
  signal_source& signals_;
  std::vector<std::string> words_;
  std::string step_;
  daemon_watch daemons_;
  terminal_relay input_;
  node_view* nodes_;
  text_filter filter_;
  srun_errors told_;
  prterun_errors prterun_told_;
  std::optional<prterun_remains> remains_;  // where prterun is the launcher
  std::string own_lines_;                   // of srun, as far as they have come
  int errors_ = -1;                         // what ranks write, where it is srun
  int own_ = -1;                            // what the launcher itself does
  pid_t launcher_ = -1;
  bool ended_ = false;
  bool ending_ = false;
  bool lost_ = false;  // a node's part of Slurm has died
  std::optional<int> result_;
  unsigned passed_on_ = 0;  // signals, as bits
  std::optional<clock::time_point> timeout_, kill_at_, interrupted_at_, drain_until_;
};

}  // namespace peal::launcher
