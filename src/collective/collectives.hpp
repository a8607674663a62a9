// collective/collectives.hpp
// The collectives of this process: takes a call, chooses an algorithm, and runs its schedule over
// p2p. What comm/ calls.
//
// What a call means, beyond core.hpp's collective_call (all in bytes; `size` ranks; equal blocks
// unless arrays are given):
//   barrier    no buffers.
//   bcast      `receive` is the vector on every rank, the root's too; `send` is not looked at.
//   reduce     `send` is this rank's vector; `receive` matters at the root only.
//              In place at the root: its vector is in `receive`.
//   allreduce  `send` → `receive`. In place: this rank's vector is in `receive`.
//   gather     `send` is this rank's block of `bytes`; `receive`, `receive_bytes` and
//              `receive_offsets` matter at the root only. In place at the root: its block is
//              already at its place in `receive`.
//   scatter    `receive` takes this rank's block of `bytes`; `send`, `send_bytes` and
//              `send_offsets` matter at the root only. In place at the root: its block stays where
//              it is in `send`, `receive` is not looked at.
//   allgather  `send` is this rank's block of `bytes`; `receive` and its arrays matter everywhere.
//              In place: this rank's block is already at its place in `receive`.
//   alltoall   block i of `send` goes to rank i; block i of `receive` comes from rank i. In place:
//              the blocks in `receive` are replaced, and `receive_bytes` and `receive_offsets`
//              describe what goes out too.
//   reduce_scatter
//              `send` is this rank's vector, the blocks of all ranks packed in rank order: of
//              `send_bytes` each, the same on every rank, else of `bytes`; `send_offsets` is not
//              looked at. `receive` takes this rank's block of `bytes`. In place: the vector is in
//              `receive`, and this rank's block replaces its beginning; what lies behind that is
//              undefined.
//   scan       `send` → `receive`, which takes the vectors of the ranks up to this one joined. In
//              place as allreduce.
//   exscan     as scan, without this rank's own vector. On rank 0 `receive` stays as it is.
//   neighbor_allgather
//              `send` is this rank's block of `bytes`, for all its destinations; block i of
//              `receive` comes from source i, and stays as it is where source i is proc_null.
//   neighbor_alltoall
//              the same, but block i of `send` goes to destination i.
// In place may be said by `in_place` or by a null `send` where the call has a `send`. A call whose
// blocks differ between ranks must say `varying` on every rank (an array that is given says so
// too), since the choice of the algorithm has to agree everywhere. `send` and `receive` do not
// overlap. A given array of sizes without offsets means blocks packed in rank order.
//
// Layer    collective: may include p2p/, base/.
// Units    bytes; ranks are ranks of the team.
// Threads  one at a time: the caller holds the engine's lock where the environment asked for
//          threads. A user's operation runs with it held.
// Errors   nothing throws but the constructor; an operation ends with peer_failed,
//          operation_failed, truncated or invalid_argument.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "collective/choice/cost_basis.hpp"
#include "p2p/messaging.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"

namespace peal {

using detail::collective_call;

struct tuned_algorithm;
class collectives;
class prepared_collective;

/// A collective of a team, or all starts of one made ready: the same on every rank.
struct collective_name {
  std::uint32_t context = 0;  // of the team's collectives
  std::uint32_t number = 0;   // among those made ready, or among the others
  bool made_ready = false;
};

/// What a communicator keeps for its collectives: their numbers, which keep them apart, and the
/// schedules it used before.
class collective_state {
 public:
  /// Both must outlive this. `like`, if given, is of a team with the same peers; what is known of
  /// how they lie is shared with it.
  collective_state(collectives&, const team&, const collective_state* like = nullptr);
  ~collective_state();  // Requires: no collective of it is under way.
  collective_state(const collective_state&) = delete;
  collective_state& operator=(const collective_state&) = delete;

  /// For collectives between neighbours. Must outlive this.
  void set_neighbors(const detail::neighborhood&) noexcept;
  /// The next number for a collective made ready. All ranks number them in the same order.
  [[nodiscard]] std::uint32_t number_prepared() noexcept;
  /// The number of the next collective that is not made ready, the same on every rank.
  [[nodiscard]] std::uint32_t next_number() const noexcept;
  /// Goes on with that number, which is none that was used: those between are no collectives of
  /// this rank.
  void go_on_with(std::uint32_t number) noexcept;
  [[nodiscard]] const team& members() const noexcept;
  /// Whether a member is dead, so that all further collectives fail. Any thread may look.
  [[nodiscard]] const std::atomic<bool>& failed() const noexcept;

