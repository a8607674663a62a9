// peal/detail/core.hpp
// The non-template core below the API: the templates of include/peal turn types into bytes and call
// these functions.
//
// Units    bytes; ranks are ranks of the communicator given.
// Threads  as the environment was asked for: safe from any thread with thread_level::multiple, else
//          from one thread at a time.
// Errors   wrong arguments, and a blocking operation that fails, throw peal::error with the
//          caller's source location; what happens to a nonblocking operation stands in its outcome.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <system_error>
#include <typeinfo>
#include <vector>

#include <peal/counter.hpp>
#include <peal/detail/export.hpp>
#include <peal/error.hpp>

namespace peal::detail {

using location = std::source_location;

struct communicator_state;  // src/comm: a team, its context ids, its collective sequence
struct operation;           // src/p2p: a send, a receive or a collective under way
struct matched_message;     // src/p2p: a message that a probe took out of matching
struct pending_copy;        // src/comm: a copy of a communicator, until it is there
struct prepared;  // src/comm: a collective, or a message, made ready to be started again and again
// src/comm: a file descriptor for a loop of the user's that sleeps until there may be progress to
// be made.
struct sleeper;

/// What became of an operation. `bytes` is what arrived in the buffer; for a send what was sent. A
/// collective that ends with errc::operation_failed has as `source` the rank that took no part in
/// it, where that is known.
struct outcome {
  int tag = 0;  // first, so that a match key (source << 32 | tag) goes into both with one store
  int source = -1;
  std::size_t bytes = 0;
  std::error_code error;
};

/// The beginning of every operation: what the templates read of it themselves, since a call for
/// each look would cost a small message more than sending it.
struct operation_head {
  outcome result;  // its error is clear until one is set, so that success writes none
  // release: pairs with the acquire in finished(), so that a thread that sees it set also sees
  // `result` and the buffer.
  std::atomic<bool> finished{false};
  /// Stands for every send that was over when its call returned, and is never given back. Its
  /// `result` names no message.
  bool common = false;
};
inline const operation_head& head_of(const operation& of) noexcept {
  return reinterpret_cast<const operation_head&>(of);
}

/// Memory for a message whose size is known only when it is matched. `allocate` is called at most
/// once, never with a lock of the user's held by peal, and must not call peal; null means no memory
/// (the operation ends with errc::no_space). Called for empty messages too.
struct growing_buffer {
  void* owner = nullptr;
  void* (*allocate)(void* owner, std::size_t bytes) noexcept = nullptr;
};

/// Blocks of memory of one length, in bytes, whose beginnings are as far apart as `stride` says: at
/// least `length`. A length of 0: something else.
struct strided_blocks {
  std::byte* first = nullptr;
  std::size_t length = 0;
  std::size_t stride = 0;
};
/// A payload that lies in pieces and is packed while it leaves: `pack` writes the bytes [at, at +
/// bytes) of the packed stream. Called inside the engine, with a lock where threads were asked for:
/// it must not call peal. What lies in `blocks` may be taken from there instead.
struct packer {
  void (*pack)(const packer&, std::size_t at, void* to, std::size_t bytes) noexcept = nullptr;
  strided_blocks blocks{};
};
/// The reverse: `unpack` takes these bytes of the stream, each once, in any order. They may be put
/// into `blocks` instead.
struct unpacker {
  void (*unpack)(const unpacker&, std::size_t at, const void* from,
                 std::size_t bytes) noexcept = nullptr;
  strided_blocks blocks{};
};

// ---- the job
struct job_options {
  bool threads = false;  // thread_level::multiple
};

/// Starts this process's part of the job: reads PEAL_ variables, meets PMIx, maps the node's
/// segment, meets the other ranks. Throws errc::already_started, invalid_config, bootstrap_failed,
/// no_space.
PEAL_EXPORT communicator_state& start_job(const job_options&, const location&);
/// Collective. Finishes what is under way, then leaves. `unwinding`: an exception is on its way;
/// the job is aborted rather than hung.
PEAL_EXPORT void end_job(bool unwinding, const location&) noexcept;
/// Ends every rank of the job with this exit code; does not return.
[[noreturn]] PEAL_EXPORT void abort_job(int code, const char* why) noexcept;
PEAL_EXPORT bool job_running() noexcept;
/// What the transports of this process have counted.
PEAL_EXPORT std::vector<counter> job_counters(const location&);

/// Whether this process notes what it calls, for a report of the run. Constant while the job runs.
PEAL_EXPORT extern bool calls_are_recorded;
/// The function that this thread is in, where an interface above this one has functions of its own.
struct calling_function {
  const char* name = nullptr;
  // Twice the address that it was called from, plus 1 once the first thing that it does has been
  // noted; 0: none, so that the places of calls name them.
  std::uint64_t place = 0;
};
// initial-exec: without a call of the loader's for each look.
PEAL_EXPORT extern constinit thread_local calling_function now_calling
    [[gnu::tls_model("initial-exec")]];
/// Calls of this thread from now on belong to a function of that name, called from that address;
/// null: not any more.
inline void name_calls(const char* function, const void* from) noexcept {
  now_calling.name = function;
  now_calling.place = std::uint64_t{reinterpret_cast<std::uintptr_t>(from)} * 2;
}
inline void end_named_calls() noexcept { now_calling.place = 0; }

// ---- communicators
PEAL_EXPORT int rank_of(const communicator_state&) noexcept;
PEAL_EXPORT int size_of(const communicator_state&) noexcept;
/// The rank in the world of a rank of the communicator, which must be one.
PEAL_EXPORT int world_rank_of(const communicator_state&, int rank) noexcept;
PEAL_EXPORT bool same_node(const communicator_state&, int rank, const location&);
PEAL_EXPORT communicator_state& duplicate(communicator_state&, const location&);  // collective
/// Collective. The new one refuses any_tag, and spreads its messages over the lanes by their tags.
PEAL_EXPORT communicator_state& duplicate_with_named_tags(communicator_state&, const location&);
/// Whether it refuses any_tag.
PEAL_EXPORT bool names_tags(const communicator_state&) noexcept;
/// Collective. A rank without a colour (`joins` false) gets null.
PEAL_EXPORT communicator_state* split(communicator_state&, bool joins, std::int64_t color,
                                      std::int64_t key, const location&);
// Collective: the ranks of each node.
PEAL_EXPORT communicator_state& split_node(communicator_state&, const location&);
/// Parts of a node, from the largest one on.
enum class node_part : std::uint8_t { node, socket, numa, cache };
/// Collective: the ranks that have one such part, by their key. Null: this rank does not join, or
/// it may run in more than one, or where it may run is not known.
PEAL_EXPORT communicator_state* split_by_part(communicator_state&, node_part, bool joins,
                                              std::int64_t key, const location&);
/// Whether this rank has one such part, and does not run in others.
PEAL_EXPORT bool has_one(node_part, const location&);
/// The largest of which no single one has all ranks of the communicator, the same on all of them;
/// false: there is none.
PEAL_EXPORT bool largest_dividing(const communicator_state&, node_part& found, const location&);
/// A copy that is being made: collective, though it does not wait for the other ranks. Where all
/// ranks want named tags it is one that refuses any_tag, else it takes any. When `ends` has
/// finished, and before it is given back, finish_duplicate tells the copy; null: `ends` has an
/// error, or, where it has none, all ranks find that no number is free for one more.
PEAL_EXPORT pending_copy* start_duplicate(communicator_state&, bool named_tags, operation*& ends,
                                          const location&);
PEAL_EXPORT communicator_state* finish_duplicate(pending_copy*) noexcept;
/// Collective over the members alone: `members` are ranks of `from`, this one among them, in the
/// order of the new communicator, and the same list on all. `tag`: any number but 0 and any_tag,
/// the same on all; what several threads make at a time is told apart by it. Throws
/// errc::invalid_rank, and invalid_argument where a rank is named twice or this one is missing.
PEAL_EXPORT communicator_state& form(communicator_state& from, const std::vector<int>& members,
                                     int tag, const location&);
/// Sends to that rank, and receives from it, apart from the user's messages. `tag`: as of `form`,
/// from whose it must differ.
PEAL_EXPORT void exchange_apart(communicator_state&, int with, int tag, const void* send,
                                std::size_t send_bytes, void* receive, std::size_t receive_bytes,
                                const location&);
/// For those who look at the job from outside; cut where it is long.
PEAL_EXPORT void name_communicator(communicator_state&, const char* name) noexcept;
PEAL_EXPORT void release(communicator_state&) noexcept;  // local; fine after the end of the job

/// The ranks that a rank exchanges blocks with, in the order of the blocks; proc_null where there
/// is no rank. A rank may be named more than once; the n-th time that one names the other as a
/// destination goes with the n-th time that this one names it as a source.
struct neighborhood {
  std::vector<int> sources;
  std::vector<int> destinations;
  /// Of a grid: they come in pairs, below and above in a dimension, and what goes up comes in from
  /// below, also where both are one rank.
  bool paired = false;
};
/// Collective: a copy whose ranks have neighbours. Throws errc::invalid_rank, and
/// errc::invalid_argument on every rank where what one names as a destination does not name it as a
/// source. What duplicate makes of it has the neighbours, too.
PEAL_EXPORT communicator_state& with_neighbors(communicator_state&, neighborhood, const location&);
/// Requires: made by with_neighbors.
PEAL_EXPORT const neighborhood& neighbors_of(const communicator_state&) noexcept;

// ---- point to point
inline constexpr int any_source_value = -1;
inline constexpr int any_tag_value = -2;
inline constexpr int proc_null_value = -3;

PEAL_EXPORT void send(communicator_state&, const void* data, std::size_t bytes, int dest, int tag,
                      const location&);
PEAL_EXPORT outcome recv(communicator_state&, void* data, std::size_t capacity, int source, int tag,
                         const location&);
PEAL_EXPORT outcome recv_growing(communicator_state&, const growing_buffer&, int source, int tag,
                                 const location&);

/// Nonblocking forms. The operation must be given back with `drop` once, finished or not.
PEAL_EXPORT operation* start_send(communicator_state&, const void* data, std::size_t bytes,
                                  int dest, int tag, const location&);
/// Finished when the receiver has matched it, however short it is.
PEAL_EXPORT operation* start_synchronous_send(communicator_state&, const void* data,
                                              std::size_t bytes, int dest, int tag,
                                              const location&);
PEAL_EXPORT operation* start_recv(communicator_state&, void* data, std::size_t capacity, int source,
                                  int tag, const location&);
PEAL_EXPORT operation* start_recv_growing(communicator_state&, const growing_buffer&, int source,
                                          int tag, const location&);
/// A payload that is packed on its way. Null, and nothing has happened: it is short, or goes a way
/// where that spares nothing, so that the caller packs it first. `from` must live until the
/// operation is finished. `synchronous`: as start_synchronous_send.
PEAL_EXPORT operation* start_send_packed(communicator_state&, const packer& from, std::size_t bytes,
                                         int dest, int tag, bool synchronous, const location&);
/// One that is unpacked where it arrives. `into` must live until the operation is finished.
PEAL_EXPORT operation* start_recv_unpacked(communicator_state&, const unpacker& into,
                                           std::size_t capacity, int source, int tag,
                                           const location&);

/// Probes. `probe` tells of the first message that matches (it waits; `try_probe` returns false
/// when there is none). `probe_take` takes it out of matching (`try_probe_take` returns null when
/// there is none).
PEAL_EXPORT outcome probe(communicator_state&, int source, int tag, const location&);
PEAL_EXPORT bool try_probe(communicator_state&, int source, int tag, outcome&, const location&);
PEAL_EXPORT matched_message* probe_take(communicator_state&, int source, int tag, outcome&,
                                        const location&);
PEAL_EXPORT matched_message* try_probe_take(communicator_state&, int source, int tag, outcome&,
                                            const location&);
/// Receives a message taken by a probe; consumes it.
PEAL_EXPORT operation* start_recv_matched(matched_message*, void* data, std::size_t capacity,
                                          const location&);
/// Gives up a message taken by a probe: it is received and thrown away.
PEAL_EXPORT void discard(matched_message*) noexcept;

/// Messages of their own, for what is made of messages: ordinary receives and probes of the
/// communicator do not see them, nor those of one room those of another one. Otherwise they are
/// like ordinary ones, with all tags there are.
enum class room : std::uint8_t { first, second };
PEAL_EXPORT operation* start_send_in(room, communicator_state&, const void* data, std::size_t bytes,
                                     int dest, int tag, const location&);
PEAL_EXPORT operation* start_recv_in(room, communicator_state&, void* data, std::size_t capacity,
                                     int source, int tag, const location&);

/// A message that is sent, or received, again and again.
struct message_call {
  const void* send = nullptr;  // null: it is received
  void* receive = nullptr;
  std::size_t bytes = 0;
  int peer = proc_null_value;
  int tag = 0;
};
/// Checks the arguments; nothing is sent before start_prepared. The memory must live until it is
/// discarded.
PEAL_EXPORT prepared* prepare_message(communicator_state&, const message_call&, const location&);

// ---- times
/// Nanoseconds of the steady clock. No std::chrono: its header takes longer to compile than this
/// one.
enum class time_point : std::int64_t {};
inline constexpr time_point never{std::numeric_limits<std::int64_t>::max()};
/// The time after so long, or `never`, where the clock does not count so far, or, after less than
/// nothing, the present one.
PEAL_EXPORT time_point time_after(long double seconds) noexcept;

// ---- operations
/// Whether it is finished; makes no progress.
inline bool finished(const operation& of) noexcept {
  return head_of(of).finished.load(std::memory_order_acquire);
}
/// One round of progress for everything, then `finished`.
PEAL_EXPORT bool test(operation&);
/// Waits until it is finished. Returns early, false, when `deadline` passes (default: never).
PEAL_EXPORT bool wait_for_end(operation&, time_point deadline);
inline bool wait(operation& awaited, time_point deadline = never) {
  return finished(awaited) || wait_for_end(awaited, deadline);
}
/// Whether it is finished, without an error.
inline bool ended_well(const operation& of) noexcept {
  return finished(of) && !head_of(of).result.error;
}
/// Requires: finished.
inline const outcome& result_of(const operation& of) noexcept { return head_of(of).result; }
PEAL_EXPORT const location& origin_of(const operation&) noexcept;
/// Withdraws a receive that is not matched, or a send of which nothing has left; true when it ended
/// so (errc::cancelled).
PEAL_EXPORT bool cancel(operation&);
/// Calls `hook(context)` in the thread that finishes a later progress call, with no lock held,
/// after the operation is finished; at once when it is finished already. One hook an operation: one
/// that another replaces is called earlier, so that it gives back what it holds.
/// What it throws a progress call rethrows that has no result to lose.
PEAL_EXPORT void on_finish(operation&, void (*hook)(void* context), void* context);
/// Called with null, or when the owner of the buffers goes away: gives the operation back.
/// Finished: at once. Otherwise it detaches, and `owner_free(owner)` is called when the buffers are
/// no longer needed (an owned send); with a null `owner_free` a receive that is not matched is
/// withdrawn, and everything else is waited for.
PEAL_EXPORT void drop(operation*, void (*owner_free)(void*) noexcept, void* owner) noexcept;
// The usual case: not `common`, no owner of buffers.
PEAL_EXPORT void drop_own(operation&) noexcept;
// The same for one that has ended well.
PEAL_EXPORT void drop_good(operation&) noexcept;
inline void drop(operation* unwanted) noexcept {
  if (unwanted != nullptr && !head_of(*unwanted).common) drop_own(*unwanted);
}
/// Any progress there is to be made, once.
PEAL_EXPORT bool progress();
/// Makes progress until `done(context)`; false when the deadline passed first. It is called with
/// and without locks of peal's, so it only reads what threads may read at any time, and calls
/// nothing of peal's.
PEAL_EXPORT bool wait_until(bool (*done)(void* context), void* context,
                            time_point deadline = never);
/// Threads in wait_until look at once whether `done` holds: for what comes true without progress.
PEAL_EXPORT void wake_waits() noexcept;
/// Throws what the operation ended with: peal::error, or on the rank where it happened what the
/// user's function threw. Requires: finished, with an error.
[[noreturn]] PEAL_EXPORT void raise(operation&);
/// Throws peal::error with this place.
[[noreturn]] PEAL_EXPORT void fail(errc, const char* what, int peer, const location&);

// ---- sleep in a loop of the user's own
/// Throws errc::not_started; no_space where there are no file descriptors left.
PEAL_EXPORT sleeper* make_sleeper(const location&);
// Fine after the end of the job, and in a forked child.
PEAL_EXPORT void discard(sleeper*) noexcept;
PEAL_EXPORT int descriptor_of(const sleeper&, const location&);
/// True: from now on the descriptor is readable once there may be progress to be made. False: there
/// is, or was.
PEAL_EXPORT bool arm(sleeper&, const location&);
/// As `progress`, and looks at everything: after a sleep.
PEAL_EXPORT bool progress_after(sleeper&);

// ---- collectives
enum class scalar : std::uint8_t {
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f32,
  f64,
  f80,
  c64,
  c128,
  boolean,
  opaque
};
enum class builtin : std::uint8_t { none, sum, prod, min, max, land, lor, lxor, band, bor, bxor };

/// An operation of a reduction: a builtin on scalars, or a function of the user's.
struct reduction {
  builtin kind = builtin::none;
  bool commutative = false;
  /// inout[i] = in[i] ∘ inout[i] for `count` elements, `in` being of the lower ranks. Used when
  /// `kind` is none.
  void (*combine)(void* context, const void* in, void* inout, std::size_t count) = nullptr;
  void* context = nullptr;
  const std::type_info* function = nullptr;  // the user's, for PEAL_CHECK
};

enum class collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,  // with equal blocks and with varying ones
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall
};
/// How many kinds there are without those between neighbours, which have one algorithm, so that
/// there is nothing to choose.
inline constexpr std::size_t collectives_in_all = 11;

