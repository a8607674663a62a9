#include "comm/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "base/error_text.hpp"
#include "base/log.hpp"
#include "comm/agreement.hpp"
#include "comm/counters_text.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"

namespace peal {

namespace {

constexpr std::uint32_t world_context = 0;

/// Bounds of how long to spin, as they are set, or as they are measured where `measures` says that they matter now.
wait_policy::bounds spin_bounds(const config& settings, bool measures) {
  const auto set = [&](const char* name, std::chrono::nanoseconds measured) {
    if (settings.text(name) == "auto") return measured;
    double microseconds = 0;
    const std::string_view text = settings.text(name);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), microseconds);
    if (failed != std::errc{} || end != text.data() + text.size() || !(microseconds >= 0 && microseconds <= 1e6))
      throw error(errc::invalid_config, fmt::format("{}={}: allowed is auto, or a number of microseconds in 0..1000000", name, text));
    return std::chrono::nanoseconds{static_cast<std::int64_t>(microseconds * 1000)};
  };
  measures = measures && (settings.text("PEAL_WAIT_LEAST") == "auto" || settings.text("PEAL_WAIT_MOST") == "auto");
  const auto cost = measures ? measured_cost_of_waking() : wait_policy::usual.least;
  const auto least = set("PEAL_WAIT_LEAST", cost);
  return {least, std::max(least, set("PEAL_WAIT_MOST", 2 * cost))};
}

