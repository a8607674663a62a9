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
job* job::unlocked_ = nullptr;

job& job::start(const detail::job_options& options, const detail::location& where) {
  if (current_ != nullptr)
    throw error(errc::already_started,
                std::string{current_->alive_ ? "this process has" : "this process had"} +
                    " a peal::environment already; there can be one in the life of a process",
                -1, where);
  try {
    config settings = config::from_environment(false);
    set_log_level(log_level_from(settings.text("PEAL_LOG")));
    watch_forks([] { unlocked_ = nullptr; });
    current_ = new job(std::move(settings), options, where);  // never deleted: see the header
  } catch (const error& inside) {
    throw placed_at(inside, where);
  }
  current_->alive_ = true;
  if (current_->settings.text("PEAL_ASYNC") == "1") current_->start_helper();
  if (!current_->progress.shared()) unlocked_ = current_;
  return *current_;
}

void job::start_helper() {
  try {
    helper_.emplace(progress, wait_policy{wait_policy::mode::adaptive, around_->crowded()});
  } catch (const std::system_error& refused) {
    log_warning("PEAL_ASYNC=1: no helper thread: {}; messages move only during calls", refused.what());
    return;
  }
  // A program may leave by exit() while the job runs; then nothing may use what static objects own any more.
  std::atexit([] {
    if (!forked_child()) current_->helper_->stop();
  });
}

