// The functions of peal/failure.hpp: what the ranks that live do after a failure.
#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

#include "comm/calls/making.hpp"
#include "comm/calls/waiting.hpp"
#include "comm/start/job.hpp"
#include "peal/failure.hpp"

namespace peal {

std::string peer_failure::text() const {
  const std::string of = code == 0 ? std::string{} : fmt::format(" {}", code);
  switch (why) {
    case failure_cause::signal: return fmt::format("rank {} was ended by signal{}", rank, of);
    case failure_cause::exit_code: return fmt::format("rank {} exited with code{}", rank, of);
    case failure_cause::left: return fmt::format("rank {} exited without leaving the job", rank);
    case failure_cause::unreachable: break;
  }
  return fmt::format("rank {} cannot be reached", rank);
}

namespace detail {

namespace {

/// Waits for the next agreement of the communicator.
verdict agree_on(communicator_state& on, const verdict& mine, const location& where) {
  lane& here = on.home;
  if (!here.living) {  // a job of one
    verdict own = mine;
    own.gone.resize(1);
    return own;
  }
  operation* ends = nullptr;
  {
    const std::lock_guard<engine> guard{here.progress};
    ends = &here.living->agree(on, on.agreements++, mine);
    here.flush();
  }
  const finished_release given_back{here, *ends};
  wait_for(here, *ends);
  const std::lock_guard<engine> guard{here.progress};
  verdict found = here.living->result_of(on.context());
  if (found.some_make != found.all_make)
    throw error(errc::invalid_argument,
                "some ranks call shrink where others call agree: all that live must call the same",
                -1, where);
  return found;
}

std::vector<int> gone_of(const verdict& found) {
  std::vector<int> ranks;
  for (std::size_t each = 0; each != found.gone.size(); ++each)
    if (found.gone[each]) ranks.push_back(static_cast<int>(each));
  return ranks;
}

}  // namespace

agreement agree(communicator_state& on, std::uint64_t flags, const location& where) {
  (void)job::require(where);
  verdict mine;
  mine.flags = flags;
  mine.all_make = false;
  const verdict found = agree_on(on, mine, where);
  return {found.flags, gone_of(found)};
}

std::vector<int> failed_ranks(communicator_state& on, const location& where) {
  lane& here = job::require_lane(on, where);
  here.progress.progress();
  const std::lock_guard<engine> guard{here.progress};
  std::vector<int> ranks;
  for (int each = 0; each != on.size(); ++each)
    if (each != on.rank() && here.messages->has_failed(on.peer(each))) ranks.push_back(each);
  return ranks;
}

void revoke(communicator_state& on, const location& where) {
  (void)job::require(where);
  const auto give_up = [](communicator_state& each) {
    const std::lock_guard<engine> guard{each.home.progress};
    if (!each.home.living) return;
    each.home.living->revoke(each);
    each.home.flush();
  };
  for (communicator_state* const way : on.ways)
    if (way != &on) give_up(*way);
  give_up(on);
}

communicator_state& shrink(communicator_state& on, const location& where) {
  job& here = job::require(where);
  // relaxed: a flag that stays.
  if (on.collective.failed().load(std::memory_order_relaxed) || !failed_ranks(on, where).empty())
    revoke(on, where);
  context_pool& contexts = here.contexts();
  const context_pool::offer offered = contexts.take_unused();
  verdict mine;
  mine.context = offered.context;
  mine.some_make = true;
  verdict found;
  try {
    found = agree_on(on, mine, where);
  } catch (...) {
    contexts.give_back(offered);
    throw;
  }
  if (found.context != offered.context) contexts.give_back(offered);
  if (found.context == 0) refuse_more_communicators(where);
  if (found.gone[static_cast<std::size_t>(on.rank())])
    throw error(errc::peer_failed,
                "the other ranks take this one for dead, since some of them cannot reach it", -1,
                where);
  std::vector<peer_id> peers;
  int place = -1;
  for (int each = 0; each != on.size(); ++each) {
    if (each == on.rank()) place = static_cast<int>(peers.size());
    if (!found.gone[static_cast<std::size_t>(each)]) peers.push_back(on.peer(each));
  }
  (void)contexts.hold(found.context);
  return make_communicator(here, team{found.context, place, std::move(peers)}, nullptr, {});
}

void watch_failures(const failure_watch& who, const location& where) {
  lane& first = job::require(where).first_lane();
  const std::lock_guard<engine> guard{first.progress};
  first.on_failure->tell(who);
}

}  // namespace detail
}  // namespace peal