 private:
  friend class collectives;
  friend class prepared_collective;
  struct state;
  std::unique_ptr<state> state_;
};

class collectives {
 public:
  /// What is forced. `nodes`: by peer, a number that the peers of a node, and no others, have in
  /// common, the same in every process, as the basis is; empty: all are on one node. All but the
  /// basis must outlive this.
  collectives(messaging&, const algorithm_settings&, std::span<const std::uint32_t> nodes = {},
              const cost_basis& = {});
  ~collectives();  // Requires: every collective_state is gone.
  collectives(const collectives&) = delete;
  collectives& operator=(const collectives&) = delete;

  /// Starts a collective; it may be finished at once. The caller gives the operation back with
  /// messaging::release once it is finished. Buffers, arrays and the reduction's context must live
  /// until then.
  /// Requires: the root is a rank of the team, byte counts are whole elements.
  /// `by`: the algorithm, one of `kept`, the same on every rank; null, or where it cannot serve the
  /// call: the choice's.
  operation& start(collective_state&, const collective_call&, completion_hook = {},
                   const tuned_algorithm* by = nullptr) noexcept;

  /// The algorithm of the collective that was started last, without those made ready.
  [[nodiscard]] std::string_view last_algorithm() const noexcept;

  /// What the user's operation threw on this rank; null when it threw nothing. To be asked when an
  /// operation ended with errc::operation_failed, before it is released; a second call returns
  /// null.
  std::exception_ptr take_exception(const operation&) noexcept;
  /// Has take_exception return this for an operation that the caller has made.
  void keep_exception(const operation&, std::exception_ptr);

  // ---- ranks that take no part
  /// That rank takes no part in that collective, which may be over, under way, to come, or of a
  /// team that there is not yet. The operations that depend on it end with errc::operation_failed.
  void leave_out(const collective_name&, peer_id) noexcept;
  /// This rank takes no part in it, and that peer has been told and has sent what it was sending:
  /// it is thrown away.
  void throw_away(const collective_name&, peer_id from) noexcept;
  /// The team with that context; null: there is none with collectives.
  [[nodiscard]] const team* team_of(std::uint32_t context) const noexcept;

  /// Whether a variable names the algorithm of this collective.
  [[nodiscard]] bool forced(detail::collective) const noexcept;
  /// Whether no variable says how this collective goes.
  [[nodiscard]] bool leaves_open(detail::collective) const noexcept;
  /// The algorithms that serve such a call of the team, the cheapest by its price first, without
  /// those that cost many times as much. The same on every rank.
  struct alternatives_of_call {
    std::vector<const tuned_algorithm*> all;
    const tuned_algorithm* taken = nullptr;  // by the choice
  };
  [[nodiscard]] alternatives_of_call alternatives(const collective_state&, detail::collective,
                                                  std::size_t bytes, bool commutative) const;

  /// The peer is dead: collectives of every team that it belongs to end with errc::peer_failed,
  /// those under way and all later ones. Call it after messaging::peer_failed.
  void peer_failed(peer_id) noexcept;
  /// The same for the teams of this peer whose contexts are in [first, first + count). A peer may
  /// speak of a team that is no more here, while another one, which it does not belong to, has that
  /// context.
  void fail(std::uint32_t first, std::uint32_t count, peer_id member) noexcept;
  /// Whether there are such teams, and all their collectives work; or some fail; or there are none.
  enum class health : std::uint8_t { unknown, works, fails };
  [[nodiscard]] health health_of(std::uint32_t first, std::uint32_t count,
                                 peer_id member) const noexcept;
  /// `call(owner, context)` is called, inside the engine, when the collectives of a team have begun
  /// to fail.
  void on_failure(void (*call)(void* owner, std::uint32_t context) noexcept, void* owner) noexcept;
  /// Whether a collective is under way.
  [[nodiscard]] bool busy() const noexcept;

 private:
  friend class collective_state;
  friend class prepared_collective;
  struct state;
  std::unique_ptr<state> state_;
};

/// A collective made ready once, to be started as often as wanted. Its schedule, its scratch memory
/// and what it needs for its messages are its own, and are there from the beginning.
class prepared_collective {
 public:
  /// The call as for collectives::start. Of its arrays nothing is read later. All must outlive
  /// this. `number` (of number_prepared) says with which ones of the other ranks it goes, whatever
  /// the order in which they are started.
  prepared_collective(collectives&, collective_state&, const collective_call&,
                      std::uint32_t number);
  prepared_collective(collectives& in, collective_state& of, const collective_call& call)
      : prepared_collective{in, of, call, of.number_prepared()} {}
  ~prepared_collective();  // Requires: it is not under way.
  prepared_collective(const prepared_collective&) = delete;
  prepared_collective& operator=(const prepared_collective&) = delete;

  /// As collectives::start. Requires: it is not under way.
  operation& start(completion_hook = {}) noexcept;

 private:
  friend class collectives;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace peal