job::job(config read, const detail::job_options& options, const detail::location&)
    : settings{std::move(read)}, progress{options.threads}, on_node_(static_cast<std::size_t>(bootstrap_.size())) {
  set_log_rank(bootstrap_.alone() ? -1 : bootstrap_.rank());
  if (bootstrap_.rank() == 0) config::from_environment(true);  // once: one rank warns of names that nobody knows
  bootstrap_.on_death([bell = &progress.waking()] { bell->ring(); });
  for (const int rank : bootstrap_.local_ranks()) {
    node_.push_back(static_cast<peer_id>(rank));
    on_node_[static_cast<std::size_t>(rank)] = true;
  }
  several_nodes_ = node_.size() < on_node_.size();
  if (several_nodes_ && settings.text("PEAL_TRANSPORT") == "shm")
    throw error(errc::invalid_config, fmt::format("rank {} runs on another node, and PEAL_TRANSPORT=shm reaches only ranks of the own node",
                                                  std::find(on_node_.begin(), on_node_.end(), false) - on_node_.begin()));
  if (on_node_.size() > 1) join_node();
  set_waits();
  make_transports();
  std::vector<peer_id> everyone(static_cast<std::size_t>(bootstrap_.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  world_ = std::make_unique<detail::communicator_state>(world_context, bootstrap_.rank(), std::move(everyone), *together);
}

// Every process of a node must have mapped the same file: one of that name may be left from a job that was killed. All ranks of all nodes
// take part in the exchange, those that are alone on a node with nothing to say.
void job::join_node() {
  const bool shares = node_.size() > 1;
  segment_plan plan;
  if (shares) {
    plan.directory = settings.text("PEAL_SHM_DIR");
    plan.job_name = bootstrap_.job_name();
    plan.index = static_cast<int>(index_of(bootstrap_.local_ranks(), bootstrap_.rank()));
    plan.count = static_cast<int>(node_.size());
    plan.front_bytes = shm_transport::front_bytes();
    plan.transport_bytes = shm_transport::transport_bytes(plan.count);
    plan.heap_bytes = settings.bytes("PEAL_SHM_HEAP");
    plan.maker_died = [this] { return bootstrap_.knows_of_death(static_cast<int>(node_.front())); };
    plan.readable_by_peers = settings.text("PEAL_SHM_COPY") != "pipeline";
    segment_.emplace(plan);
  }
  // What a rank tells: the first rank of its node, and what it has seen; the first time also its settings. Nothing comes from a rank that
  // died meanwhile: the others go on, and what they send to it fails.
  const auto told = [&] { return fmt::format("{}:{}", node_.front(), shares ? segment_->nonce() : 0); };
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
  around_.emplace(std::move(pids), ::getpid(), bootstrap_.cores());
  const auto how = wait_policy::mode_from(settings.text("PEAL_WAIT"));
  // With fewer cores than ranks nothing is spun for, and a measurement would be of who else runs.
  const auto spin = spin_bounds(settings, how == wait_policy::mode::adaptive && !around_->crowded());
  progress.set_policies(wait_policy{how, false, spin}, wait_policy{how, true, spin}, *around_);
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

void job::make_transports() {
  messaging_options options;
  options.self = static_cast<peer_id>(bootstrap_.rank());
  options.peers = static_cast<std::uint32_t>(bootstrap_.size());
  options.eager_limit = settings.bytes("PEAL_EAGER_LIMIT");
  options.unexpected_limit = settings.bytes("PEAL_UNEXPECTED_LIMIT");
  messages.emplace(progress, static_cast<router&>(*this), options);  // the base is private to others
  self_.emplace(*messages, options.self, &progress.waking());
  messages->add(*self_);
  const bool only_verbs = settings.text("PEAL_TRANSPORT") == "verbs";
  if (segment_ && !only_verbs) {
    const std::string_view copy = settings.text("PEAL_SHM_COPY");
    shm_settings shm;
    shm.copy = copy == "direct" ? shm_copy::direct : copy == "pipeline" ? shm_copy::pipeline : shm_copy::automatic;
    shm.crowded = around_->crowded();
    shm.bell = &progress.waking();
    shm_.emplace(*segment_, *messages, node_, shm);
    messages->add(*shm_);
  }
  if (several_nodes_ || only_verbs) make_verbs();
  together.emplace(*messages, settings);
  progress.add(*this, engine::rate::sometimes);
}

void job::make_verbs() {
  verbs_settings verbs;
  verbs.device = settings.text("PEAL_VERBS_DEVICE");
  if (const std::string_view gid = settings.text("PEAL_VERBS_GID"); gid != "auto") {
    const auto [end, failed] = std::from_chars(gid.data(), gid.data() + gid.size(), verbs.gid);
    if (failed != std::errc{} || end != gid.data() + gid.size() || verbs.gid < 0)
      throw error(errc::invalid_config, fmt::format("PEAL_VERBS_GID={}: allowed is auto, or an index into the port's GID table", gid));
  }
  verbs.local_index = static_cast<unsigned>(index_of(bootstrap_.local_ranks(), bootstrap_.rank()));
  verbs.local_size = static_cast<unsigned>(node_.size());
  verbs.bulk = static_cast<unsigned>(settings.count("PEAL_VERBS_QPS"));
  verbs.coalesce = settings.text("PEAL_VERBS_COALESCE") == "on";
  verbs.shared_receives = settings.text("PEAL_VERBS_SRQ") == "on";
  verbs.cache_registrations = settings.text("PEAL_VERBS_REGISTRATION_CACHE") == "on";
  verbs.rendezvous = settings.text("PEAL_VERBS_RENDEZVOUS");
  verbs.push = settings.bytes("PEAL_VERBS_PUSH");
  verbs.promote = static_cast<std::uint32_t>(settings.count("PEAL_VERBS_PROMOTE"));
  verbs.always_promote = settings.is_set("PEAL_VERBS_PROMOTE");
  verbs.most_connections = static_cast<std::uint32_t>(settings.count("PEAL_VERBS_MAX_RC"));
  verbs.bell = &progress.waking();
  verbs.silence = settings.seconds("PEAL_VERBS_TIMEOUT");
  verbs_.emplace(*messages, machine{}, static_cast<peer_id>(bootstrap_.rank()), static_cast<std::uint32_t>(bootstrap_.size()), verbs);
  verbs_->meet(bootstrap_.exchange("peal.verbs", verbs_->address()));
  messages->add(*verbs_);
  postings_.emplace(progress, *messages, *verbs_);
}

void job::refuse(const detail::location& where) {
  if (current_ != nullptr && forked_child())
    throw error(errc::not_started, "this process was forked from a rank, and is none itself", -1, where);
  throw error(errc::not_started, current_ == nullptr ? "no peal::environment has been made yet" : "the peal::environment has ended", -1,
              where);
}

transport& job::route(peer_id to) noexcept {
  if (to == static_cast<peer_id>(bootstrap_.rank())) return *self_;
  if (shm_ && on_node_[to]) return *shm_;
  return *verbs_;  // the constructor has seen to it that it is there when anybody is elsewhere
}

bool job::poll() noexcept {
  const std::vector<int> dead = bootstrap_.failures();
  for (const int rank : dead) {
    log_info("rank {} has died", rank);
    failed(static_cast<peer_id>(rank));
  }
  const std::vector<peer_id> lost = verbs_ ? verbs_->lost() : std::vector<peer_id>{};
  for (const peer_id each : lost) failed(each);
  if (!saw_failure_) [[likely]]
    return false;
  // After a failure ranks leave without waiting for each other, and what is pending to one that has left would never end.
  for (peer_id each = 0; each < static_cast<peer_id>(size()); ++each) {
    if (messages->has_failed(each) || each == static_cast<peer_id>(bootstrap_.rank()) || !route(each).has_left(each)) continue;
    log_info("rank {} has left the job", each);
    messages->peer_left(each);
    together->peer_failed(each);
  }
  return !dead.empty() || !lost.empty();
}

void job::failed(peer_id gone) noexcept {
  saw_failure_ = true;
  messages->peer_failed(gone);
  together->peer_failed(gone);
}

std::uint32_t job::new_context(const detail::location& where) {
  // Groups of four contexts (team.hpp, two_steps.hpp) are dealt out to the processes in turn: group 0 is the world's, then one each, then
  // the second each...
  const std::lock_guard<engine> guard{progress};  // threads make communicators side by side
  const std::uint64_t group =
      1 + static_cast<std::uint64_t>(bootstrap_.rank()) + std::uint64_t{contexts_given_} * static_cast<std::uint64_t>(bootstrap_.size());
  if (group > std::numeric_limits<std::uint32_t>::max() / 4)
    throw error(errc::no_space, "this job has made as many communicators as it may", -1, where);
  ++contexts_given_;
  return static_cast<std::uint32_t>(4 * group);
}

void job::release(detail::communicator_state& gone) noexcept {
  if (&gone == world_.get()) return;  // it stays, for handles that outlive the environment
  gone.released = true;
  if (gone.operations == 0) free(gone);
}

void job::free(detail::communicator_state& gone) noexcept {
  const std::uint32_t first = gone.context();
  const bool stepped = gone.stepped != nullptr;
  delete &gone;
  messages->forget(first);
  messages->forget(first + 1);
  if (stepped) messages->forget(first + 3);  // first + 2 has no messages
}

namespace {

/// False when a continuation threw.
template <class Step>
bool guarded(const Step& step) noexcept {
  try {
    step();
    return true;
  } catch (const std::exception& thrown) {
    log_error("a continuation threw at the end of the environment: {}", thrown.what());
  } catch (...) {
    log_error("a continuation threw at the end of the environment");
  }
  return false;
}

/// How long the end waits before it says what for, and takes it that nobody here will ask for another message: continuations may still do
/// so when the end has begun.
constexpr std::chrono::seconds courtesy{5};

}  // namespace

void job::say_what_is_awaited() noexcept {
  const operation* const sent = messages->pending_send();
  if (sent == nullptr) return;
  log_warning(
      "the end of the peal::environment waits for a message of {} bytes to rank {} with tag {}, which that rank has not received yet",
      sent->capacity, sent->target, sent->result.tag);
}

// Sends that nobody waits for any more, and answers that peers wait for.
void job::finish_messages() noexcept {
  const auto limit = std::chrono::steady_clock::now() + courtesy;
  bool idle = false;
  for (bool patient = true; !idle;) {
    guarded([&] {
      const auto done = [this, patient] {
        if (saw_failure_) messages->refuse_unexpected();
        // Datagrams are repeated by who polls. After a failure one who has left may never say that it has them.
        return messages->idle() && (!verbs_ || verbs_->settled() || (saw_failure_ && !patient));
      };
      idle = progress.wait_until(done, patient ? limit : engine::never);
    });
    if (idle || !patient || std::chrono::steady_clock::now() < limit) continue;
    patient = false;
    const std::lock_guard<engine> hold{progress};
    say_what_is_awaited();
    messages->refuse_unexpected();
  }
}

void job::end(bool at_once) noexcept {
  if (helper_) helper_->stop();
  if (!at_once) {
    finish_messages();
    const auto limit = std::chrono::steady_clock::now() + courtesy;
    const auto go_on = [&] {
      guarded([this] { progress.progress(); });
      // Another rank may wait for this one to take what nobody here will ask for.
      if (std::chrono::steady_clock::now() < limit) return;
      const std::lock_guard<engine> hold{progress};
      messages->refuse_unexpected();
    };
    if (!saw_failure_ && !bootstrap_.fence(go_on)) saw_failure_ = true;
    while (!guarded([this] { progress.run_deferred(); })) {
    }
  }
  alive_ = false;
  unlocked_ = nullptr;
  if (shm_) shm_->leave();
  if (verbs_ && saw_failure_ && !at_once) verbs_->leave();  // otherwise the fence has seen to it that nobody waits for anything
  if (settings.text("PEAL_STATS") == "1") {
    const std::string text = counters_text(counted(), bootstrap_.rank());
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());  // whole, so that ranks do not mix
  }
  leave_network();
  bootstrap_.finish(saw_failure_ || at_once);
}

void job::leave_network() noexcept {
  if (!verbs_) return;
  progress.remove(*postings_);
  postings_.reset();
  verbs_.reset();
}

std::vector<counter> job::counted() {
  std::vector<counter> all;
  const std::lock_guard<engine> guard{progress};
  progress.report(all);
  for (const transport* each : std::initializer_list<const transport*>{shm_ ? &*shm_ : nullptr, verbs_ ? &*verbs_ : nullptr})
    if (each) each->report(all);
  return all;
}

void job::abort(int code, const char* why) noexcept {
  bootstrap_.abort(code, why);
  _exit(code);
}

}  // namespace peal
