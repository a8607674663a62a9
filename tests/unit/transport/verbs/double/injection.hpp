// tests/unit/transport/verbs/double/injection.hpp
// Packets that no transport has sent: from a stranger who knows how to reach a card, and from a
// host whose memory is damaged, or whose rank lies, over a connection that there is.
//
// Threads  under `guard()`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

/// Comes to the datagram queue pair of this card, with its Q_Key. False: there is none that
/// receives.
bool inject_datagram(card& to, std::span<const std::byte> packet);

/// Sends over the queue pair for messages from one card to another, beside the transport that has
/// made it.
class lying_host {
 public:
  lying_host(card& from, card& to);
  ~lying_host();
  lying_host(const lying_host&) = delete;
  lying_host& operator=(const lying_host&) = delete;

  /// `immediate`: 0 for none. False: there is no such connection, or it takes nothing any more.
  bool send(std::span<const std::byte> packet, std::uint32_t immediate);

 private:
  [[nodiscard]] pair* find() const;

  card& from_;
  card& to_;
  std::vector<std::byte> memory_;
  ibv_mr* region_ = nullptr;
  ibv_pd* domain_ = nullptr;
};

}  // namespace peal::verbs_double