constexpr bool is_reduction(collective kind) noexcept {
  return kind == collective::reduce || kind == collective::allreduce ||
         kind == collective::reduce_scatter || kind == collective::scan ||
         kind == collective::exscan;
}

/// One collective call. Counts and displacements are in bytes, and one a rank of the communicator;
/// null means the same `bytes` for every rank, packed in rank order; between neighbours one a
/// source or destination, in their order. A null `send` means in place, where that has a meaning
/// (as MPI_IN_PLACE).
struct collective_call {
  // Not an aggregate: of one a compiler clears the memory as a whole, in x86 code by an instruction
  // that takes longer to begin than a small call has (AMD EPYC 7003: a twentieth of an allreduce of
  // 8 B).
  collective_call() noexcept {}

  collective kind = collective::barrier;
  bool in_place = false;
  // Blocks may differ between ranks (gatherv and the like); the same on every rank, even where
  // arrays do not matter.
  bool varying = false;
  // This rank has no memory for its part: it takes part with empty messages, by which others learn
  // of it.
  bool spoilt = false;
  scalar type = scalar::opaque;
  int root = 0;
  const void* send = nullptr;
  void* receive = nullptr;
  // Of this rank's block (bcast, reduce, allreduce, scan, exscan: of the whole vector).
  std::size_t bytes = 0;
  const std::size_t* send_bytes = nullptr;
  const std::size_t* send_offsets = nullptr;
  const std::size_t* receive_bytes = nullptr;
  const std::size_t* receive_offsets = nullptr;
  std::size_t element_size = 1;  // bytes of one element of a reduction
  reduction op;
  // For PEAL_CHECK, as what the user gave and takes; null is a type like any other.
  const std::type_info* element_type = nullptr;
};

