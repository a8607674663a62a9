// p2p/messaging.hpp
// Point-to-point messages of this process: starts sends and receives, matches what arrives, moves
// rendezvous forward, and knows which peers are dead. comm/ and collective/ call it; the arguments
// of a user were checked above.
//
// Layer    p2p: may include transport/, progress/, memory/, base/.
// Units    bytes; ranks are ranks of the team given.
// Threads  one at a time: the caller holds the engine's lock where the environment asked for
//          threads. Teams must outlive their operations.
// Errors   nothing throws; an operation ends with an error code. Lack of memory ends the process.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "p2p/contexts.hpp"
#include "p2p/operation.hpp"
#include "p2p/operation_pool.hpp"
#include "p2p/rendezvous.hpp"
#include "p2p/team.hpp"
#include "p2p/unexpected.hpp"
#include "peal/detail/core.hpp"
#include "peal/error.hpp"
#include "progress/engine.hpp"
#include "state/rank_page.hpp"
#include "transport/contract.hpp"
#include "transport/short_path.hpp"

namespace peal {

using detail::growing_buffer;
using detail::matched_message;
using detail::operation;
using detail::outcome;

/// How this process reaches a peer; asked once a peer, on first use.
class router {
 public:
  virtual transport& route(peer_id) noexcept = 0;

 protected:
  ~router() = default;
};

/// Something that operations of this process wait for.
struct awaited {
  peer_id peer = 0;
  std::uint32_t context = 0;  // of the team
  bool collective = false;    // not a message of the user's
  friend auto operator<=>(const awaited&, const awaited&) = default;
};

/// A receive that is posted, a message that nobody has asked for, or a send that is queued or
/// announced.
struct pending_message {
  enum class what : std::uint8_t { posted, unexpected, sending };
  what kind = what::posted;
  bool from_any = false;  // a receive
  peer_id peer = 0;
  int tag = 0;
  std::uint32_t context = 0;
  std::size_t bytes = 0;  // of a receive: its room
};

struct messaging_options : message_settings {
  peer_id self = 0;
  std::uint32_t peers = 1;  // of the job
};

/// A synchronous send is not finished before its receiver has matched it. The data of a packed one
/// are a detail::packer.
enum class send_form : std::uint8_t { ordinary, synchronous, packed, packed_synchronous };

class messaging final : public sink, public progress_source {
 public:
  /// Becomes a source of the engine. Transports are added as they come up, before the first
  /// message; they must outlive it.
  messaging(engine&, router&, const messaging_options&);
  ~messaging();
  void add(transport&);
  /// Before the first message, with all transports: counts what is sent there. Of messages that
  /// leave by try_send_short only how many, some polls later: two stores more for each of these
  /// took 16 % of peal_mbw_mr's rate.
  void count_in(state::lane_activity& where) noexcept {
    sent_ = &where;
    for (transport* each : transports_) each->count_short_in(where.messages);
  }

  // ---- starting. The operation is owned by the caller until `release`; peers are not proc_null
  // (the caller handles that). It may be finished on return, and its hook is not called then.
  operation& start_send(const team&, std::uint32_t context, const void* data, std::size_t bytes,
                        int dest, int tag, completion_hook = {},
                        send_form = send_form::ordinary) noexcept;
  /// Whether a payload of that length may be packed while it is on its way there: `packed`.
  [[nodiscard]] bool packs_on_the_way(const team&, std::size_t bytes, int dest) noexcept;
  operation& start_recv(const team&, std::uint32_t context, void* data, std::size_t capacity,
                        int source, int tag, completion_hook = {}) noexcept;
  /// `absorb` takes the payload, piece by piece as fetch::absorb says, inside the engine; f.context
  /// is the operation, its `owner` is `context`. `landing`: `capacity` bytes in which pieces may
  /// lie meanwhile. `blocks`: fetch::blocks; it lives as long as the operation.
  operation& start_recv_absorbed(const team&, std::uint32_t context, decltype(fetch::absorb),
                                 void* owner, void* landing, std::size_t capacity, int source,
                                 int tag, completion_hook = {},
                                 const detail::strided_blocks* blocks = nullptr) noexcept;
  /// start_recv where it is nothing but to be posted, and that by the shortest way; null, and
  /// nothing happened, where it is not.
  operation* try_post(const team&, std::uint32_t context, void* data, std::size_t capacity,
                      const match_pattern&) noexcept;
  /// `allocate` is called inside the engine, so with its lock held where threads were asked for.
  operation& start_recv_growing(const team&, std::uint32_t context, const growing_buffer&,
                                int source, int tag, completion_hook = {}) noexcept;

