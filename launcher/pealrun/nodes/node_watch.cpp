#include "nodes/node_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "hang/hang_report.hpp"
#include "hang/hang_watch.hpp"
#include "hang/stillness.hpp"
#include "nodes/agent/file_pieces.hpp"
#include "nodes/agent/node_agent.hpp"
#include "nodes/node_agents.hpp"
#include "nodes/slurm_job.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

using watch_clock = std::chrono::steady_clock;

// Agents end when they are asked nothing for some minutes.
constexpr std::chrono::seconds between_clocks{20};
// Agents that cannot be had are tried again, seldom, since each attempt costs Slurm a step.
constexpr std::chrono::seconds between_attempts{60};
constexpr int many_questions = 25, few_questions = 8;
constexpr double file_patience = 30;

job_snapshot largest_of(std::vector<job_snapshot> all) {
  // A rank may have started a job of its own.
  const auto found = std::ranges::max_element(all, {}, &job_snapshot::size);
  return found == all.end() ? job_snapshot{} : std::move(*found);
}

class watch {
 public:
  explicit watch(watch_order order)
      : order_{std::move(order)}, agents_{"name=" + order_.step}, stillness_{order_.hang_after} {
    if (order_.hang_after > 0) look_at_ = watch_clock::now() + interval();
  }

  void run() {
    if (!order_.on_nodes.empty() && !prepare()) return;
    while (!over_) {
      wait();
      const auto now = watch_clock::now();
      if (look_at_ && now >= *look_at_) {
        look_at_ = now + interval();
        look();
      }
      if (now >= clocks_at_ && agents_.running()) compare(few_questions);
    }
  }

 private:
  [[nodiscard]] watch_clock::duration interval() const {
    return hang_watch::interval(order_.hang_after);
  }

  static void tell(const std::string& text) {
    const std::string line = text + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
  }

  void say_once(const std::string& line) {
    if (said_.insert(line).second) say(line);
  }

  void compare(int questions) {
    agents_.compare_clocks(clocks_, questions);
    clocks_at_ = watch_clock::now() + between_clocks;
  }

  /// Agents are there. Throws why not.
  void have_agents() {
    if (agents_.running()) return;
    const auto job = order_.job.empty() ? running_job_named(order_.step) : running_job(order_.job);
    if (!job) throw std::runtime_error{"Slurm does not say where the job runs"};
    agents_.start(*job);
    ++starts_;
    if (!order_.on_nodes.empty()) make_folders();
    clocks_at_ = watch_clock::now();
  }

  void make_folders() {
    for (const auto& [node, problem] :
         agents_.ask(fmt::format("{} {}", ask_folder, order_.on_nodes), file_patience))
      if (!problem.empty()) throw std::runtime_error{fmt::format("{}: {}", node, problem)};
  }

  /// Before the ranks start, so that nothing is lost that has run for long.
  bool prepare() {
    try {
      have_agents();
      if (!agents_.silent().empty())
        throw std::runtime_error{
            fmt::format("{} does not answer", fmt::join(agents_.silent(), ", "))};
      compare(many_questions);
    } catch (const std::exception& problem) {
      tell(std::string{told_failed} + problem.what());
      return false;
    }
    tell(told_ready);
    return true;
  }

