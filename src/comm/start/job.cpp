#include "comm/start/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "base/error_text.hpp"
#include "base/log.hpp"
#include "base/uncaught.hpp"
#include "base/variables.hpp"
#include "collective/choice/cost_basis.hpp"
#include "collective/choice/tuning.hpp"
#include "comm/counters_text.hpp"
#include "comm/start/agreement.hpp"
#include "comm/start/lane_count.hpp"
#include "comm/start/node_exchange.hpp"
#include "comm/start/node_list.hpp"
#include "comm/start/spin_bounds.hpp"
#include "peal/error.hpp"
#include "record/recorder.hpp"
#include "topology/machine.hpp"

namespace peal {

namespace {

constexpr std::uint32_t world_context = 0;

/// A rank that does not get further than this is missed by the others all the same.
job_settings read_settings() {
  try {
    return job_settings::from_environment();
  } catch (const std::exception& problem) {
    try {
      bootstrap_client missed;
      if (!missed.alone()) set_log_rank(missed.rank());
      missed.refuse(plain_text_of(problem));
    } catch (const error& unmet) {
      log_info("the other ranks cannot be told that this one does not start: {}", unmet.what());
    }
    throw;
  }
}

}  // namespace

job* job::current_ = nullptr;
lane* job::unlocked_ = nullptr;
lane* job::shortest_ = nullptr;
lane* job::biased_ = nullptr;

job& job::start(const detail::job_options& options, const detail::location& where) {
  if (current_ != nullptr)
    throw error(errc::already_started,
                std::string{current_->alive_ ? "this process has" : "this process had"} +
                    " a peal::environment already; there can be one in the life of a process",
                -1, where);
  tell_of_uncaught_errors();
  try {
    job_settings settings = read_settings();
    set_log_level(settings.log);
    watch_forks([] {
      unlocked_ = shortest_ = biased_ = nullptr;
      record::recorder::forget();
      detail::calls_are_recorded = false;
    });
    current_ = new job(std::move(settings), options);  // never deleted: see the header
  } catch (const error& inside) {
    throw placed_at(inside, where);
  }
  current_->alive_ = true;
  current_->page_.enter(state::phase::running);
  if (current_->settings.async) current_->start_helper();
  if (lane& first = current_->first_lane(); !first.progress.shared()) unlocked_ = &first;
  else if (first.progress.biased()) biased_ = &first;
  current_->start_recorder();
  if (record::recorder::active() == nullptr) shortest_ = unlocked_;
  return *current_;
}

void job::start_recorder() const {
  const record_settings& wanted = settings.record;
  if (wanted.folder == "none") return;
  record::recorder::open({.folder = wanted.folder,
                          .events = wanted.events,
                          .rank = bootstrap_.rank(),
                          .ranks = bootstrap_.size(),
                          .threads = threads_ || settings.async});
  detail::calls_are_recorded = record::recorder::active() != nullptr;
}

void job::end_recorder() noexcept {
  record::recorder* const to = record::recorder::active();
  if (to == nullptr) return;
  std::string lines;
  for (const counter& each : counted())
    lines += fmt::format("{}\t{}\t{}\n", each.name, each.value, each.meaning);
  to->close(lines);
  detail::calls_are_recorded = false;
}

void job::start_helper() {
  try {
    // It gives way between turns: the core that it is on may be needed by the very rank that it
    // waits for.
    helper_.emplace(first_lane().progress, wait_policy{wait_mode::adaptive, true});
    page_.has_helper();
  } catch (const std::system_error& refused) {
    log_warning("PEAL_ASYNC=1: no helper thread: {}; messages move only during calls",
                refused.what());
    return;
  }
  // A program may leave by exit() while the job runs; then nothing may use what static objects own
  // any more.
  std::atexit([] {
    if (!forked_child()) current_->helper_->stop();
  });
}

job::job(job_settings read, const detail::job_options& options)
    : settings{std::move(read)},
      threads_{options.threads},
      page_{bootstrap_.job_name(), bootstrap_.rank(), bootstrap_.size()},
      common_{settings, bootstrap_} {
  common_.page = &page_;
  set_log_rank(bootstrap_.alone() ? -1 : bootstrap_.rank());
  if (bootstrap_.rank() == 0)  // once: one rank warns of unknown names
    for (const std::string& each : unknown_variables()) log_warning("{}", each);
  common_.on_node.resize(static_cast<std::size_t>(bootstrap_.size()));
  for (const int rank : bootstrap_.local_ranks()) {
    common_.node.push_back(static_cast<peer_id>(rank));
    common_.on_node[static_cast<std::size_t>(rank)] = true;
  }
  common_.ring_all = [this] {
    for (const auto& each : lanes_) each->progress.waking().ring();
  };
  lanes_.push_back(std::make_unique<lane>(common_, options.threads));
  bell_ = first_lane().progress.waking().address();
  if (size() > 1) join_node(options.threads);
  // Only now that all ranks have been found to have the same settings: this ends them all.
  if (common_.several_nodes() && settings.transport == transport_mode::shm)
    throw error(errc::invalid_config,
                fmt::format("rank {} runs on another node, and PEAL_TRANSPORT=shm reaches only "
                            "ranks of the own node",
                            std::find(common_.on_node.begin(), common_.on_node.end(), false) -
                                common_.on_node.begin()));
  add_lanes(options.threads);
  set_waits();
  for (std::size_t each = 0; each < lanes_.size(); ++each)
    lanes_[each]->open(each < segments_.size() ? &segments_[each] : nullptr, lanes_.size());
  bootstrap_.on_death(common_.ring_all);
  std::vector<peer_id> everyone(static_cast<std::size_t>(bootstrap_.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  world_ = std::make_unique<detail::communicator_state>(
      team{world_context, bootstrap_.rank(), std::move(everyone)}, first_lane());
  if (size() > 1)
    for (const auto& each : lanes_) each->watch(*world_, !options.threads);
  first_lane().on_failure.emplace(first_lane().progress, common_.failures);
}

/// Over RDMA only where they are asked for.
bool job::may_have_lanes() const {
  return settings.lanes.has_value() ||
         (!common_.several_nodes() && settings.transport != transport_mode::verbs);
}

/// All ranks of all nodes take part, those that are alone on a node with nothing to share.
void job::join_node(bool threads) {
  node_exchange exchange{bootstrap_, settings, common_.node};
  std::vector<node_segment*> mine;
  std::size_t wanted = 1;
  std::string costs;
  common_.start_with([&] {
    if (exchange.shares()) mine.push_back(&segments_.emplace_back(exchange.plan_for(0)));
    wanted = lane_count_wanted(settings, threads && may_have_lanes());
    // One rank reads the tuning file, and tells all what it holds: other ranks might find another
    // file.
    costs = cost_note(bootstrap_.cores(),
                      bootstrap_.rank() == 0 ? tuned_costs(settings.tuning) : std::nullopt);
  });
  // Ranks that do not talk through shared memory gain nothing from being on one node.
  const bool apart = settings.transport == transport_mode::verbs;
  const peer_id first = apart ? static_cast<peer_id>(bootstrap_.rank()) : common_.node.front();
  rank_place place;
  if (cpu_mask mine_to_use; mine_to_use.read(0))
    place = common_.between_cores.place_of(mine_to_use);
  const std::string note = fmt::format("{}|{}|{}|{}|{}", wanted, first, place_note(place), costs,
                                       settings_to_agree_on(settings));
  const bool shared = exchange.agree_on(mine, note, [this](const auto& noted) {
    std::vector<std::optional<std::string>> told = noted;
    lane_count_ = take_lane_count(told);
    common_.nodes = take_nodes(told);
    common_.places = take_places(told);
    common_.basis = take_cost_notes(told);
    if (const std::string problem = disagreement(told); !problem.empty())
      throw error(errc::invalid_config, problem);
  });
  if (!shared) segments_.clear();
  if (!segments_.empty()) heap.emplace(segments_.front());
}

/// The other lanes, in a job of several ranks after all ranks have said how many there are to be.
/// They have segments of their own, without a heap.
void job::add_lanes(bool threads) {
  if (size() == 1) lane_count_ = lane_count_wanted(settings, threads && may_have_lanes());
  if (lane_count_ == 1) return;
  if (size() > 1) {
    node_exchange exchange{bootstrap_, settings, common_.node};
    std::vector<node_segment*> mine;
    common_.start_with([&] {
      for (std::size_t each = 1; !segments_.empty() && each < lane_count_; ++each)
        mine.push_back(&segments_.emplace_back(exchange.plan_for(each)));
    });
    if (!exchange.agree_on(mine, {}, [](const auto&) {}))
      while (segments_.size() > 1) segments_.pop_back();
  }
  while (lanes_.size() < lane_count_) lanes_.push_back(std::make_unique<lane>(common_, threads));
  for (const auto& each : lanes_) family_.add(each->progress);
}

/// How waits wait: by the cores that the ranks of this node have, now and later.
void job::set_waits() {
  std::vector<pid_t> pids;
  if (!segments_.empty()) {
    const node_segment& shared = segments_.front();
    for (int each = 0; each < shared.count(); ++each)
      pids.push_back(shared.knows_by_id(each) ? static_cast<pid_t>(shared.card(each).pid)
                                              : core_sharing::unknown);
  }
  const auto how = settings.wait.mode;
  std::optional<wait_policy::bounds> spin;
  for (const auto& each : lanes_) {
    // One an engine, which asks it under its own lock.
    core_sharing& seen = core_sharing_.emplace_back(pids, ::getpid(), bootstrap_.cores());
    common_.oversubscribed = seen.oversubscribed();
    // With fewer cores than ranks nothing is spun for, and a measurement would be one of the other
    // processes that run.
    if (!spin) {
      const bool measures = how == wait_mode::adaptive && !common_.oversubscribed;
      // A question to the system for each rank, so asked only where it is needed.
      spin = spin_bounds(settings.wait, measures, measures ? seen.cores_of_others() : cpu_mask{});
    }
    each->progress.set_policies(wait_policy{how, false, *spin}, wait_policy{how, true, *spin}, seen,
                                core_time_.emplace_back(pids, ::getpid()));
  }
}

void job::refuse(const detail::location& where) {
  if (current_ != nullptr && forked_child())
    throw error(errc::not_started, "this process was forked from a rank, and is none itself", -1,
                where);
  throw error(errc::not_started,
              current_ == nullptr ? "no peal::environment has been made yet"
                                  : "the peal::environment has ended",
              -1, where);
}

// By the turn in which the context was dealt, so that one after the other they go round the lanes.
lane& job::lane_of(std::uint32_t context) noexcept {
  const std::size_t group = context / contexts_of_one;
  return group == 0 ? first_lane()
                    : *lanes_[((group - 1) / static_cast<std::size_t>(size()) + 1) % lanes_.size()];
}

lane& job::lane_of(const detail::operation& of) noexcept {
  if (of.members != nullptr)
    return static_cast<const detail::communicator_state*>(of.members)->home;
  for (const auto& each : lanes_)
    if (&*each->messages == of.home) return *each;
  return first_lane();
}

void job::release(detail::communicator_state& gone) noexcept {
  // The world stays, for handles that outlive the environment.
  if (&gone != world_.get()) gone.home.release(gone);
}

/// Continuations may still start something, and, with threads, one that has not heard of the end:
/// it gets some time.
void job::begin_end() noexcept {
  const auto since =
      threads_ ? std::chrono::steady_clock::now() + lane::shutdown_grace : engine::deadline::min();
  common_.at_rest = [this, since] {
    return std::ranges::all_of(lanes_, [](const auto& each) { return each->at_rest(); }) &&
           (since == engine::deadline::min() || std::chrono::steady_clock::now() >= since);
  };
}

/// Whether the program has closed descriptors that are not its own. Then PMIx has lost its
/// connection, most likely, and would not say so: the others see that this rank leaves.
bool job::lost_descriptors() noexcept {
  if (first_lane().progress.waking().address() == bell_) return false;
  log_error(
      "descriptors that peal has opened were closed by the program, so this rank leaves without "
      "waiting for the others");
  bootstrap_.abandon();
  return true;
}

void job::end(bool at_once) noexcept {
  if (helper_) helper_->stop();
  page_.enter(state::phase::ending);
  bool failed = at_once;
  if (!at_once) {
    begin_end();
    for (const auto& each : lanes_) each->finish();
    const auto limit = std::chrono::steady_clock::now() + lane::shutdown_grace;
    const auto go_on = [&] {
      // Another rank may wait for this one to take a message that this program will not ask for.
      const bool late = std::chrono::steady_clock::now() >= limit;
      for (const auto& each : lanes_) each->turn(late);
      return common_.failures.count() == 0 && !common_.left;
    };
    failed = common_.failures.count() != 0 || common_.left || lost_descriptors() ||
             !bootstrap_.fence(go_on);
    for (const auto& each : lanes_) each->run_deferred();
  }
  alive_ = false;
  unlocked_ = shortest_ = biased_ = nullptr;
  page_.enter(state::phase::ended);
  end_recorder();
  for (const auto& each : lanes_) each->leave(failed && !at_once);
  if (settings.stats) {
    const std::string text = counters_text(counted(), bootstrap_.rank());
    // Whole, so that ranks do not mix.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }
  for (const auto& each : lanes_) each->close();
  bootstrap_.finish(failed);
}

std::vector<counter> job::counted() {
  std::vector<counter> all;
  for (const auto& each : lanes_) {
    std::vector<counter> more;
    each->report(more);
    add_counters(all, more);
  }
  if (lanes_.size() > 1)
    all.push_back({"lanes", lanes_.size(), "lanes that communicators are dealt among"});
  return all;
}

void job::abort(int code, const char* why) noexcept {
  bootstrap_.abort(code, why);
  _exit(code);
}

}  // namespace peal
