// launcher/pealrun/nodes/node_agents.hpp
// The agents (node_agent.hpp) on all nodes of a job of Slurm's, and questions to them. They are a
// step of the job's that overlaps the ranks: it needs no free processor. Everything goes over the
// input and output of its srun, so nodes need no way to pealrun but Slurm's own, and no common
// folder but the one in which pealrun is.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   `start` throws std::runtime_error, in one line why. A node that does not answer in time
//          is `silent`; the others are not lost for that.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/clock_samples.hpp"
#include "nodes/slurm_job.hpp"
#include "shown/snapshot.hpp"

namespace peal::launcher {

class node_agents {
 public:
  /// For the step that step_filter.hpp describes so.
  explicit node_agents(std::string which) : which_{std::move(which)} {}
  ~node_agents();
  node_agents(const node_agents&) = delete;
  node_agents& operator=(const node_agents&) = delete;

  /// Waits until all are there, or for some time; whoever is not there then is silent.
  void start(const slurm_job&);
  [[nodiscard]] bool running();

  using line_taker = std::function<void(const std::string& node, const std::string& bytes)>;
  /// Hands over each piece of an answer when it comes. `patience`: without a line of any node.
  void ask(const std::string& question, double patience, const line_taker&);
  /// The whole answers, by node.
  [[nodiscard]] std::map<std::string, std::string> ask(const std::string& question,
                                                       double patience);
  /// What the ranks of all nodes show, by job.
  [[nodiscard]] std::vector<job_snapshot> shown(const std::string& question);
  /// Adds to the clocks, of each node the best of so many questions.
  void compare_clocks(node_clocks&, int questions);
  [[nodiscard]] std::vector<std::string> stack_of(const shown_rank&);

  /// Nodes that have not answered the last question.
  [[nodiscard]] const std::set<std::string>& silent() const noexcept { return silent_; }

 private:
  void take(std::set<std::string>& awaited, const line_taker&);
  bool read_some(int& descriptor, std::string& into);
  void end();
  [[nodiscard]] std::string reason() const;

  std::string which_, step_;
  std::set<std::string> nodes_, silent_;
  pid_t srun_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::string lines_, told_;  // of agents, and of srun itself
  std::uint64_t number_ = 0;
};

}  // namespace peal::launcher
