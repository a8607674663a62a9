// transport/verbs/datagram/datagram_channel.hpp
// The reliable ordered stream of messages to and from one peer, over packets that may be lost,
// doubled, late or out of order. It knows no device and no clock: packets go to a datagram_output,
// times are handed in.
//
// The sender has a window of packets, and keeps a packet until it is acknowledged. When nothing was
// heard for `pause`, the oldest packet is repeated, and the pause doubles up to a second, since the
// peer may just compute. Since the way to it may as well be cut, that packet goes over all ways,
// and so does what answers a packet that comes once more. When three acknowledgements tell of a
// gap, the oldest packet is repeated at once. Other lost packets are repeated as acknowledgements
// come. The window doubles until the first loss; each loss halves it, each window without a loss
// adds a packet. No more is under way than the receiver has receives for, of which it tells with
// all that it sends; until it has told, as many as it has for each process of the job. The receiver
// delivers in order and acknowledges what it has delivered. It keeps packets that come early (64 of
// them), and drops the rest.
//
// Layer    transport/verbs: may include transport/contract.hpp.
// Units    bytes, packets.
// Threads  one at a time. The sink may send while it is called.
// Errors   a packet that cannot be of this stream is refused and changes nothing.
// Source   RFC 6298 (timer), RFC 6582 (partial acknowledgements).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "transport/verbs/datagram/datagram.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

/// Memory of packets that wait for acknowledgement, of all channels together: it is bounded,
/// however many peers there are.
class packet_store {
 public:
  packet_store(std::size_t packet_bytes, std::size_t most)
      : packet_bytes_{packet_bytes}, most_{most} {}
  ~packet_store();
  packet_store(const packet_store&) = delete;
  packet_store& operator=(const packet_store&) = delete;

  [[nodiscard]] std::size_t packet_bytes() const noexcept { return packet_bytes_; }
  [[nodiscard]] std::size_t left() const noexcept { return most_ - used_; }
  [[nodiscard]] bool scarce() const noexcept { return left() < most_ / 2; }
  /// Requires: something is left.
  [[nodiscard]] std::byte* take();
  void give_back(std::byte* over) noexcept;

 private:
  const std::size_t packet_bytes_;
  const std::size_t most_;
  std::size_t used_ = 0;
  std::vector<std::byte*> free_;
};

/// Where packets go.
class datagram_output {
 public:
  /// False: no room at the moment, nothing happened.
  [[nodiscard]] virtual bool put(peer_id to, const datagram&) noexcept = 0;

 protected:
  ~datagram_output() = default;
};

/// Since the start, of all channels.
struct datagram_counters {
  std::uint64_t packets = 0;  // of streams, repeated ones not counted
  std::uint64_t bytes = 0;    // in them
  std::uint64_t repeated = 0;
  std::uint64_t acknowledgements = 0;  // that went by themselves
  std::uint64_t messages = 0;
};

class datagram_channel {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::time_point never = clock::time_point::max();

  static constexpr std::uint32_t first_window = 16;

  /// `first`: packets that may be under way before the peer has told how many.
  datagram_channel(sink&, datagram_output&, packet_store&, datagram_counters&, peer_id,
                   std::uint32_t first = first_window);
  ~datagram_channel();
  datagram_channel(const datagram_channel&) = delete;
  datagram_channel& operator=(const datagram_channel&) = delete;

  /// False: no room at the moment. The message leaves with the next `transmit`.
  [[nodiscard]] bool send(envelope e, const void* payload) noexcept;
  /// Whether this process wants announcements only: told with what is sent, or in a packet of its
  /// own. False: try again.
  [[nodiscard]] bool tell(bool refuses_eager) noexcept;
  /// The last packet of ours.
  [[nodiscard]] bool send_last() noexcept;

  /// False: refused. Without `may_take` what belongs to the stream counts as lost.
  [[nodiscard]] bool receive(const datagram&, clock::time_point now, bool may_take) noexcept;
  /// Repeats what is due, sends what is new, then an acknowledgement if that is owed and nothing
  /// carried it. Stops when there is no room.
  void transmit(clock::time_point now) noexcept;
  [[nodiscard]] bool has_something_to_send() const noexcept {
    return owes_acknowledgement_ || may_leave() || repeat_first_ != repeat_end_;
  }
  /// When `expire` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept { return due_; }
  /// Nothing was heard: the oldest packet is to be repeated. False: it is not time yet.
  bool expire(clock::time_point now) noexcept;

  /// The peer has failed: what waits for it is dropped, and what comes from it is not delivered.
  void abandon() noexcept;
  /// What comes is acknowledged, but not delivered.
  void stop_delivering() noexcept { delivers_nothing_ = true; }

