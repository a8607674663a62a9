// transport/verbs/connect/failure_notices.hpp
// Who was given up is told so, until it has heard it: both ends agree then that they have lost each
// other, and no message of one is missing at the other without a word.
//
// A peer that was given up may live: the network between the two was cut, or it was stopped. It may
// have nothing to send, so it is told unasked, at growing intervals; and whatever packet comes from
// it is answered so at once. It confirms, and gives this process up too.
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
