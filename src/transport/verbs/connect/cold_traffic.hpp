// transport/verbs/connect/cold_traffic.hpp
// What goes to peers without a connection, in the packets that a connection would have posted, so
// that it can be compared with what goes to those that have one.
//
// Counts are of late: after each term of the process's traffic they weigh half. Terms are no spans
// of time, since iterations of one program take milliseconds, and of another minutes. A count is
// halved when it is looked at, so the end of a term costs nothing.
//
// Layer    transport/verbs. Control path, and each message to a peer without a connection.
// Units    packets of a connection; a packet that came as a datagram counts as a part of one.
// Threads  one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/contract.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class cold_traffic {
 public:
  explicit cold_traffic(std::uint32_t peers) : by_peer_(peers) {}

  /// A message: the first one of a turn is a packet, those behind it share packets. Messages to
  /// this peer since `forget`.
  std::uint32_t sent(peer_id to, std::uint32_t turn, std::size_t bytes) noexcept {
    of_peer& mine = now(to);
    const auto with_envelope = static_cast<std::uint32_t>(aligned(sizeof(envelope) + bytes));
    if (mine.turn != turn || mine.messages == 0) {
      add(mine, whole);
      mine.turn = turn;
      mine.fill = slot_bytes;  // it leaves by itself
    } else if (mine.fill + with_envelope > slot_bytes) {
      add(mine, whole);
      mine.fill = with_envelope;
    } else {
      mine.fill += with_envelope;
    }
    return ++mine.messages;
  }
  /// Something came.
  void received(peer_id from) noexcept { add(now(from), 1); }
  /// A large payload waits for a connection.
  void waits(peer_id from) noexcept { add(now(from), whole); }

  [[nodiscard]] std::uint32_t packets(peer_id with) noexcept { return now(with).parts / whole; }
  /// It has, or had, a connection: its messages are counted anew.
  void forget(peer_id with) noexcept { by_peer_[with] = {.term = term_}; }

  void next_term() noexcept { ++term_; }
  /// Packets with all of them, since the start.
  [[nodiscard]] std::uint64_t all() const noexcept { return all_ / whole; }

 private:
  /// Datagrams of 4 KiB, the usual ones, in a packet of a connection.
  static constexpr std::uint32_t whole = 2;
  struct of_peer {
    std::uint32_t messages = 0;
    std::uint32_t parts = 0;  // of packets
    std::uint32_t turn = 0;
    std::uint32_t fill = 0;  // bytes in the last packet of this turn
    std::uint32_t term = 0;  // up to which `parts` has been halved
  };
  of_peer& now(peer_id with) noexcept {
    of_peer& mine = by_peer_[with];
    if (const std::uint32_t over = term_ - mine.term; over != 0) {
      mine.parts = over < 32 ? mine.parts >> over : 0;
      mine.term = term_;
    }
    return mine;
  }
  void add(of_peer& to, std::uint32_t parts) noexcept {
    to.parts += parts;
    all_ += parts;
  }

  std::vector<of_peer> by_peer_;
  std::uint32_t term_ = 0;
  std::uint64_t all_ = 0;
};

}  // namespace peal::verbs
