// p2p/operation.hpp
// A send, a receive or a collective under way, and what became of it.
//
// Laid out by cache lines: matching walks along the second, an eager message touches the first two
// only.
//
// Layer    p2p: may include transport/, progress/, memory/, base/.
// Units    bytes; outcome.source is a rank of the team, `target` of a send a peer.
// Threads  everything under the engine's lock but `finished`, which any thread may read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "p2p/linked_list.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"
#include "transport/contract.hpp"

namespace peal {

class messaging;

/// Called inside the engine when an operation ends after the call that started it, once `finished`
/// reads true. Not called when it has ended by the time start_…() returns: look at `finished` then.
/// It may start further operations and release this one; it must not wait or poll.
struct completion_hook {
  void (*call)(void* context, detail::operation&) noexcept = nullptr;
  void* context = nullptr;
};

enum class operation_kind : std::uint8_t {
  send,
  receive,
  answer,  // p2p's own: `fetched` on its way to a sender
  other    // of a collective, or of another caller of make_operation
};

enum class operation_state : std::uint8_t {
  free,       // in the pool
  working,    // being started; or in the hands of another part than matching
  posted,     // a receive that waits for its message
  queued,     // a send or an answer that waits for space
  announced,  // a send that waits for `fetched`
  fetching,   // a receive whose payload is on its way
  done
};

}  // namespace peal

namespace peal::detail {

/// First line: where the payload lies, and the end.
struct alignas(cache_line) operation_end : operation_head {
  void* buffer = nullptr;    // the owner of a growing buffer, when `allocate` is set
  std::size_t capacity = 0;  // send: the length
  location origin{};         // where the user started it; set by comm
};
static_assert(sizeof(operation_end) == cache_line);

/// Second line: matching.
struct operation_match : operation_end, list_node {
  // receive: source << 32 | tag, the wildcards zero; send: context << 32 | tag
  std::uint64_t key = 0;
  std::uint64_t mask = 0;  // receive: the bits of a message's key that must equal `key`
  completion_hook hook;    // in the pool, and without one: `call` is null
  const team* members = nullptr;
  operation_kind kind = operation_kind::other;
  operation_state state = operation_state::free;
  std::uint8_t flags = 0;    // of the constants below: says what of the third line holds
  std::uint8_t unused = 0;   // written too, so that these four go with one store
  std::uint32_t target = 0;  // send, answer: the peer; receive: the context
};
static_assert(sizeof(operation_match) == 2 * cache_line);

struct operation : operation_match, chain_node<0> {
  static constexpr std::uint8_t growing = 1;  // `allocate` makes the buffer
  static constexpr std::uint8_t hooked = 2;   // `user_hook` is to be called
  // No caller will release it: it does so itself, and calls `owner_free`.
  static constexpr std::uint8_t detached = 4;
  // A send whose payload the transport knows: transfer.where.
  static constexpr std::uint8_t exposed = 8;
  // A send that is announced however short it is, so that it ends when it is matched.
  static constexpr std::uint8_t synchronous = 32;
  // A send whose buffer is a detail::packer. It is announced, as a synchronous one.
  static constexpr std::uint8_t packed = 128;
  // transfer.absorb takes the payload, with `owner` for itself; in the buffer pieces may lie
  // meanwhile.
  static constexpr std::uint8_t absorbing = 16;
  static constexpr std::uint8_t slept_for = 64;  // a thread sleeps, or has slept, until its end

  // ---- third line, with chain_node: what few operations need
  std::uint64_t order = 0;  // receive: its place among those posted, while they are indexed
  void* (*allocate)(void* owner, std::size_t bytes) noexcept = nullptr;  // receive of unknown size
  std::uint32_t index = 0;  // its place in the pool, and
  // How often it has announced: together the id that travels in an announcement.
  std::uint32_t generation = 0;
  void (*user_hook)(void* context) = nullptr;
  void* user_context = nullptr;
  void (*owner_free)(void* owner) noexcept = nullptr;  // detached: gives the buffers back
  void* owner = nullptr;
  // ---- then: rendezvous
  std::uint64_t remote_id = 0;  // fetching, answer: the sender's operation
  messaging* home = nullptr;    // whose pool it is of; constant
  fetch transfer;               // receive: the fetch; send: `where` is what it exposed
};

}  // namespace peal::detail
