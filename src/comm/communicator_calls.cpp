// The functions of peal/detail/core.hpp about communicators: who is in it, copies, and parts of it.
#include <algorithm>
#include <vector>

#include "comm/checks.hpp"
#include "comm/job.hpp"

namespace peal::detail {

namespace {

/// What a rank says in a split.
struct ballot {
  std::int64_t color;
  std::int64_t key;
  std::uint32_t joins;
  std::uint32_t context;  // of the new communicator, should this rank be its first
};

communicator_state* split_by(job& here, communicator_state& from, ballot mine, const location& where) {
  // Every rank offers a context of its own, so that one exchange is enough; offers not taken are lost, and there are plenty.
  mine.context = here.new_context(where);
  std::vector<ballot> ballots(static_cast<std::size_t>(from.size()));
  collective_call call;
  call.kind = collective::allgather;
  call.send = &mine;
  call.receive = ballots.data();
  call.bytes = sizeof mine;
  run_collective(from, call, where);
  if (mine.joins == 0) return nullptr;
  std::vector<int> members;
  for (int rank = 0; rank < from.size(); ++rank) {
    const ballot& each = ballots[static_cast<std::size_t>(rank)];
    if (each.joins != 0 && each.color == mine.color) members.push_back(rank);
  }
  std::ranges::stable_sort(members, {}, [&](int rank) { return ballots[static_cast<std::size_t>(rank)].key; });
  std::vector<peer_id> peers;
  peers.reserve(members.size());
  for (const int rank : members) peers.push_back(from.peer(rank));
  const int rank = static_cast<int>(std::ranges::find(members, from.rank()) - members.begin());
  const std::uint32_t context = ballots[static_cast<std::size_t>(members.front())].context;
  lane& home = here.lane_of(context);
  const std::lock_guard<engine> guard{home.progress};
  return new communicator_state(context, rank, std::move(peers), home);
}

}  // namespace

int rank_of(const communicator_state& of) noexcept { return of.rank(); }

int size_of(const communicator_state& of) noexcept { return of.size(); }

bool same_node(const communicator_state& in, int rank, const location& where) {
  job& here = job::require(where);
  if (rank < 0 || rank >= in.size()) refuse_rank(in, "rank", rank, false, where);
  return here.on_this_node(in.peer(rank));
}

communicator_state& duplicate(communicator_state& from, const location& where) {
  return *split_by(job::require(where), from, {.color = 0, .key = from.rank(), .joins = 1, .context = 0}, where);
}

communicator_state* split(communicator_state& from, bool joins, std::int64_t color, std::int64_t key, const location& where) {
  return split_by(job::require(where), from, {.color = color, .key = key, .joins = joins ? 1U : 0U, .context = 0}, where);
}

communicator_state& split_node(communicator_state& from, const location& where) {
  job& here = job::require(where);
  // The lowest rank on the same node names the group.
  int first = 0;
  while (!here.on_this_node(from.peer(first))) ++first;
  return *split_by(here, from, {.color = first, .key = from.rank(), .joins = 1, .context = 0}, where);
}

void release(communicator_state& gone) noexcept {
  job* const here = job::running();
  if (here == nullptr) return;  // it went with the job
  const std::lock_guard<engine> guard{gone.home.progress};
  here->release(gone);
}

}  // namespace peal::detail