  /// All that was sent has been taken by the peer's sink.
  [[nodiscard]] bool drained() const noexcept { return packets_.empty(); }
  [[nodiscard]] bool refuses_eager() const noexcept { return peer_refuses_; }
  [[nodiscard]] bool left() const noexcept { return peer_left_; }
  [[nodiscard]] peer_id peer() const noexcept { return peer_; }
  /// Another one after a packet that was not taken before, or acknowledged one for the first time.
  [[nodiscard]] std::uint32_t progress() const noexcept { return expected_ + base_; }
  /// Since when nothing has been acknowledged though something was to be.
  [[nodiscard]] clock::time_point waits_since() const noexcept {
    return packets_.empty() ? never : waits_since_;
  }

  // The owner's notes.
  bool listed = false;          // wants to transmit
  bool timed = false;           // stands among those with something due
  bool complained = false;      // that the peer does not answer
  std::uint32_t last_turn = 0;  // in which something was transmitted
  std::uint32_t last_era = 0;   // in which something was received: see datagrams::count_sender
  std::vector<rail_pair> ways;  // that lead to the peer,
  std::uint8_t way = 0;         // which of them is used,
  std::uint8_t refusals = 0;    // and how often in a row one took no packet

 private:
  struct packet {
    std::byte* memory = nullptr;
    std::uint16_t bytes = 0;
    std::uint16_t flags = 0;
  };
  struct early_packet {
    std::vector<std::byte> data;
    std::uint16_t flags = 0;
  };

  [[nodiscard]] std::uint32_t end() const noexcept {
    return base_ + static_cast<std::uint32_t>(packets_.size());
  }
  /// Packets that may be under way.
  [[nodiscard]] std::uint32_t most() const noexcept { return std::min(allowed_, told_); }
  /// Something new, that is not held back for what is under way.
  [[nodiscard]] bool may_leave() const noexcept { return sent_ != end() && sent_ - base_ < most(); }
  [[nodiscard]] std::size_t open_room() const noexcept;
  [[nodiscard]] bool admits(std::size_t packets) const noexcept;
  packet& open_packet() noexcept;
  void write(const void* from, std::size_t bytes) noexcept;
  [[nodiscard]] bool put(std::uint32_t sequence, bool everywhere) noexcept;
  void acknowledged(std::uint32_t count, bool gap, clock::time_point now) noexcept;
  void halve() noexcept;
  void lost(std::uint32_t repeats) noexcept;
  [[nodiscard]] bool plausible(const datagram&) const noexcept;
  [[nodiscard]] bool sound(const std::byte* data, std::size_t bytes) const noexcept;
  void take(const datagram&) noexcept;
  void deliver(const std::byte* data, std::size_t bytes, std::uint16_t flags) noexcept;

  sink& sink_;
  datagram_output& out_;
  packet_store& store_;
  datagram_counters& counters_;
  const peer_id peer_;
  const std::uint32_t window_;

  // ---- out
  std::deque<packet> packets_;  // not acknowledged: base_, base_ + 1...
  std::uint32_t base_ = 1;
  std::uint32_t sent_ = 1;          // the first that has never left
  std::uint32_t repeat_first_ = 1;  // to be repeated: up to repeat_end_
  std::uint32_t repeat_end_ = 1;
  std::uint32_t recover_end_ = 1;  // while recovering: what was under way when the loss was seen
  bool recovering_ = false;
  std::uint32_t allowed_;  // packets under way, as losses tell,
  std::uint32_t told_;     // and as the peer has receives
  bool lost_any_ = false;
  bool silent_ = false;             // nothing has been acknowledged since the clock ran out
  std::uint32_t acknowledged_ = 0;  // since `allowed_` has changed
  std::uint32_t gaps_ = 0;          // acknowledgements that told of one, in a row
  std::chrono::milliseconds pause_;
  clock::time_point due_ = never;
  clock::time_point waits_since_ = never;
  bool refuses_ = false;       // what this process wants,
  bool told_refuses_ = false;  // and what the stream says

  // ---- in
  std::uint32_t expected_ = 1;
  std::unordered_map<std::uint32_t, early_packet> early_;
  std::vector<std::byte> partial_;  // a message of which not all is here,
  std::size_t missing_ = 0;         // and how much is missing
  bool owes_acknowledgement_ = false;
  bool came_again_ = false;  // what is to be acknowledged
  bool delivers_nothing_ = false;
  bool peer_refuses_ = false;
  bool peer_left_ = false;
};

}  // namespace peal::verbs
