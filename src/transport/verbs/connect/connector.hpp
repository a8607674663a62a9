// transport/verbs/connect/connector.hpp
// Connections on first use. They take three packets over the handshake port: request, reply,
// acknowledgement. A side that waits for a packet repeats its own.
//
//   requester  makes a queue pair (INIT), sends the request. At the reply: takes it to RTR and RTS
//              (open), sends the acknowledgement.
//   answerer   At the request: makes a queue pair, takes it to RTR, sends the reply. At the
//              acknowledgement, or the first message: takes it to RTS (open).
//
// So neither side sends before the other one can receive. When both start at once, the lower rank's
// request is answered and the other one ignored.
//
// A connection has a number on each side, counted up, so that packets of an earlier connection
// between the two are known as such. A request may be given up as long as it is not answered; a
// reply to it is then answered with `gone`. What is not proven to come from a process of this job,
// or came before, is dropped and counted (handshake_packing.hpp). A handshake is never given up for
// lack of an answer: the peer may compute for an hour before it looks. A peer that was given up for
// another reason is told so (notices.hpp).
//
// A connection that broke goes on in the same way, under a new number on both sides
// (reconnector.hpp says when). Requests and replies then say how many packets of the other side
// have been read, and what was sent beyond that is sent again.
//
// Layer    transport/verbs. Control path only.
// Threads  one at a time.
// Errors   what cannot be made, or reached, is told to peer_events::refused, with the cause logged.
#pragma once

#include <array>
#include <chrono>
#include <span>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/handshake.hpp"
#include "transport/verbs/connect/handshake_packing.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class connections;

class connector {
 public:
  using clock = std::chrono::steady_clock;
  connector(endpoint&, connections&, sender&, std::vector<handshake_port*> ports, addresses&,
            std::uint32_t peers, peer_events&);

  void start(peer_id) noexcept;
  /// Whether a packet may reach it. False: peer_events::refused has been told.
  [[nodiscard]] bool may_reach(peer_id) noexcept;
  /// A packet that begins with handshake_packet::mark.
  void got(const std::byte* packet, std::size_t bytes) noexcept;
  /// Packets that are due. True when something moved.
  bool poll() noexcept { return !waiting_.empty() && repeat(clock::now()); }
  [[nodiscard]] bool busy() const noexcept { return !waiting_.empty(); }
  /// When `poll` has something to repeat.
  [[nodiscard]] clock::time_point due() const noexcept;
  /// From now on no peer gets a connection any more.
  void leave() noexcept { leaving_ = true; }
  /// A packet of no connection. 0, or why it did not leave.
  int say(peer_id, handshake_kind, std::uint32_t answers) noexcept;
  /// A request that was not answered is given up, and its connection removed.
  void cancel(connection&) noexcept;

  /// It broke, and is to go on; over this link, unless the peer asks for another one.
  void interrupted(connection&, std::uint8_t link) noexcept;
  /// The queue pair for messages, and its own receives, end.
  void drop_control(connection&) noexcept;
  /// Where the next try is to go: to the next link in turn, or the same when `same`; past those
  /// whose port here is known to be down.
  [[nodiscard]] std::uint8_t next_link(const connection&, bool same) const noexcept;
  /// A connection that broke goes on: asks the peer for it, or answers the peer that has asked.
  /// False: the device gives no queue pair at the moment. Requires: interrupted, without queue
  /// pairs; everything that had come over them was read.
  [[nodiscard]] bool go_on(connection&) noexcept;

  /// A message came over this connection, so the peer has our reply.
  void heard(connection&) noexcept;
  /// The connection is being taken away.
  void forget(connection&) noexcept;

 private:
  connection* make(peer_id) noexcept;
  void complain(const connection&) const noexcept;
  void requested(const handshake_packet&) noexcept;
  void replied(const handshake_packet&) noexcept;
  void asked_to_go_on(connection&, const handshake_packet&) noexcept;
  void sent_away(const handshake_packet&) noexcept;
  void over(const handshake_packet&) noexcept;
  void begin(connection&) noexcept;
  void answer(connection&, const handshake_packet&) noexcept;
  [[nodiscard]] bool learn(connection&, const handshake_packet&) noexcept;
  [[nodiscard]] bool begin_sending(connection&) noexcept;
  void open(connection&) noexcept;
  [[nodiscard]] std::array<rail_place, most_rails> own_places() const noexcept;
  [[nodiscard]] handshake_packet packet(const connection&, handshake_kind,
                                        std::uint32_t answers) const noexcept;
  [[nodiscard]] int send(handshake_packet) noexcept;
  void send_and_repeat(connection&, const handshake_packet&) noexcept;
  bool repeat(clock::time_point now) noexcept;
  [[nodiscard]] static bool may_retry(handshake&, int why) noexcept;
  void give_up(connection&, const char* what, int why) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  addresses& addresses_;
  peer_events& events_;
  const std::vector<handshake_port*> ports_;  // by rail
  handshake_packing packing_;
  std::vector<connection*> waiting_;          // requesting or answered
  std::vector<std::uint32_t> last_attempts_;  // of each peer, as far as one is known
  std::uint32_t attempts_ = 0;                // connections begun
  bool leaving_ = false;
};

}  // namespace peal::verbs