  /// Sends at once, without an operation, when the message is small and there is room. False:
  /// nothing happened.
  [[nodiscard]] bool try_send(const team& in, std::uint32_t context, const void* data,
                              std::size_t bytes, int dest, int tag) noexcept {
    const peer_id to = in.peer(dest);
    const peer_state& peer = peers_[to];
    const bool sent =
        static_cast<std::int64_t>(bytes) <= peer.direct_limit &&
        peer.via->send_eager(to,
                             envelope::make(context, tag, static_cast<std::uint32_t>(in.rank()),
                                            envelope_kind::eager, bytes),
                             data);
    if (sent) count_sent(bytes);
    return sent;
  }
  /// The same without a call, where the transport can do that and nothing is unusual.
  [[nodiscard, gnu::always_inline]] bool try_send_short(const team& in, std::uint32_t context,
                                                        const void* data, std::size_t bytes,
                                                        int dest, int tag) noexcept {
    const peer_state& peer = peers_[in.peer(dest)];
    if (static_cast<std::int64_t>(bytes) > peer.direct_limit || peer.short_path == nullptr ||
        !peer.short_path->takes(bytes))
      return false;
    // Only now, so that until then there are registers for everything that a longer way needs.
    peer.short_path->write_short(envelope::make(context, tag, static_cast<std::uint32_t>(in.rank()),
                                                envelope_kind::eager, bytes),
                                 data, bytes);
    return true;
  }
  /// The same for blocking sends: to oneself always, by a copy if need be.
  [[nodiscard]] bool try_send_now(const team& in, std::uint32_t context, const void* data,
                                  std::size_t bytes, int dest, int tag) noexcept {
    return try_send(in, context, data, bytes, dest, tag) ||
           send_now_slowly(in, context, data, bytes, dest, tag);
  }

  /// For a nonblocking send whose message a transport has taken, but holds back: an operation that
  /// finishes once none holds any. So a rank that waits for one makes the progress that posts it,
  /// and nothing is held while the program computes.
  operation& add_held() noexcept { return *held_.emplace_back(&make_operation()); }

  /// What is sent until `none` leaves together, to each peer, or to all peers without a connection,
  /// with one doorbell, where the transport has such.
  void hold_together(batching wanted) noexcept {
    for (transport* each : transports_) each->hold_together(wanted);
  }

  // ---- probes
  /// The first message that matches, left in its place; null when there is none, with
  /// outcome::error where a receive would fail because the rank that should send is dead.
  matched_message* probe(const team&, std::uint32_t context, int source, int tag,
                         outcome&) noexcept;
  /// The same, taken out of matching. What is taken ends with start_recv_matched or discard.
  matched_message* take(const team&, std::uint32_t context, int source, int tag, outcome&) noexcept;
  operation& start_recv_matched(matched_message&, void* data, std::size_t capacity,
                                completion_hook = {}) noexcept;
  void discard(matched_message&) noexcept;