/// Arrays and the reduction's context must live until the operation is finished. Throws what an
/// operation of the user's threw on this rank.
PEAL_EXPORT void run_collective(communicator_state&, const collective_call&, const location&);
PEAL_EXPORT operation* start_collective(communicator_state&, const collective_call&,
                                        const location&);

/// inout[i] = in[i] ∘ inout[i] for all `bytes` of the call's reduction, in this process alone.
/// Throws errc::invalid_argument where the operation has no meaning for the type.
PEAL_EXPORT void reduce_local(const collective_call&, const void* in, void* inout, const location&);

/// How a collective is made: it has one step and waits, so that it may go past messages; it goes by
/// messages; it has two steps; it is made ready.
enum class call_form : std::uint8_t { blocking, messages, steps, plan };
/// For a rank that is refused its arguments, before it throws: it takes no part in this collective.
/// The other ranks leave it out, and what depends on it ends with errc::operation_failed or
/// invalid_argument. `blocking`: waits until all other ranks have made theirs. `plan`: of the
/// starts of the next one to be made ready. run_collective, start_collective and prepare_collective
/// call this for what they refuse.
PEAL_EXPORT void take_no_part(communicator_state&, call_form, const location&);

/// A collective in two steps: the first finds out how much there is to be moved, the second moves
/// it. `next(context, call)` fills in the second call when the first has finished, and says whether
/// there is one, the same on every rank; it is called inside the engine: it must neither throw nor
/// call peal. A rank that sets an error code ends with that; if there is a second call it takes
/// part in it `spoilt`, so kind, root and lengths must be filled in all the same. The steps of
/// several operations keep the order in which the operations were started, so they may overlap with
/// anything else.
struct second_step {
  bool (*next)(void* context, collective_call& call, std::error_code& error) noexcept = nullptr;
  void* context = nullptr;
};
PEAL_EXPORT operation* start_collective(communicator_state&, const collective_call& first,
                                        const second_step&, const location&);

/// Collective, though it does not wait for the other ranks: makes a collective ready. Its schedule
/// is built and its memory taken once, and its place among the communicator's collectives made
/// ready says with which ones of the other ranks it goes; one that is refused counts. Buffers,
/// arrays and the reduction's context must live until it is discarded.
PEAL_EXPORT prepared* prepare_collective(communicator_state&, const collective_call&,
                                         const location&);
/// Starts it once more, in any order among all collectives of the communicator. Requires: the
/// operation of its last start was dropped.
PEAL_EXPORT operation* start_prepared(prepared&, const location&);
/// Throws errc::invalid_argument, with the place of the start that is under way.
[[noreturn]] PEAL_EXPORT void refuse_start(const location& under_way, const location&);
/// Requires: the operation of its last start was dropped. Called with null, after the end of the
/// job, and in a forked child: fine.
PEAL_EXPORT void discard(prepared*) noexcept;

// ---- memory
/// Memory that every rank of the node can reach directly; 64-byte aligned. Without a job, or when
/// the heap is full, ordinary memory.
PEAL_EXPORT void* allocate_shared(std::size_t bytes, const location&);
PEAL_EXPORT void deallocate_shared(void*) noexcept;

}  // namespace peal::detail
