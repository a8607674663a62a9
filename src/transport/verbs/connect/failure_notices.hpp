// transport/verbs/connect/failure_notices.hpp
// Tells a peer that was given up that it was given up, until the peer confirms. Then both ends
// agree that they have lost each other, and no message of one goes missing at the other without a
// word.
//
// A peer that was given up may be alive: the network between the two was cut, or the peer was
// stopped. It may have nothing to send, so it is told unasked, at growing intervals; and any packet
// that comes from it is answered with the notice at once. The peer confirms, and gives this process
// up too.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
// Errors   none: what cannot be sent is not repeated.
#pragma once

#include <chrono>
#include <vector>

#include "transport/verbs/connect/connector.hpp"

namespace peal::verbs {

class failure_notices {
 public:
  using clock = std::chrono::steady_clock;
  explicit failure_notices(connector& by) : connector_{by} {}

  /// From now on until `confirmed`. Requires: the peer has told an address.
  void tell(peer_id) noexcept;
  /// A packet came from one that was given up.
  void remind(peer_id which) noexcept { (void)connector_.say(which, handshake_kind::failed, 0); }
  void confirmed(peer_id) noexcept;

  [[nodiscard]] bool any() const noexcept { return !untold_.empty(); }
  /// When `repeat` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept;
  void repeat(clock::time_point now) noexcept;

 private:
  struct notice {
    peer_id to;
    clock::time_point at;
    std::chrono::milliseconds pause;
  };
  connector& connector_;
  std::vector<notice> untold_;
};

}  // namespace peal::verbs