  // ---- ending
  /// A receive not matched, or a send of which nothing has left: ends with errc::cancelled; false
  /// when it is too late.
  bool cancel(operation&) noexcept;
  /// Requires: finished.
  void release(operation& over) noexcept { operations_.give_back(over); }
  /// Requires: finished without an error.
  void release_good(operation& over) noexcept { operations_.give_back_good(over); }
  /// No thread waits for it any more: when it has finished it is released, and `owner_free(owner)`
  /// is called, with no lock held, by the next progress call. Requires: neither a completion hook
  /// nor a user's hook that needs the operation.
  void detach(operation&, void (*owner_free)(void*) noexcept = nullptr,
              void* owner = nullptr) noexcept;
  /// `hook(context)` is called, with no lock held, at the end of the progress call in which the
  /// operation finishes, or of a later one. False: it is finished already, and the caller calls the
  /// hook. A hook that another one replaces is called likewise, without the operation's end.
  bool on_finish(operation&, void (*hook)(void*), void* context) noexcept;
  /// A bare operation for work of another part (a collective): not finished until `finish`.
  operation& make_operation(completion_hook = {}) noexcept;
  void finish(operation&, const outcome&) noexcept;
  /// The same for an operation whose `result` is written already; its error is clear unless the
  /// caller has set it.
  void finish(operation& over) noexcept { end(over); }

  // ---- state
  /// The peer is dead: everything pending to it, or from it, ends with errc::peer_failed. Messages
  /// of it that have arrived can be received.
  void peer_failed(peer_id) noexcept;
  /// The same for a peer that has left while others go on. Receives from any source wait on: they
  /// are for messages of the peers that stay.
  void peer_left(peer_id) noexcept;
  /// The members have given up the messages of this context, for good: receives that wait in it,
  /// and those posted from now on, end with errc::peer_failed, as probes do. Messages that have
  /// come or will come are thrown away, and senders that wait for one to be taken are told
  /// errc::peer_failed.
  void revoke(std::uint32_t context) noexcept;
  /// Whether any peer has died, left or come to its end, or a context was revoked.
  [[nodiscard]] bool somebody_gone() const noexcept { return somebody_gone_; }
  [[nodiscard]] bool has_failed(peer_id peer) const noexcept { return peers_[peer].failed; }
  /// The peer is at its end, and what it sent has arrived: receives that wait for more from it end
  /// with errc::peer_failed, those posted from now on too. It answers still, and refuses by itself
  /// what is sent to it.
  void peer_ended(peer_id) noexcept;
  [[nodiscard]] bool has_ended(peer_id peer) const noexcept { return peers_[peer].ended; }
  /// Appends the peers that operations wait for. For a receive from any source that is one of the
  /// peers that may still send; where there is none the receive ends with errc::peer_failed if
  /// `may_end`.
  void list_awaited(std::vector<awaited>&, bool may_end);
  /// Everything of that kind, of the user's and of collectives.
  void for_each_pending(void (*see)(void* context, const pending_message&), void* context) noexcept;
  /// A probe has looked in vain for a message of that source, and may look again: until the next
  /// list the source counts as waited for. False: no peer is left that may send one.
  bool note_probe(const team&, int source) noexcept;
  /// Whether something of the user's is to be called when an operation ends.
  [[nodiscard]] bool has_hooks() const noexcept { return hooked_ != 0; }
  /// At the end, or after a failure: this process will ask for no more messages. What has come
  /// unasked is thrown away, and so is what comes unasked from now on; senders that wait for their
  /// announcement to be taken are told errc::peer_failed.
  void refuse_unexpected() noexcept;
  /// A send that is queued or announced, null when there is none: what `idle` waits for.
  [[nodiscard]] const operation* pending_send() const noexcept;
  /// Nothing of ours is on its way out: no queued send, no exposed buffer, no answer owed.
  [[nodiscard]] bool idle() const noexcept { return outgoing_ == 0; }
  /// Forgets a context that no communicator uses any more. Requires: nothing is posted in it.
  /// Messages that were not received are thrown away.
  void forget(std::uint32_t context) noexcept;
  /// Moves what can be moved: transports, queued sends. True when something moved.
  bool poll() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  void rang(int descriptor) noexcept override;
  [[nodiscard]] deadline wakes_at() const noexcept override;
  void arrived(peer_id from, envelope, const std::byte* payload) noexcept override;
  std::uint32_t arrived_short(const short_run&) noexcept override;

 private:
  using error = std::error_code;

