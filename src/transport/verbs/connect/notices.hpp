// transport/verbs/connect/notices.hpp
// What peers are told unasked, at growing intervals until they confirm: one kind of news.
//
// That a peer was given up (handshake_kind::failed): then both ends agree that they have lost each
// other, and no message of one goes missing at the other without a word. Such a peer may be alive:
// the network between the two was cut, or the peer was stopped. Any packet that comes from it is
// answered with the notice at once. The peer confirms, and gives this process up too.
//
// That the ports of this process have other addresses (handshake_kind::moved), for peers that have
// no handshake of a connection to learn it from.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
// Errors   none: what cannot be sent is not repeated.
#pragma once

#include <chrono>
#include <vector>

#include "transport/verbs/connect/connector.hpp"

namespace peal::verbs {

class notices {
 public:
  using clock = std::chrono::steady_clock;
  notices(connector& by, handshake_kind what) : connector_{by}, what_{what} {}

  /// From now on until `confirmed`, which follows at once where nothing can ever be sent. Requires:
  /// the peer has told an address.
  void tell(peer_id) noexcept;
  /// Once more, to one that seems not to know.
  void remind(peer_id which) noexcept { (void)connector_.say(which, what_, 0); }
  void confirmed(peer_id) noexcept;

  [[nodiscard]] bool any() const noexcept { return !untold_.empty(); }
  /// When `repeat` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept;
  void repeat(clock::time_point now) noexcept;
  /// Those who have not confirmed what they were told for so long.
  [[nodiscard]] std::vector<peer_id> silent(clock::time_point now,
                                            clock::duration for_so_long) const;

 private:
  struct notice {
    peer_id to;
    clock::time_point at;
    std::chrono::milliseconds pause;
    clock::time_point since;
  };
  [[nodiscard]] bool say(peer_id) noexcept;
  connector& connector_;
  const handshake_kind what_;
  std::vector<notice> untold_;
};

}  // namespace peal::verbs