std::size_t index_of(const std::vector<int>& ranks, int rank) {
  return static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

job* job::current_ = nullptr;
lane* job::unlocked_ = nullptr;
lane* job::biased_ = nullptr;

job& job::start(const detail::job_options& options, const detail::location& where) {
  if (current_ != nullptr)
    throw error(errc::already_started,
                std::string{current_->alive_ ? "this process has" : "this process had"} +
                    " a peal::environment already; there can be one in the life of a process",
                -1, where);
  try {
    config settings = config::from_environment(false);
    set_log_level(log_level_from(settings.text("PEAL_LOG")));
    watch_forks([] { unlocked_ = biased_ = nullptr; });
    current_ = new job(std::move(settings), options);  // never deleted: see the header
  } catch (const error& inside) {
    throw placed_at(inside, where);
  }
  current_->alive_ = true;
  if (current_->settings.text("PEAL_ASYNC") == "1") current_->start_helper();
  if (lane& first = current_->first_lane(); !first.progress.shared()) unlocked_ = &first;
  else if (first.progress.biased()) biased_ = &first;
  return *current_;
}

void job::start_helper() {
  try {
    // It gives way between turns: the core that it is on may be needed by the very rank that it waits for.
    helper_.emplace(first_lane().progress, wait_policy{wait_policy::mode::adaptive, true});
  } catch (const std::system_error& refused) {
    log_warning("PEAL_ASYNC=1: no helper thread: {}; messages move only during calls", refused.what());
    return;
  }
  // A program may leave by exit() while the job runs; then nothing may use what static objects own any more.
  std::atexit([] {
    if (!forked_child()) current_->helper_->stop();
  });
}

job::job(config read, const detail::job_options& options) : settings{std::move(read)}, around_{settings, bootstrap_} {
  set_log_rank(bootstrap_.alone() ? -1 : bootstrap_.rank());
  if (bootstrap_.rank() == 0) config::from_environment(true);  // once: one rank warns of names that nobody knows
  around_.on_node.resize(static_cast<std::size_t>(bootstrap_.size()));
  for (const int rank : bootstrap_.local_ranks()) {
    around_.node.push_back(static_cast<peer_id>(rank));
    around_.on_node[static_cast<std::size_t>(rank)] = true;
  }
  around_.ring_all = [this] {
    for (const auto& each : lanes_) each->progress.waking().ring();
  };
  lanes_.push_back(std::make_unique<lane>(around_, options.threads));
  if (size() > 1) join_node();
  // Only now that all ranks have been found to have the same settings: this ends them all.
  if (around_.several_nodes() && settings.text("PEAL_TRANSPORT") == "shm")
    throw error(errc::invalid_config,
                fmt::format("rank {} runs on another node, and PEAL_TRANSPORT=shm reaches only ranks of the own node",
                            std::find(around_.on_node.begin(), around_.on_node.end(), false) - around_.on_node.begin()));
  set_waits();
  first_lane().open(segment_ ? &*segment_ : nullptr);
  bootstrap_.on_death(around_.ring_all);
  std::vector<peer_id> everyone(static_cast<std::size_t>(bootstrap_.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  world_ = std::make_unique<detail::communicator_state>(world_context, bootstrap_.rank(), std::move(everyone), first_lane());
}

// Every process of a node must have mapped the same file: one of that name may be left from a job that was killed. All ranks of all nodes
// take part in the exchange, those that are alone on a node with nothing to say.
void job::join_node() {
  const std::vector<peer_id>& node = around_.node;
  const bool shares = node.size() > 1;
  segment_plan plan;
  if (shares) {
    plan.directory = settings.text("PEAL_SHM_DIR");
    plan.job_name = bootstrap_.job_name();
    plan.index = static_cast<int>(index_of(bootstrap_.local_ranks(), bootstrap_.rank()));
    plan.count = static_cast<int>(node.size());
    plan.front_bytes = shm_transport::front_bytes();
    plan.transport_bytes = shm_transport::transport_bytes(plan.count);
    plan.heap_bytes = settings.bytes("PEAL_SHM_HEAP");
    plan.maker_died = [this, &node] { return bootstrap_.knows_of_death(static_cast<int>(node.front())); };
    plan.readable_by_peers = settings.text("PEAL_SHM_COPY") != "pipeline";
    segment_.emplace(plan);
  }
  // What a rank tells: the first rank of its node, and what it has seen; the first time also its settings. Nothing comes from a rank that
  // died meanwhile: the others go on, and what they send to it fails.
  const auto told = [&] { return fmt::format("{}:{}", node.front(), shares ? segment_->nonce() : 0); };
  const auto node_of = [](const std::string& text) { return std::atoi(text.c_str()); };
  const auto reference = [&](const std::vector<std::string>& seen, const std::string& of) -> const std::string& {
    return *std::find_if(seen.begin(), seen.end(), [&](const std::string& each) { return !each.empty() && node_of(each) == node_of(of); });
  };
  const auto stranger = [&](const std::vector<std::string>& seen) {  // on any node, so that every rank finds the same
    const bool some_died = bootstrap_.knows_of_death();
    const auto strange = [&](const std::string& each) { return each.empty() ? !some_died : each != reference(seen, each); };
    const auto found = std::find_if(seen.begin(), seen.end(), strange);
    return found == seen.end() ? -1 : static_cast<int>(found - seen.begin());
  };
  std::vector<std::string> seen = bootstrap_.exchange("peal.segment", told() + "|" + settings_to_agree_on(settings));
  agree(seen);
  if (stranger(seen) >= 0) {
    const std::string& mine = seen[static_cast<std::size_t>(bootstrap_.rank())];
    if (shares && mine != reference(seen, mine)) segment_->reopen();
    seen = bootstrap_.exchange("peal.segment.again", told());
    if (const int rank = stranger(seen); rank >= 0 && bootstrap_.knows_of_death())
      throw error(errc::peer_failed, fmt::format("a rank died while the job started, and rank {} did not come to meet the others", rank),
                  rank);
    else if (rank >= 0)
      throw error(errc::bootstrap_failed, fmt::format("the ranks of a node do not see the same {}: do they run in containers of their own? "
                                                      "Share that folder, or set PEAL_SHM_DIR to one that they share",
                                                      settings.text("PEAL_SHM_DIR")));
  }
  if (!shares) return;
  segment_->unlink();
  heap.emplace(*segment_);
}

/// How waits wait: by the cores that the ranks of this node have, now and later.
void job::set_waits() {
  std::vector<pid_t> pids;
  if (segment_)
    for (int each = 0; each < segment_->count(); ++each) pids.push_back(static_cast<pid_t>(segment_->card(each).pid));
  const auto how = wait_policy::mode_from(settings.text("PEAL_WAIT"));
  std::optional<wait_policy::bounds> spin;
  for (const auto& each : lanes_) {
    crowd& seen = crowds_.emplace_back(pids, ::getpid(), bootstrap_.cores());  // one an engine, which asks it under its own lock
    around_.crowded = seen.crowded();
    // With fewer cores than ranks nothing is spun for, and a measurement would be of who else runs.
    if (!spin) spin = spin_bounds(settings, how == wait_policy::mode::adaptive && !around_.crowded);
    each->progress.set_policies(wait_policy{how, false, *spin}, wait_policy{how, true, *spin}, seen);
  }
}

/// Takes the settings off what ranks told. Everyone sees the same, and so ends in the same way.
void job::agree(std::vector<std::string>& told) {
  std::vector<std::optional<std::string>> settings_of(told.size());
  for (std::size_t each = 0; each < told.size(); ++each) {
    const std::size_t end = told[each].find('|');
    if (end == std::string::npos) continue;  // of one who died
    settings_of[each] = told[each].substr(end + 1);
    told[each].resize(end);
  }
  if (const std::string problem = disagreement(settings_of); !problem.empty()) throw error(errc::invalid_config, problem);
}

void job::refuse(const detail::location& where) {
  if (current_ != nullptr && forked_child())
    throw error(errc::not_started, "this process was forked from a rank, and is none itself", -1, where);
  throw error(errc::not_started, current_ == nullptr ? "no peal::environment has been made yet" : "the peal::environment has ended", -1,
              where);
}

std::uint32_t job::new_context(const detail::location& where) {
  // Groups of four contexts (team.hpp, two_steps.hpp) are dealt out to the processes in turn: group 0 is the world's, then one each, then
  // the second each...
  const std::uint64_t turn = contexts_given_.fetch_add(1, std::memory_order_relaxed);  // threads make communicators side by side
  const std::uint64_t group = 1 + static_cast<std::uint64_t>(bootstrap_.rank()) + turn * static_cast<std::uint64_t>(bootstrap_.size());
  if (group > std::numeric_limits<std::uint32_t>::max() / 4)
    throw error(errc::no_space, "this job has made as many communicators as it may", -1, where);
  return static_cast<std::uint32_t>(4 * group);
}

lane& job::lane_of(std::uint32_t) noexcept { return first_lane(); }

lane& job::lane_of(const detail::operation& of) noexcept {
  if (of.members != nullptr) return static_cast<const detail::communicator_state*>(of.members)->home;
  for (const auto& each : lanes_)
    if (&*each->messages == of.home) return *each;
  return first_lane();
}

void job::release(detail::communicator_state& gone) noexcept {
  if (&gone != world_.get()) gone.home.release(gone);  // the world stays, for handles that outlive the environment
}

void job::end(bool at_once) noexcept {
  if (helper_) helper_->stop();
  bool failed = at_once;
  if (!at_once) {
    for (const auto& each : lanes_) each->finish();
    const auto limit = std::chrono::steady_clock::now() + lane::courtesy;
    const auto go_on = [&] {
      // Another rank may wait for this one to take what nobody here will ask for.
      const bool late = std::chrono::steady_clock::now() >= limit;
      for (const auto& each : lanes_) each->turn(late);
    };
    failed = around_.gone.count() != 0 || !bootstrap_.fence(go_on);
    for (const auto& each : lanes_) each->run_deferred();
  }
  alive_ = false;
  unlocked_ = biased_ = nullptr;
  for (const auto& each : lanes_) each->leave(failed && !at_once);
  if (settings.text("PEAL_STATS") == "1") {
    const std::string text = counters_text(counted(), bootstrap_.rank());
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());  // whole, so that ranks do not mix
  }
  for (const auto& each : lanes_) each->close();
  bootstrap_.finish(failed);
}

std::vector<counter> job::counted() {
  std::vector<counter> all;
  for (const auto& each : lanes_) each->report(all);
  return all;
}

void job::abort(int code, const char* why) noexcept {
  bootstrap_.abort(code, why);
  _exit(code);
}

}  // namespace peal
