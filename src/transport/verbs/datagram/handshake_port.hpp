// transport/verbs/datagram/handshake_port.hpp
// The queue pair that strangers can reach: unreliable datagrams, packets of the handshake and, in a
// job that is larger than what may be connected, of messages to peers without a connection
// (datagrams.hpp).
//
// It has a number before it has memory: how long packets are is known when all processes have told
// their MTU. Packets that come earlier are lost, as on the wire. What leaves together leaves as a
// chain, with one doorbell.
//
// When the device gives the queue pair up (an error completion or an event says so: an address was
// taken away, a bond changed its card) it is reset and opened again, under the same number. What
// was under way is lost as on the wire. After some tries in vain nothing can be sent any more.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   made and opened: throws errc::no_device or errc::locked_memory. A packet that cannot be
//          sent says why (errno); EIO: none can.
// Source   InfiniBand specification, 9.8.3 (datagrams); the first 40 bytes of what is received are
//          the network header and not ours to read: on RoCE with IPv4 they are no GRH.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "transport/verbs/datagram/routes.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

/// How much memory a port has.
struct port_plan {
  std::size_t packet_bytes = 0;  // the longest
  std::uint32_t receives = 0;
  std::uint32_t sends = 0;
  std::size_t routes = 0;  // to how many places the way is remembered

  /// All processes of a large job may start at once: a receive for each, as far as that goes; what
  /// is lost is repeated. Packets of the port's MTU, since any peer may come to lack queue pairs,
  /// and send its messages so.
  static port_plan for_handshakes(const device&, std::uint32_t peers) noexcept;
  /// Several full windows, or a packet of each process in a large job, as far as a part of what may
  /// be pinned goes; and packets of the port's MTU.
  static port_plan for_messages(const device&, unsigned ranks_of_node, std::uint32_t peers,
                                std::size_t pinned) noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;  // pinned
};

class handshake_port {
 public:
  /// What a device puts before a packet, and where in its cell.
  static constexpr std::size_t header_bytes = 40;
  static constexpr std::size_t header_at = 8;  // so that what follows the header is aligned to 16

  /// `peers`: of the job.
  explicit handshake_port(const device&, std::uint32_t peers = 2);
  ~handshake_port();
  handshake_port(const handshake_port&) = delete;
  handshake_port& operator=(const handshake_port&) = delete;

  /// The device stands in another place now. Before `open`.
  void moved(const device& to) noexcept { device_ = &to; }

  /// Once, before the first packet. `key`: its Q_Key.
  void open(const port_plan&, std::uint32_t key);

  [[nodiscard]] bool is_open() const noexcept { return memory_ != nullptr; }
  /// No packet can be sent any more.
  [[nodiscard]] bool is_gone() const noexcept { return gone_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }
  [[nodiscard]] std::size_t packet_bytes() const noexcept { return plan_.packet_bytes; }
  [[nodiscard]] std::size_t receives() const noexcept { return plan_.receives; }
  /// Registered; 0 until it is opened.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return plan_.receives * receive_stride_ + plan_.sends * send_stride_;
  }

  /// Whether a packet finds room. When no packet can be sent any more each does, so that its sender
  /// learns it.
  [[nodiscard]] bool has_room() noexcept {
    if (free_.empty() && !broken_) reap();
    return broken_ ? gone_ : !free_.empty();
  }
  /// Head and data as one packet, to this port of the peer's, with the next `post` or when the
  /// chain is full; `key` is that of the peer's queue pair. 0, or why it will not leave. One that
  /// finds no room is lost like one on the wire.
  [[nodiscard]] int add(peer_id to, const rail_address& where, std::uint32_t key, const void* head,
                        std::size_t head_bytes, const void* data, std::size_t bytes) noexcept;
  struct refusal {
    peer_id to;
    int why;  // errno
  };
  /// Posts what was added. A refusal: that packet, and those behind it, did not leave.
  std::optional<refusal> post() noexcept {
    if (chained_ > 0) post_chain();
    return std::exchange(refused_, {});
  }
  [[nodiscard]] std::uint64_t doorbells() const noexcept { return doorbells_; }
  /// Calls `got(packet, bytes)` for each packet; it is aligned to 16. True when there were any.
  using receiver = std::function<void(const std::byte*, std::size_t)>;
  bool poll(const receiver& got) noexcept;

  /// Ways that are remembered may lead astray, since the own address has changed. A peer that has
  /// another address now is reached by another way anyhow.
  void forget_routes() noexcept { routes_.forget(); }

  /// The queue pair is of no use any more. The next `poll` sees to it.
  void broke(const char* cause) noexcept;
  /// The device says so, perhaps of what it was before it was opened again.
  void told_broken(const char* cause) noexcept;
  /// When `poll` wants to open it again.
  [[nodiscard]] std::chrono::steady_clock::time_point due() const noexcept {
    return broken_ && !gone_ ? recover_at_ : std::chrono::steady_clock::time_point::max();
  }

 private:
  static constexpr std::size_t refill = 16;  // receives a chain
  static constexpr std::size_t longest_chain = 32;

  [[nodiscard]] std::byte* receive_cell(std::uint32_t which) const noexcept {
    return memory_ + which * receive_stride_ + header_at;
  }
  [[nodiscard]] std::byte* send_cell(std::uint32_t which) const noexcept {
    return memory_ + plan_.receives * receive_stride_ + which * send_stride_;
  }
  [[nodiscard]] const char* bring_up() noexcept;
  void recover() noexcept;
  void wait_or_give_up(const char* cause) noexcept;
  void post_receives() noexcept;
  void post_chain() noexcept;
  void reap() noexcept;

  const device* device_;
  port_plan plan_;
  std::size_t receive_stride_ = 0, send_stride_ = 0;
  std::uint32_t key_ = 0;
  std::byte* memory_ = nullptr;
  handle<ibv_mr, ibv_dereg_mr> region_;
  completion_queue sent_, received_;
  queue_pair pair_;
  std::vector<std::uint32_t> free_;  // cells to send from
  std::vector<std::uint32_t> read_;  // cells to be posted again
  // Only the last of a chain tells that it has left, and for all before it.
  std::deque<std::uint32_t> under_way_;  // cells, oldest first,
  std::uint64_t posted_ = 0;             // and the number of the last one, counted from the start
  std::array<ibv_send_wr, longest_chain> chain_;
  std::array<ibv_sge, longest_chain> pieces_;
  std::array<peer_id, longest_chain> targets_{};
  std::size_t chained_ = 0;
  std::optional<refusal> refused_;
  std::uint64_t doorbells_ = 0;
  // ---- when it is of no use
  bool broken_ = false;
  bool gone_ = false;             // for good
  std::uint32_t recoveries_ = 0;  // since something was received or sent
  std::chrono::steady_clock::time_point recover_at_;
  routes routes_;
};

}  // namespace peal::verbs
