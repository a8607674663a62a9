// transport/verbs/connect/promoter.hpp
// Which peers are connected. In a job with more peers than may be connected, a peer starts cold:
// its messages go as datagrams. After some of them, or at once for a large payload, it gets a
// connection. When as many connections as may be are open, the least used one ends for it: at once
// for a large payload, which nothing else carries, and for messages only where it has clearly less
// traffic (least_used.hpp). So peers that are used alike do not change places for ever.
//
// How messages stay in order, without a mark in either stream:
// - From datagrams to a connection: once the connection is open, messages to the peer wait until
//   every datagram is acknowledged, which means delivered. Only then does the connection carry
//   them.
// - From a connection to datagrams: nothing new is begun on the connection; when all that this side
//   fetches has come, it sends `last` behind its last message. The other side does the same when it
//   receives that. A side that has sent and received `last` uses datagrams again, and takes the
//   queue pairs away when its own `last` has arrived. A side that has sent `last`, but not received
//   it, takes no datagram of the peer's, since messages of the connection may come before it.
// Payloads asked for before `last` was sent still come, whatever way they come.
//
// When as many connections as may be are open, a request for another one stands in a line; each
// time that the line has not moved for 100 ms one more connection is asked to end. Two ranks that
// ask each other, each with its last place taken by its own request to a third rank, would wait in
// a circle: so of two pairs of ranks the lower one goes first, and the other's request is given up,
// to be made again.
//
// Layer    transport/verbs. Control path only, but for messages to cold peers.
// Threads  one at a time.
// Errors   none of its own; fetches that wait end with errc::peer_failed when their peer fails.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "base/settings.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/cold_traffic.hpp"
#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connect/least_used.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class connections;

struct promotion_rules {
  // Peers start without a connection: as soon as one rank of the job wants that, or lacks queue
  // pairs later.
  bool cold = false;
  std::uint32_t promote = usual_promote;  // after so many messages to a cold peer
  std::uint32_t max_rc = 1024;            // connections
};

class promoter {
 public:
  promoter(endpoint&, connections&, sender&, const addresses&, connector&, datagrams&, payloads&,
           const promotion_rules&, std::uint32_t peers, peer_events&);

  /// A message to a peer whose connection does not carry any. False: no room at the moment.
  [[nodiscard]] bool send(peer_id to, envelope e, const void* payload) noexcept;
  /// A fetch from a peer without a connection that is open to new ones: it waits for one.
  void wait_for(fetch&) noexcept;

  void opened(connection&) noexcept;
  /// It broke, and goes on.
  void reopened(connection&) noexcept;
  /// The peer's last message has come.
  void heard_last(connection&) noexcept;
  /// A datagram came. Whether it may be delivered.
  [[nodiscard]] bool may_take_datagrams(peer_id from) noexcept;
  /// A peer asks for a connection, and there is none. `needed`: something there waits for it that
  /// cannot go otherwise.
  [[nodiscard]] bool admits(peer_id, bool needed) noexcept;
  /// The device, or the kernel, gives no more connections: messages go as datagrams, and those that
  /// need a connection take turns. False: there is none at all, for as long as a silent adapter is
  /// waited for, and something waits that cannot go otherwise.
  [[nodiscard]] bool full(peer_id wanted) noexcept;
  /// Whether something waits for a connection to this peer.
  [[nodiscard]] bool needed(peer_id) const noexcept;
  /// There is no room for a connection to this peer at the moment: it stands in the line.
  void want_later(peer_id) noexcept;

  [[nodiscard]] bool busy() const noexcept { return !ending_.empty() || !line_.empty(); }
  bool poll() noexcept { return busy() && step(); }
  /// When `poll` may have something to do even if nothing comes.
  [[nodiscard]] std::chrono::steady_clock::time_point due() const noexcept;
  [[nodiscard]] bool cold() const noexcept { return rules_.cold; }
  [[nodiscard]] std::uint32_t most() const noexcept { return rules_.max_rc; }
  /// From now on messages to peers without a connection go as datagrams.
  void go_cold() noexcept { rules_.cold = true; }
  /// This process leaves: all peers without a connection are told.
  void send_last(const std::vector<bool>& dead) noexcept;
  /// The connection is being taken away; and it has been, with the peer alive.
  void forget(const connection&) noexcept;
  void removed(peer_id) noexcept;
  /// The peer has failed: ends the fetches that wait for it.
  void abandon(peer_id) noexcept;

 private:
  using clock = std::chrono::steady_clock;
  /// What stands in the line for a connection.
  enum class wish : std::uint8_t { none, traffic, need };

  bool step() noexcept;
  void start_fetches(connection&) noexcept;
  void want(peer_id, wish) noexcept;
  void stand_in_line(peer_id, wish) noexcept;
  [[nodiscard]] bool deserves(peer_id, std::uint32_t of_other) noexcept;
  void look_at_the_traffic() noexcept;
  bool connect_waiting() noexcept;
  void make_room() noexcept;
  void give_up_a_request(clock::time_point now) noexcept;
  void rank(clock::time_point now);
  [[nodiscard]] connection* least(clock::time_point now) noexcept;
  void begin_to_end(connection&) noexcept;
  bool go_on_ending() noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  const addresses& addresses_;
  connector& connector_;
  datagrams& datagrams_;
  payloads& payloads_;
  peer_events& events_;
  promotion_rules rules_;
  cold_traffic cold_;
  std::deque<peer_id> line_;     // want a connection
  std::vector<wish> wishes_;     // of each peer
  std::vector<fetch*> fetches_;  // wait for a connection, oldest first
  std::vector<connection*> ending_;
  clock::time_point next_demand_, next_rank_, next_attempt_;
  least_used least_used_;
  std::uint32_t least_packets_ = 0;       // of the last one that was found to be used least
  std::uint64_t term_began_ = 0;          // at so much traffic
  std::uint32_t terms_ = 0, ranked_ = 0;  // terms so far; at the last look at all connections
  std::uint32_t next_age_ = std::numeric_limits<std::uint32_t>::max();
  // While there is no connection at all, since the device gives none: since when, and when it is
  // asked again.
  clock::time_point short_since_ = clock::time_point::max(), next_try_;
  std::chrono::milliseconds patience_;
};

}  // namespace peal::verbs
