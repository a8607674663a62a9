// The functions of peal/detail/core.hpp about communicators: their ranks, copies of them, and parts
// of them.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "comm/calls/making.hpp"
#include "comm/checks/checks.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

/// What a rank says in a split.
struct split_request {
  std::int64_t color;
  std::int64_t key;
  std::uint32_t joins;
  context_pool::offer context;  // for the new communicator, should this rank be its first
};

/// Whether it is so on every rank.
bool everywhere(communicator_state& of, bool here, const location& where) {
  int mine = here ? 1 : 0, all = 0;
  collective_call call;
  call.kind = collective::allreduce;
  call.send = &mine;
  call.receive = &all;
  call.bytes = call.element_size = sizeof mine;
  call.type = scalar::i32;
  call.op = {builtin::min, true};
  run_collective(of, call, where);
  return all != 0;
}

/// By colour, then key, then rank. Ranks that do not join are left out.
std::vector<int> in_order(const std::vector<split_request>& requests) {
  std::vector<int> joined;
  for (int rank = 0; rank != static_cast<int>(requests.size()); ++rank)
    if (requests[static_cast<std::size_t>(rank)].joins != 0) joined.push_back(rank);
  std::ranges::stable_sort(joined, {}, [&](int rank) {
    const split_request& of = requests[static_cast<std::size_t>(rank)];
    return std::pair{of.color, of.key};
  });
  return joined;
}

/// The first rank of each part gives its context.
struct chosen_contexts {
  bool all_have_one = true;
  bool some_used_before = false;

  chosen_contexts(const std::vector<split_request>& requests, const std::vector<int>& ordered) {
    const split_request* last = nullptr;
    for (const int rank : ordered) {
      const split_request& each = requests[static_cast<std::size_t>(rank)];
      if (last == nullptr || last->color != each.color) {
        all_have_one &= each.context.context != 0;
        some_used_before |= each.context.used_before;
      }
      last = &each;
    }
  }
};

communicator_state* split_by(job& here, communicator_state& from, split_request mine,
                             const location& where) {
  const known_shapes known = from.direct.known();
  context_pool& contexts = here.contexts();
  offers own{contexts};
  // Every rank offers a context of its own, so that one exchange is enough, but where one was used
  // before.
  mine.context = own.next();
  std::vector<split_request> requests(static_cast<std::size_t>(from.size()));
  const auto of = [&](int rank) -> const split_request& {
    return requests[static_cast<std::size_t>(rank)];
  };
  for (;;) {
    collective_call call;
    call.kind = collective::allgather;
    call.send = &mine;
    call.receive = requests.data();
    call.bytes = sizeof mine;
    run_collective(from, call, where);
    const std::vector<int> ordered = in_order(requests);
    const chosen_contexts chosen{requests, ordered};
    if (!chosen.all_have_one) refuse_more_communicators(where);
    const auto [first, last] =
        std::ranges::equal_range(ordered, mine.color, {}, [&](int rank) { return of(rank).color; });
    const std::uint32_t context = mine.joins != 0 ? of(*first).context.context : 0;
    const bool holds = mine.joins == 0 || contexts.hold(context);
    const bool agreed = !chosen.some_used_before || everywhere(from, holds, where);
    if (agreed && mine.joins == 0) return nullptr;
    const int place =
        mine.joins != 0 ? static_cast<int>(std::find(first, last, from.rank()) - first) : -1;
    if (agreed) {
      if (place == 0) own.taken();
      std::vector<peer_id> peers;
      for (auto each = first; each != last; ++each) peers.push_back(from.peer(*each));
      const bool of_all_in_order = std::ranges::equal(peers, from.peers());
      return &make_communicator(here, team{context, place, std::move(peers)}, nullptr,
                                of_all_in_order ? known : known_shapes{});
    }
    if (mine.joins != 0 && holds) contexts.let_go(context);
    if (place == 0 && mine.context.used_before) mine.context = own.next();
  }
}

