#include "comm/start/lane.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"

namespace peal {

namespace detail {

communicator_state::communicator_state(const team& members, lane& in, const collective_state* like,
                                       std::span<const direct::learnt_ways::known_shape> known)
    : team{members},
      home{in},
      collective{*in.collectives, *this, like},
      direct{in.direct_context(), *in.collectives, collective, *this, known} {
  if (size() > 1 && in.compares_calls())
    checked = std::make_unique<checked_calls>(*in.messages, *in.collectives, collective, *this,
                                              &*in.stall_report);
  in.progress.put_to_use();
  if (in.page() != nullptr) shown = in.page()->add_communicator(context(), rank(), size());
  if (shown != nullptr) direct.calls().keep_in(shown->calls);
}

communicator_state::~communicator_state() {
  if (shown != nullptr) home.page()->remove(*shown);
}

}  // namespace detail

lane::lane(lane_common& around, bool threads) : progress{threads}, common_{around} {
  const std::size_t number = around.lanes++;
  if (around.page == nullptr) return;
  activity_ = &around.page->activity(number);
  progress.show(*activity_, reporter_.emplace(*around.page));
}

void lane::open(node_segment* segment, std::size_t lanes) {
  const job_settings& settings = common_.settings;
  const messaging_options options{settings.messages, static_cast<peer_id>(common_.bootstrap.rank()),
                                  static_cast<std::uint32_t>(common_.bootstrap.size())};
  // The base is private, so emplace cannot convert to it by itself.
  messages.emplace(progress, static_cast<router&>(*this), options);
  self_.emplace(*messages, options.self, &progress.waking());
  messages->add(*self_);
  const bool only_verbs = settings.transport == transport_mode::verbs;
  if (segment != nullptr && !only_verbs) {
    shm_options shm;
    shm.copy = settings.shm.copy;
    shm.between_cores = &common_.between_cores;
    shm.apart = common_.oversubscribed || settings.async;
    shm.cores_shared = common_.oversubscribed && !settings.async;
    shm.bell = &progress.waking();
    shm_.emplace(*segment, *messages, common_.node, shm);
    messages->add(*shm_);
  }
  if (common_.several_nodes() || only_verbs) open_verbs(lanes);
  collectives.emplace(*messages, settings.algorithms, common_.nodes, common_.basis);
  if (compares_calls())
    stall_report.emplace(progress, *messages, std::chrono::duration<double>{settings.check_after});
  if (!compares_calls())
    direct_.emplace(progress, *messages, shm_ ? &*shm_ : nullptr, common_.basis.cores,
                    settings.learn, common_.places);
  if (reporter_) reporter_->watch(*messages, direct_context());
  if (activity_ != nullptr) messages->count_in(*activity_);
  progress.add(*this, engine::rate::sometimes);
}

void lane::open_verbs(std::size_t lanes) {
  bootstrap_client& bootstrap = common_.bootstrap;
  verbs_options verbs;
  verbs.set = common_.settings.verbs;
  const auto& local = bootstrap.local_ranks();
  verbs.local_index =
      static_cast<unsigned>(std::ranges::find(local, bootstrap.rank()) - local.begin());
  verbs.local_size = static_cast<unsigned>(common_.node.size() * lanes);
  verbs.cpus = static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  verbs.bell = &progress.waking();
  common_.start_with([&] {
    verbs_.emplace(*messages, machine{}, static_cast<peer_id>(bootstrap.rank()),
                   static_cast<std::uint32_t>(bootstrap.size()), verbs);
  });
  const std::vector<std::string> everyone = bootstrap.exchange(verbs_->address());
  try {
    verbs_->meet(everyone);
  } catch (const std::exception& problem) {
    // The other ranks may be through with their start, so that nothing but the job's end reaches
    // them.
    const std::string why =
        fmt::format("rank {} could not start: {}", bootstrap.rank(), plain_text_of(problem));
    log_error("{}", why);
    bootstrap.abort(EXIT_FAILURE, why);
    throw;
  }
  messages->add(*verbs_);
}

transport& lane::route(peer_id to) noexcept {
  if (to == static_cast<peer_id>(common_.bootstrap.rank())) return *self_;
  if (shm_ && common_.on_node[to]) return *shm_;
  return *verbs_;  // the job has made one if there are ranks on other nodes
}

bool lane::poll() noexcept {
  bool told = false;
  for (const rank_failure& each : common_.bootstrap.failures()) {
    log_info("rank {} has died", each.rank);
    told |= common_.failures.add(each);
  }
  for (const unreachable_report& each : common_.bootstrap.reports()) {
    if (!common_.reports.add(each)) continue;
    log_info("rank {} says that it does not reach rank {}", each.by, each.peer);
    told = true;
  }
  if (verbs_)
    for (const peer_id each : verbs_->lost())
      if (common_.failures.add({static_cast<int>(each), failure_cause::unreachable, 0})) {
        gave_up(each);
        told = true;
      }
  if (told) common_.ring_all();  // the other lanes
  const bool news = failures_seen_ < common_.failures.count();
  while (failures_seen_ < common_.failures.count())
    failed(static_cast<peer_id>(common_.failures.at(failures_seen_++).rank));
  while (reports_seen_ < common_.reports.count()) hear(reports_seen_++);
  if (news && on_failure) on_failure->look();
  if (absences) absences->look();
  if (living) living->look();
  const bool looks = end_watch_ && end_watch_->due();
  // For what a look finds no bell has rung, so nothing is said to have moved, which would count as
  // a lost wake-up.
  if (looks && end_watch_->look()) progress.wake_sleepers();
  if (failures_seen_ == 0 && !looks) [[likely]]
    return news;
  // After a failure ranks leave without waiting for each other, and what is pending to one that has
  // left would never end. Not every rank hears of a failure: a rank that some cannot reach is there
  // for others.
  const auto size = static_cast<peer_id>(common_.bootstrap.size()),
             self = static_cast<peer_id>(common_.bootstrap.rank());
  for (peer_id each = 0; each < size; ++each) {
    if (messages->has_failed(each) || each == self || !route(each).has_left(each)) continue;
    log_info("rank {} has left the job", each);
    common_.left = true;
    messages->peer_left(each);
    // A collective in which it has done its part goes on; what needs more of it has ended with the
    // messages, or ends here.
    if (end_watch_) end_watch_->end_calls_past_messages();
    progress.wake_sleepers();
  }
  return news;
}

/// Others, to whom nothing is on its way, would find out much later.
void lane::gave_up(peer_id gone) noexcept {
  const int rank = static_cast<int>(gone);
  if (common_.reports.is_to_be_told(rank, common_.failures))
    common_.bootstrap.tell_unreachable(rank);
}

/// The one that says so may be the one whose adapter is broken: nobody is given up for that, but
/// the own way to the peer is looked at.
void lane::hear(std::size_t report) noexcept {
  if (!verbs_) return;
  const unreachable_report said = common_.reports.at(report);
  const auto peer = static_cast<peer_id>(said.peer);
  if (&route(peer) != &*verbs_ || verbs_->look_at(peer) || !common_.reports.is_first(report))
    return;
  log_warning(
      "rank {} says that it does not reach rank {}; whether that one is there cannot be seen from "
      "here, without a connection to it, or an answer of its node: a wait for it may never end",
      said.by, said.peer);
}

void lane::failed(peer_id gone) noexcept {
  messages->peer_failed(gone);
  collectives->peer_failed(gone);
}

void lane::free(detail::communicator_state& gone) noexcept {
  const std::uint32_t first = gone.context();
  // Other ranks may still send messages of a communicator whose collectives fail.
  // relaxed: the engine's lock is held
  // A rank may ask for the result of its last agreement, too.
  const bool sound =
      !gone.collective.failed().load(std::memory_order_relaxed) && gone.agreements == 0;
  if (absences) absences->forget(gone);
  delete &gone;
  if (end_watch_) end_watch_->forget(first);
  for (std::uint32_t each = 0; each != contexts_of_one; ++each) messages->forget(first + each);
  common_.contexts.free(first, sound);
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

}  // namespace

void lane::say_what_is_awaited() noexcept {
  const operation* const sent = messages->pending_send();
  if (sent == nullptr) return;
  log_warning(
      "the end of the peal::environment waits for a message of {} bytes to rank {} with tag {}, "
      "which that rank has not received yet",
      sent->capacity, sent->target, sent->result.tag);
}

void lane::finish() noexcept {
  const auto limit = std::chrono::steady_clock::now() + shutdown_grace;
  bool idle = false;
  for (bool patient = true; !idle;) {
    guarded([&] {
      const auto done = [this, patient] {
        settle(false);
        // Datagrams are repeated by a process that polls. After a failure a peer that has left may
        // never say that it has them.
        return messages->idle() && (!verbs_ || verbs_->settled() ||
                                    ((failures_seen_ != 0 || common_.left) && !patient));
      };
      idle = progress.wait_until(done, patient ? limit : engine::never);
    });
    if (idle || !patient || std::chrono::steady_clock::now() < limit) continue;
    patient = false;
    const std::lock_guard<engine> hold{progress};
    say_what_is_awaited();
    settle(true);
  }
}

/// At the end: this process does not ask for what has come unasked once there has been a failure,
/// it is late, or nothing of the user's can start anything any more; in the last case other ranks
/// may know.
void lane::settle(bool late) noexcept {
  const bool over = common_.at_rest();
  if (over || late || failures_seen_ != 0 || common_.left) messages->refuse_unexpected();
  if (over && end_watch_) end_watch_->declare_end();
}

void lane::turn(bool late) noexcept {
  guarded([this] { progress.progress(); });
  const std::lock_guard<engine> hold{progress};
  settle(late);
}

void lane::run_deferred() noexcept {
  while (!guarded([this] { progress.run_deferred(); }) || progress.owes_calls()) {
  }
}

void lane::leave(bool failed) noexcept {
  if (!failed) return;  // after the fence no rank waits for anything
  if (shm_) shm_->leave();
  if (verbs_) verbs_->leave();
}

void lane::close() noexcept { verbs_.reset(); }

void lane::report(std::vector<counter>& into) {
  const std::lock_guard<engine> guard{progress};
  progress.report(into);
  if (stall_report) stall_report->report(into);
  if (shm_) shm_->report(into);
  if (verbs_) verbs_->report(into);
  if (direct_) direct_->report(into);
}

}  // namespace peal
