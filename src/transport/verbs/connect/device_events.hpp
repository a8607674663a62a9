// transport/verbs/connect/device_events.hpp
// What devices report unasked: that they gave a queue pair up, that a port went down or came back
// or has another address, that they are broken themselves.
//
// Most of this shows in completions too, but only in completions that are still to come, and an
// idle queue pair has none.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time. A forked child shares the descriptors, and must not read them.
// Errors   none of its own.
// Source   ibv_get_async_event(3).
#pragma once

#include <cstdint>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/reconnector.hpp"
#include "transport/verbs/connect/retired_pairs.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"

namespace peal::verbs {

class connections;

class device_events {
 public:
  /// `ports`: one of each rail.
  device_events(endpoint&, connections&, std::vector<handshake_port*> ports, retired_pairs&,
                reconnector&, payloads&, addresses&, peer_events&);

  /// One for each rail; -1: there is none.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Reads what has come, from all: a system call for each rail, even if that is nothing.
  void read() noexcept;

 private:
  struct news;
  void read(std::uint8_t rail) noexcept;
  void handle(const news&) noexcept;
  void pair_failed(const news&) noexcept;
  void mark(std::uint8_t rail, bool down) noexcept;
  void rail_failed(std::uint8_t rail, const char* cause) noexcept;
  void port_changed(const news&, bool down) noexcept;
  void address_changed(const news&) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  const std::vector<handshake_port*> ports_;  // by rail
  retired_pairs& retired_;
  reconnector& reconnector_;
  payloads& payloads_;
  addresses& addresses_;
  peer_events& events_;
  std::vector<bool> able_;  // by rail
  std::vector<bool> down_;  // the port, as far as was told
};

}  // namespace peal::verbs
