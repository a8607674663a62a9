// transport/verbs/handshake_port.hpp
// The queue pair that strangers can reach: unreliable datagrams, one packet of the handshake each.
//
// Layer    transport/verbs. Control path only.
// Threads  one at a time.
// Errors   made: throws errc::no_device or errc::locked_memory. A packet that cannot be sent says why (errno).
// Source   InfiniBand specification, 9.8.3 (datagrams); the first 40 bytes of what is received are the network header and not ours to read:
//          on RoCE with IPv4 they are no GRH.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "transport/verbs/device.hpp"
#include "transport/verbs/queue_pair.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class handshake_port {
 public:
  explicit handshake_port(const device&);
  ~handshake_port();
  handshake_port(const handshake_port&) = delete;
  handshake_port& operator=(const handshake_port&) = delete;

  [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }
  [[nodiscard]] std::uint32_t key() const noexcept { return key_; }

  /// To the peer that the packet names. 0, or why it did not leave. A packet that finds the queue full is lost like one on the wire.
  [[nodiscard]] int send(const address& to, const handshake_packet&) noexcept;
  /// Calls `got` for each packet that has the size of one. True when there were any.
  bool poll(const std::function<void(const handshake_packet&)>& got) noexcept;

 private:
  static constexpr std::size_t header_bytes = 40;
  static constexpr std::size_t cell_bytes = 128;  // of a packet, with the header
  static_assert(header_bytes + sizeof(handshake_packet) <= cell_bytes);
  static constexpr std::uint32_t receives = 256;  // everyone of a large job may start at once; what is lost is repeated
  static constexpr std::uint32_t sends = 32;

  void post_receive(std::uint32_t cell) noexcept;

  const device& on_;
  std::uint32_t key_;
  std::byte* memory_ = nullptr;
  handle<ibv_mr, ibv_dereg_mr> region_;
  completion_queue completions_;
  queue_pair pair_;
  std::uint32_t sends_under_way_ = 0;
  // A handshake sends several packets to one peer. The device looks at a way until the packet has left, so ways go when none is under way.
  static constexpr std::size_t most_routes = 64;
  std::map<peer_id, handle<ibv_ah, ibv_destroy_ah>> routes_;
};

}  // namespace peal::verbs
