// transport/verbs/endpoint/settings.hpp
// What is decided once for all connections of an endpoint.
//
// Layer    transport/verbs. Control path only.
// Units    bytes, seconds.
// Threads  any.
// Errors   none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/settings.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

/// Whether a large message from a peer is moved faster by both ends, a half each, than by the
/// receiver's READ alone. An adapter moves either by itself. Soft-RoCE takes the CPUs of the two
/// nodes, and two halves at a time cost each of them more, unless there is one that the ranks leave
/// idle.
struct cpus_for_halves {
  bool on_own_node = true;     // from a peer with the same device
  bool on_other_nodes = true;  // from any other

  [[nodiscard]] static constexpr cpus_for_halves of(bool soft_roce, unsigned cpus,
                                                    unsigned ranks) noexcept {
    return {soft_roce && cpus > 1, soft_roce && cpus > ranks};
  }
  [[nodiscard]] constexpr bool any() const noexcept { return on_own_node || on_other_nodes; }
};

std::uint64_t steady_nanoseconds() noexcept;

/// What the user set, and what follows from it and from the job.
struct settings : verbs_settings {
  unsigned readers = 1, most_readers = 1;  // queue pairs for READs to a peer, at first and at most
  bool writes = false;                     // and one for WRITEs
  unsigned bulk = 1;                       // all of them at first
  // Of all queue pairs, and of connections: as many as this rank may have.
  std::size_t most_pairs = std::numeric_limits<std::size_t>::max(), most_connections = 1;
  std::uint32_t peers = 1;         // of the job: so many connections at most
  std::uint32_t send_depth = 127;  // devices take one more and round up to a power of two
  std::uint32_t window = 64;       // messages that a peer may send before it gets credits back
  std::uint32_t read_depth = 16;   // READs or WRITEs under way on a bulk queue pair
  std::uint32_t read_pieces = 8;   // blocks of memory that a READ is spread over, at most
  // Payloads that lie in blocks of so many bytes at least are moved without packing; 0: none.
  std::size_t least_block = 0;
  cpus_for_halves halves;  // where `automatic` has both ends work
  // Most bytes that are kept of all peers' pushes; as many of what they tell of long buffers.
  std::size_t kept = 16 << 20;
  std::size_t slots = 7744;     // pieces of pinned memory for messages, at most
  std::size_t most_pushed = 0;  // bytes of a large message that are sent unasked
  std::uint64_t (*nanoseconds)() noexcept = steady_nanoseconds;
  std::chrono::milliseconds until_return{4000};  // pairs/link_returns.hpp: of the first try

  /// Whether a peer is ever asked to write.
  [[nodiscard]] bool asks_for_writes(bool same_device) const noexcept {
    if (rendezvous != rendezvous_mode::automatic) return rendezvous != rendezvous_mode::read;
    return same_device ? halves.on_own_node : halves.on_other_nodes;
  }
};

/// Seconds until a queue pair breaks whose adapter has no answer: seven tries. Never longer than
/// the peer may be away.
[[nodiscard]] inline double silence_of(const settings& set) noexcept {
  return std::min(7 * set.ack_timeout, set.timeout);
}

/// Receives that wait to be refilled, and some for packets that are there once more by a
/// retransmission.
inline constexpr std::size_t receive_reserve = 32;

/// The same as far as the device goes: what does not fit is lowered.
settings fitted(settings wishes, const std::vector<device>&) noexcept;

/// Connections that one of so many ranks of a node may have at a time: its share of the queue pairs
/// of each device, and what their completion queues hold.
std::uint32_t most_connections(const std::vector<device>&, const settings&, unsigned ranks_of_node,
                               bool srq) noexcept;

/// Slots for messages on their way out, of all connections together: a quarter, less what slabs may
/// have too much.
[[nodiscard]] std::size_t most_sends(const settings&) noexcept;
/// Receives of all connections together, as far as pinned memory goes.
[[nodiscard]] std::size_t most_receives(const settings&) noexcept;
/// The same in a shared queue of this device.
[[nodiscard]] std::size_t most_receives(const device&, const settings&) noexcept;
/// What the peer of a connection may send before it gets credits back, where each has a receive
/// queue of its own.
[[nodiscard]] std::uint32_t own_window(const settings&) noexcept;

}  // namespace peal::verbs