  void wait() {
    auto next = clocks_at_;
    if (!agents_.running()) next = watch_clock::time_point::max();
    if (look_at_) next = std::min(next, *look_at_);
    int most = -1;
    if (next != watch_clock::time_point::max())
      most = static_cast<int>(std::clamp<long long>(
          std::chrono::ceil<std::chrono::milliseconds>(next - watch_clock::now()).count(), 0,
          60'000));
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, most) <= 0) return;
    std::array<char, 256> bytes{};
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      over_ = true;
      return;
    }
    orders_.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = orders_.find('\n')) != std::string::npos;) {
      const std::string line = orders_.substr(0, end);
      orders_.erase(0, end + 1);
      if (line == order_report) report(0);
      else if (line == order_collect) collect();
    }
  }

  void look() {
    try {
      have_agents();
      const bool all_known = known_.size() >= static_cast<std::size_t>(std::max(size_, 1));
      job_snapshot seen = with_ended(largest_of(agents_.shown(all_known ? ask_known : ask_look)));
      size_ = std::max(size_, seen.size);
      // What a silent node does is not known.
      if (!agents_.silent().empty()) return say_silent("--hang-after");
      if (size_ > 0 && stillness_.notices(std::move(seen), static_cast<std::size_t>(size_)))
        report(order_.hang_after);
    } catch (const std::exception& problem) {
      say_once(fmt::format("--hang-after cannot see the ranks: {}", problem.what()));
      look_at_ = watch_clock::now() + between_attempts;
    }
  }

  /// A rank that was there and is not any more, on a node that answers, has ended.
  job_snapshot with_ended(job_snapshot seen) {
    for (const shown_rank& each : seen.ranks) known_[each.rank] = each.host;
    for (const auto& [rank, host] : known_)
      if (seen.find(rank) == nullptr && !agents_.silent().contains(host)) {
        shown_rank& made = seen.at(rank);
        made.ended = "exited, with a code that only Slurm knows";
        made.host = host;
        seen.size = std::max(seen.size, size_);
      }
    return seen;
  }

  void say_silent(const std::string& who) {
    say_once(fmt::format("{} lacks the ranks of {}, which {} not answer", who,
                         fmt::join(agents_.silent(), ", "),
                         agents_.silent().size() == 1 ? "does" : "do"));
  }

  void report(double seconds) {
    try {
      have_agents();
      report_order how{0, seconds, {}, {}};
      if (seconds > 0)
        for (const shown_rank& each : stillness_.last().ranks)
          if (each.quiet) how.quiet[each.rank] = *each.quiet;
      const job_snapshot before = with_ended(largest_of(agents_.shown(ask_look)));
      std::this_thread::sleep_for(between_looks);
      job_snapshot now = with_ended(largest_of(agents_.shown(ask_calls)));
      if (now.ranks.empty()) return say("no rank of this job that uses peal is seen on its nodes");
      for (const shown_rank& each : now.ranks)
        if (!each.ended.empty()) how.ended[each.rank] = each.ended;
      const std::string text =
          whole_report(std::move(now), before, std::chrono::duration<double>{between_looks}.count(),
                       how, [&](const shown_rank& of) { return agents_.stack_of(of); });
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
      if (!agents_.silent().empty()) say_silent("this report");
    } catch (const std::exception& problem) {
      say(fmt::format("what the ranks do cannot be seen: {}", problem.what()));
    }
  }

  void collect() {
    try {
      if (!agents_.running())
        throw std::runtime_error{"the step that looks at the ranks has ended before them"};
      compare(many_questions);
      file_writer files{order_.here};
      std::map<int, std::string> nodes;
      agents_.ask(ask_files, file_patience, [&](const std::string& node, const std::string& piece) {
        if (!piece.empty()) nodes[rank_of_file(files.put(piece))] = node;
      });
      std::ofstream{order_.here + "/clocks"} << text_of(clocks_);
      std::ofstream list{order_.here + "/nodes"};
      for (const auto& [rank, node] : nodes) list << rank << ' ' << node << '\n';
      if (!list.flush()) throw std::runtime_error{order_.here + " cannot be written"};
      std::string missing;
      // Those that were there before have taken along what lay in their folders.
      if (starts_ > 1)
        missing = "what the ranks had noted before the step that looks at them was ended by others";
      else if (!agents_.silent().empty())
        missing = fmt::format("what the ranks of {} have noted", fmt::join(agents_.silent(), ", "));
      tell(missing.empty() ? std::string{told_collected} : told_missing + missing);
    } catch (const std::exception& problem) {
      tell(std::string{told_failed} + problem.what());
    }
  }

  watch_order order_;
  node_agents agents_;
  stillness stillness_;
  node_clocks clocks_;
  std::map<int, std::string> known_;  // ranks, and where they are
  int size_ = 0;                      // of the job
  int starts_ = 0;                    // of agents
  std::set<std::string> said_;
  std::optional<watch_clock::time_point> look_at_;
  watch_clock::time_point clocks_at_{};
  std::string orders_;
  bool over_ = false;
};

}  // namespace

std::string watch_order::text() const {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n", step, job, hang_after, on_nodes, here);
}

watch_order watch_order::from(const std::string& text) {
  watch_order made;
  std::istringstream lines{text};
  std::string number;
  for (std::string* each : {&made.step, &made.job, &number, &made.on_nodes, &made.here})
    std::getline(lines, *each);
  made.hang_after = std::strtod(number.c_str(), nullptr);
  return made;
}

int watch_nodes(const std::string& order) {
  ::signal(SIGPIPE, SIG_IGN);
  watch{watch_order::from(order)}.run();
  return 0;
}

}  // namespace peal::launcher