[[noreturn]] void refuse_mixed(const location& where) {
  throw error(
      errc::invalid_argument,
      "some ranks call dup(no_any_tag) where others call dup(): all ranks of a communicator "
      "must renounce any_tag, or none",
      -1, where);
}

/// One number, from the first rank to all. `names_tags`: as this rank wants it.
communicator_state& copy_of(job& here, communicator_state& from, bool names_tags,
                            const location& where) {
  const known_shapes known = from.direct.known();
  context_pool& contexts = here.contexts();
  offers own{contexts};
  for (;;) {
    copy_offer offered{.context = {}, .names_tags = names_tags ? 1U : 0U};
    if (from.rank() == 0) offered.context = own.next();
    collective_call call;
    call.kind = collective::bcast;
    call.receive = &offered;
    call.bytes = sizeof offered;
    run_collective(from, call, where);
    const context_pool::offer& given = offered.context;
    if (given.context == 0) refuse_more_communicators(where);
    const bool as_offered = (offered.names_tags != 0) == names_tags;
    // Where the first rank makes a plain one, a rank that wants another finds out by itself, and a
    // plain dup costs no exchange more.
    if (offered.names_tags != 0 && !everywhere(from, as_offered, where)) refuse_mixed(where);
    const bool holds = contexts.hold(given.context);
    if (!given.used_before || everywhere(from, holds, where)) {
      if (from.rank() == 0) own.taken();
      communicator_state& made =
          make_communicator(here, team{given.context, from}, &from.collective, known);
      if (as_offered) return made;
      release(made);
      refuse_mixed(where);
    }
    if (holds) contexts.let_go(given.context);
  }
}

}  // namespace

int rank_of(const communicator_state& of) noexcept { return of.rank(); }

int world_rank_of(const communicator_state& of, int rank) noexcept {
  return static_cast<int>(of.peer(rank));
}
int size_of(const communicator_state& of) noexcept { return of.size(); }

bool same_node(const communicator_state& in, int rank, const location& where) {
  job& here = job::require(where);
  if (rank < 0 || rank >= in.size()) refuse_rank(in, "rank", rank, false, where);
  return here.on_this_node(in.peer(rank));
}

communicator_state& duplicate(communicator_state& from, const location& where) {
  communicator_state& made = copy_of(job::require(where), from, false, where);
  copy_neighbors(from, made);
  return made;
}

communicator_state& duplicate_with_named_tags(communicator_state& from, const location& where) {
  job& here = job::require(where);
  communicator_state& made = copy_of(here, from, true, where);
  made.tags_named = true;
  copy_neighbors(from, made);
  if (here.lane_count() == 1) return made;
  made.ways.push_back(&made);
  try {
    // The numbers of communicators go round the lanes.
    while (made.ways.size() != here.lane_count()) {
      communicator_state& way = copy_of(here, from, true, where);
      way.tags_named = true;
      made.ways.push_back(&way);
    }
  } catch (...) {
    release(made);
    throw;
  }
  return made;
}

bool names_tags(const communicator_state& of) noexcept { return of.tags_named; }

communicator_state* split(communicator_state& from, bool joins, std::int64_t color,
                          std::int64_t key, const location& where) {
  return split_by(job::require(where), from,
                  {.color = color, .key = key, .joins = joins ? 1U : 0U, .context = {}}, where);
}

communicator_state& split_node(communicator_state& from, const location& where) {
  job& here = job::require(where);
  // The lowest rank on the same node names the group.
  int first = 0;
  while (!here.on_this_node(from.peer(first))) ++first;
  return *split_by(here, from, {.color = first, .key = from.rank(), .joins = 1, .context = {}},
                   where);
}

void release(communicator_state& gone) noexcept {
  job* const here = job::running();
  if (here == nullptr) return;  // it went with the job
  for (communicator_state* const each : std::exchange(gone.ways, {}))
    if (each != &gone) release(*each);
  const std::lock_guard<engine> guard{gone.home.progress};
  here->release(gone);
}

}  // namespace peal::detail
