// p2p/messaging.hpp
// Point-to-point messages of this process: starts sends and receives, matches what arrives, moves rendezvous, knows which peers are dead.
// What comm/ and collective/ call; the checks of a user's arguments are made above.
//
// Layer    p2p: may include transport/, progress/, memory/, base/.
// Units    bytes; ranks are ranks of the team given.
// Threads  one at a time: the caller holds the engine's lock where the environment asked for threads.
// Errors   nothing throws; an operation ends with an error code. Lack of memory ends the process with a line that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>

#include "p2p/team.hpp"
#include "peal/detail/core.hpp"
#include "transport/contract.hpp"

namespace peal {

using detail::growing_buffer;
using detail::matched_message;
using detail::operation;
using detail::outcome;

/// Called inside the engine when an operation ends, before anybody who waits for it sees so. It may start further operations; it must not
/// wait.
struct completion_hook {
  void (*call)(void* context, operation&) noexcept = nullptr;
  void* context = nullptr;
};

/// How this process reaches a peer; asked once a peer, on first use.
class router {
 public:
  virtual transport& route(peer_id) noexcept = 0;

 protected:
  ~router() = default;
};

class messaging {
 public:
  virtual ~messaging() = default;

  // ---- starting. The operation is owned by the caller until `release`; peers are not proc_null (the caller handles that).
  virtual operation& start_send(const team&, std::uint32_t context, const void* data, std::size_t bytes, int dest, int tag,
                                completion_hook = {}) noexcept = 0;
  virtual operation& start_recv(const team&, std::uint32_t context, void* data, std::size_t capacity, int source, int tag,
                                completion_hook = {}) noexcept = 0;
  virtual operation& start_recv_growing(const team&, std::uint32_t context, const growing_buffer&, int source, int tag,
                                        completion_hook = {}) noexcept = 0;

  /// Sends at once, without an operation, when the message is small and there is room; false: nothing happened.
  virtual bool try_send_now(const team&, std::uint32_t context, const void* data, std::size_t bytes, int dest, int tag) noexcept = 0;

  // ---- probes
  virtual bool probe(const team&, std::uint32_t context, int source, int tag, outcome&) noexcept = 0;
  virtual matched_message* take(const team&, std::uint32_t context, int source, int tag, outcome&) noexcept = 0;
  virtual operation& start_recv_matched(matched_message&, void* data, std::size_t capacity, completion_hook = {}) noexcept = 0;
  virtual void discard(matched_message&) noexcept = 0;

  // ---- ending
  /// A receive not matched, or a send of which nothing has left: ends with errc::cancelled; false when it is too late.
  virtual bool cancel(operation&) noexcept = 0;
  /// Requires: finished.
  virtual void release(operation&) noexcept = 0;
  /// A bare operation for somebody else's work (a collective): not finished until `finish`.
  virtual operation& make_operation(completion_hook = {}) noexcept = 0;
  virtual void finish(operation&, const outcome&) noexcept = 0;

  // ---- state
  /// The peer is dead: everything pending to it, or from it, ends with errc::peer_failed.
  virtual void peer_failed(peer_id) noexcept = 0;
  [[nodiscard]] virtual bool has_failed(peer_id) const noexcept = 0;
  /// Nothing of ours is on its way out: no queued send, no exposed buffer, no answer owed.
  [[nodiscard]] virtual bool idle() const noexcept = 0;
  /// Moves what can be moved: transports, queued sends. True when something moved.
  virtual bool poll() noexcept = 0;
};

}  // namespace peal
