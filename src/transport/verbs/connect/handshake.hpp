// transport/verbs/connect/handshake.hpp
// What a connection knows of how it was agreed upon. The connector alone writes it.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class handshake {
 public:
  using clock = std::chrono::steady_clock;

  /// From the first packet until the connection is open.
  [[nodiscard]] bool under_way() const noexcept { return exchange_ != nullptr; }
  /// Requires: under way.
  [[nodiscard]] clock::time_point since() const noexcept { return exchange_->since; }
  /// The connection broke, and is to go on: from then until it is open again.
  [[nodiscard]] bool goes_on() const noexcept { return goes_on_; }
  /// The link that carries messages (links.hpp).
  [[nodiscard]] std::uint8_t link() const noexcept { return link_; }

 private:
  friend class connector;
  struct exchange {
    handshake_packet last;  // what is repeated
    clock::time_point repeat_at;
    std::chrono::milliseconds pause{0};
    clock::time_point since = clock::now();
    // The peer has no queue pairs at all.
    clock::time_point without_since = clock::time_point::max();
    int searches = 0;  // for the way to the peer, in vain
    bool complained = false;
  };
  std::unique_ptr<exchange> exchange_;
  std::unique_ptr<handshake_packet> asked_;  // to go on, while this side could not answer
  bool goes_on_ = false;
  bool was_open_ = false;
  std::uint8_t link_ = 0;
  std::uint32_t own_psn_ = 0;
  remote_queue remote_;               // of the queue pair for messages
  std::uint32_t attempt_ = 0;         // the connection's number here
  std::uint32_t remote_attempt_ = 0;  // and there
};

}  // namespace peal::verbs
