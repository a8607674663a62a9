// collective/collectives_state.hpp
// What collectives, and each communicator's part of them, keep. Only their sources include this.
//
// Layer    collective: may include p2p/ and what is below it.
// Threads  guarded by the engine's lock, but for `failed`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "collective/choice/choice.hpp"
#include "collective/collectives.hpp"
#include "collective/node_map.hpp"
#include "collective/run.hpp"
#include "collective/schedule_cache.hpp"

namespace peal {

// Tags of collectives made ready begin here, each with one of its own for all its starts; the
// others take the tags below in turn. Starts of one follow each other, and messages of a pair with
// one tag keep their order.
inline constexpr std::uint32_t first_prepared_tag = std::uint32_t{1} << 30;

constexpr std::uint32_t tag_of(std::uint32_t number) noexcept {
  return (number * schedule::max_streams) & (first_prepared_tag - 1);
}

constexpr std::uint32_t first_tag_of(const collective_name& of) noexcept {
  return tag_of(of.number) | (of.made_ready ? first_prepared_tag : 0);
}

// A number that is less than so many behind another one comes later; they wrap.
inline constexpr std::uint32_t half_of_numbers = std::uint32_t{1} << 31;

inline int rank_of(const team& in, peer_id who) noexcept {
  return static_cast<int>(std::ranges::find(in.peers(), who) - in.peers().begin());
}

struct collective_state::state {
  state(collectives::state& in, const team& of, const state* like);

  collectives::state& home;
  const team& members;
  const detail::neighborhood* near = nullptr;
  const spread where;          // how the team lies on nodes, where prices count
  std::uint32_t started = 0;   // without those made ready
  std::uint32_t prepared = 0;  // how many were made ready
  schedule_cache schedules;
  std::shared_ptr<const node_map> nodes;  // where there are such with several members
  std::size_t place = 0;                  // among the states
  bool looked_for_nodes = false;
  // A member is dead. Written under the engine's lock; relaxed: a flag that stays.
  std::atomic<bool> failed{false};
  operation* drain = nullptr;  // once failed: takes what other ranks still send
};

struct collectives::state {
  // A collective under way.
  struct active_run {
    explicit active_run(messaging& messages) : run{messages} {}

    peal::run run;
    state* home = nullptr;
    collective_state::state* of = nullptr;  // null: not in use
    cached_schedule* schedule = nullptr;
    operation* promised = nullptr;
    active_run* next_free = nullptr;
    bool reserved = false;  // of a prepared_collective, between its starts too
  };

  state(messaging& m, const algorithm_settings& from, std::span<const std::uint32_t> on,
        const cost_basis& with)
      : messages{m}, basis{with}, rules{from, basis.costs}, nodes{on} {}

  operation& start(collective_state::state&, const collective_call&, completion_hook,
                   const tuned_algorithm* by) noexcept;
  operation& start(prepared_collective::state&, completion_hook) noexcept;
  cached_schedule& find_schedule(collective_state::state&, const collective_call&,
                                 const tuned_algorithm* by);
  void build_schedule(collective_state::state&, const collective_call&, const schedule_key&,
                      cached_schedule&);
  operation& make_operation() noexcept;
  operation& refuse(collective_state::state&, operation& promised) noexcept;
  operation& execute(active_run&, collective_state::state&, std::uint32_t first_tag,
                     operation& promised, completion_hook) noexcept;
  const node_map* nodes_of(collective_state::state&) const;
  active_run& take_run();
  void ended(active_run&) noexcept;
  void fail(collective_state::state&) noexcept;
  void drain(collective_state::state&) noexcept;
  collective_state::state* find(std::uint32_t context) const noexcept;
  void leave_out_absent(collective_state::state&, run&) noexcept;

  /// A rank that takes no part in a collective to come.
  struct absence {
    collective_name of;
    peer_id who;
  };

  messaging& messages;
  const cost_basis basis;
  choice rules;
  std::span<const std::uint32_t> nodes;  // by peer; empty: one
  std::vector<collective_state::state*> states;
  std::vector<std::unique_ptr<active_run>> active_runs;
  active_run* free_runs = nullptr;
  const algorithm* last = nullptr;  // of the collective that was started last
  std::vector<absence> absent;
  std::vector<std::pair<const operation*, std::exception_ptr>> thrown;
  std::vector<std::size_t> send_offsets;  // of packed blocks, while a schedule is built
  std::vector<std::size_t> receive_offsets;
  void (*tell_failure)(void* owner, std::uint32_t context) noexcept = nullptr;
  void* failure_owner = nullptr;
};

struct prepared_collective::state {
  collectives::state& home;
  collective_state::state& of;
  collectives::state::active_run& active;
  std::uint32_t first_tag;
  cached_schedule steps;
};

}  // namespace peal