  struct peer_state {
    transport* via = nullptr;  // null: never talked to
    // Longest message that may be handed to the transport at once; -1: look at the rest first.
    std::int64_t direct_limit = -1;
    // Sends and answers in order, while there is no space; null: none yet.
    std::unique_ptr<linked_list<operation>> queue;
    peal::short_path* short_path = nullptr;  // of the transport, where it has such
    std::uint32_t eager_limit = 0;
    bool failed = false;
    bool ended = false;    // sends no more
    bool stalled = false;  // stands in stalled_
  };
  static_assert(sizeof(peer_state) <= 64, "memory for a peer never talked to");

  enum class handed : std::uint8_t { no_space, whole, announcement };

  /// relaxed: read by other programs only.
  [[gnu::always_inline]] void count_sent(std::size_t bytes) noexcept {
    sent_->messages.store(sent_->messages.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
    sent_->bytes.store(sent_->bytes.load(std::memory_order_relaxed) + bytes,
                       std::memory_order_relaxed);
  }

  // send.cpp: what goes out
  [[nodiscard]] std::int64_t direct_limit_of(const peer_state&) const noexcept;
  [[nodiscard]] bool try_send_packed(const team&, std::uint32_t context, const detail::packer&,
                                     std::size_t bytes, int dest, int tag) noexcept;
  [[nodiscard]] bool takes_eager(const peer_state&, const operation&) const noexcept;
  bool send_now_slowly(const team&, std::uint32_t context, const void* data, std::size_t bytes,
                       int dest, int tag) noexcept;
  bool buffer_send(const team&, std::uint32_t context, const void* data, std::size_t bytes,
                   int dest, int tag) noexcept;
  peer_state& reach(peer_id) noexcept;
  handed hand_over(operation&, peer_state&) noexcept;
  void handed_over(operation&, handed) noexcept;
  void queue(operation&, peer_state&) noexcept;
  bool flush() noexcept;
  bool finish_held() noexcept;
  bool flush(peer_state&) noexcept;

  // receive.cpp: what comes in
  operation& new_receive(const team&, std::uint32_t context, int source, int tag) noexcept;
  void post(operation&, const completion_hook&) noexcept;
  [[gnu::noinline]] void post_slow(context_state&, operation&, completion_hook) noexcept;
  void consume(operation&, matched_message&) noexcept;
  [[gnu::noinline]] void arrived_slow(peer_id from, envelope, const std::byte* payload) noexcept;
  [[gnu::noinline]] void deliver_in_part(operation&, std::uint64_t key, const std::byte* payload,
                                         std::size_t bytes) noexcept;
  [[gnu::noinline]] void deliver_long(operation&, const std::byte* payload,
                                      std::size_t bytes) noexcept;
  void deliver(operation&, std::uint64_t key, const std::byte* payload, std::size_t bytes) noexcept;
  bool make_room(operation&, std::uint64_t key, std::size_t bytes) noexcept;
  void keep(context_state&, peer_id from, envelope, const std::byte* payload) noexcept;
  void drop(matched_message&) noexcept;
  void refuse(peer_id from, const std::byte* announced) noexcept;
  void refuse_unexpected(context_state&) noexcept;
  void tell_senders(bool wants_eager) noexcept;

  // rendezvous.cpp: messages that are announced, fetched and answered
  handed announce(operation&, peer_state&) noexcept;
  void accept(operation&, std::uint64_t key, peer_id from, const announcement&) noexcept;
  void fetched(operation&, error) noexcept;
  void hide_from_matching(operation&) noexcept;
  void answer(peer_id to, std::uint64_t id, error) noexcept;
  bool send_answer(peer_state&, peer_id to, std::uint64_t id, int error) noexcept;
  void answered(peer_id from, const std::byte* payload) noexcept;

  // failures.cpp
  void lose(peer_id, bool died) noexcept;
  void drain() noexcept;
  void put_aside_sends(peer_id, linked_list<operation>& aside) noexcept;
  void put_aside_receives(peer_id, bool died, linked_list<operation>& aside) noexcept;
  void put_aside(context_state&, operation& receive, linked_list<operation>& aside) noexcept;
  [[nodiscard]] int who_may_send(const team&) const noexcept;
  bool fails_for_failure(context_state&, const team& among, int source) noexcept;
  bool ends_for_failure(context_state&, operation&) noexcept;

  // Nothing of the operation is touched after its hook, which may release it.
  [[gnu::always_inline]] void end(operation& over) noexcept {
    if (over.flags & (operation::hooked | operation::detached | operation::slept_for)) [[unlikely]]
      return end_noted(over);
    over.state = operation_state::done;
    const completion_hook hook = over.hook;
    if (hook.call) over.hook.call = nullptr;  // as it is in the pool
    // release: pairs with the acquire in detail::finished().
    over.finished.store(true, std::memory_order_release);
    if (hook.call) hook.call(hook.context, over);
  }
  void end(operation&, error) noexcept;
  [[gnu::noinline]] void end_noted(operation&) noexcept;

  engine& engine_;
  router& router_;
  const peer_id self_;
  const messaging_options options_;
  std::vector<peer_state> peers_;
  std::vector<transport*> transports_;
  state::lane_activity none_shown_;
  state::lane_activity* sent_ = &none_shown_;
  context_table contexts_;
  operation_pool operations_{*this};
  message_pool messages_;
  linked_list<operation> announced_;
  std::vector<peer_id> stalled_;  // peers with a queue that is not empty
  // Sends that finish when no transport holds messages, and those that finish just now.
  std::vector<operation*> held_, finishing_;
  std::vector<peer_id> failures_;  // in the order heard of
  bool somebody_gone_ = false;     // dead, left or at its end; or a context is revoked
  bool has_probed_ = false;
  awaited probed_;            // the last one, since the last list
  std::size_t outgoing_ = 0;  // queued, announced or owed an answer
  std::size_t unexpected_bytes_ = 0;
  std::size_t hooked_ = 0;   // operations with a user's hook
  bool wants_eager_ = true;  // what the transports were told last
  bool refusing_ = false;    // see refuse_unexpected
};

// The starts of receives, inlined where they are called: a function of eight arguments took a fifth
// of a small message's time.

[[gnu::always_inline]] inline operation& messaging::new_receive(const team& in,
                                                                std::uint32_t context, int source,
                                                                int tag) noexcept {
  operation& wanted = operations_.take(operation_kind::receive);
  const match_pattern pattern = match_pattern::of(source, tag);
  wanted.key = pattern.key;
  wanted.mask = pattern.mask;
  wanted.members = &in;
  wanted.target = context;
  return wanted;
}

[[gnu::always_inline]] inline void messaging::post(operation& wanted,
                                                   const completion_hook& hook) noexcept {
  context_state& at = contexts_.at(wanted.target);
  if (!at.unexpected.empty() || somebody_gone_) [[unlikely]]
    return post_slow(at, wanted, hook);
  wanted.state = operation_state::posted;
  at.posted.add(wanted);
  // Word by word: the caller has just written it so, and one load of both words would wait for
  // every store before it to leave the core, the one into a peer's box among them.
  wanted.hook.call = hook.call;
  wanted.hook.context = hook.context;
}

[[gnu::always_inline]] inline operation& messaging::start_recv(const team& in,
                                                               std::uint32_t context, void* data,
                                                               std::size_t capacity, int source,
                                                               int tag,
                                                               completion_hook hook) noexcept {
  operation& wanted = new_receive(in, context, source, tag);
  wanted.buffer = data;
  wanted.capacity = capacity;
  post(wanted, hook);
  return wanted;
}

// Everything that may call a function is asked first, so that no register needs to be saved.
[[gnu::always_inline]] inline operation* messaging::try_post(const team& in, std::uint32_t context,
                                                             void* data, std::size_t capacity,
                                                             const match_pattern& from) noexcept {
  context_state* const at = contexts_.recent(context);
  if (!at || !operations_.any() || somebody_gone_ || !at->unexpected.empty() ||
      at->posted.indexed()) [[unlikely]]
    return nullptr;
  operation& wanted = operations_.take_free(operation_kind::receive, operation_state::posted);
  wanted.key = from.key;
  wanted.mask = from.mask;
  wanted.members = &in;
  wanted.target = context;
  wanted.buffer = data;
  wanted.capacity = capacity;
  at->posted.add_to_list(wanted);
  return &wanted;
}

}  // namespace peal
