// transport/verbs/eager/sender.hpp
// How messages go out: from a message to a work request and a doorbell.
//
// The first message to a peer after a poll is posted at once, inline where it is short. Messages
// that follow before the next poll find the queue busy. They are written into slots, behind those
// that wait there, and the whole chain is posted with one doorbell: at the next poll, when `flush`
// is called, or when there is enough.
//
// Layer    transport/verbs. Data path: no allocation, no lock; a doorbell is one system call on
//          rxe, none on mlx5.
// Threads  one at a time.
// Errors   a queue pair that takes nothing more: peer_events::broke.
// Source   ibv_post_send(3); eRPC (Kalia et al., NSDI 2019) for chains; the figures of Soft-RoCE:
//          doc/internals/rdma.md.
#pragma once

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "transport/verbs/eager/eager_channel.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class sender {
 public:
  /// `told` hears of a connection over which posting failed for good.
  sender(endpoint& endpoint, peer_events& told);

  sender(const sender&) = delete;
  sender& operator=(const sender&) = delete;

  /// False: no room at the moment. Requires: open.
  [[nodiscard]] bool send(connection&, envelope, const void* payload) noexcept;
  /// The same for the two parts of a packet that is no message (payload_header.hpp); waits in the
  /// chain for the next flush.
  [[nodiscard]] bool send_staged(connection&, const void* header, std::size_t header_bytes,
                                 const void* data, std::size_t bytes) noexcept;

  /// Posts what is held, returns credits that are due. Everything else about which `note` was
  /// called too.
  void flush() noexcept {
    if (!listed_.empty()) flush_listed();
  }
  [[nodiscard]] bool holds() const noexcept { return !listed_.empty(); }
  /// Whether the first message to a peer waits for other messages, too.
  void hold_together(bool wanted) noexcept { together_ = wanted; }
  /// This connection wants a look at the next flush.
  void note(connection&) noexcept;
  void forget(connection&) noexcept;
  /// The slots that the device may still read or write once this connection is closed; those of
  /// packets that were not posted are free at once.
  [[nodiscard]] std::vector<slot_id> take_slots(connection&) noexcept;

  /// Posts what is held and, behind it, the news that this process leaves; its completion is the
  /// last one.
  void send_last(connection&) noexcept;

  /// Says that no message follows over this connection. False: no room at the moment. Requires:
  /// nothing is held.
  [[nodiscard]] bool say_last(connection& to) noexcept {
    return post_control(to, immediate::last, true);
  }

  /// Asks the peer to give up credits that it does not use. False: no room at the moment.
  [[nodiscard]] bool ask_back(connection& to) noexcept {
    return post_control(to, immediate::asks_back, false);
  }
  /// Gives up all credits but `keep`, one of which carries the news.
  void give_up_credits(connection&, std::uint32_t keep) noexcept;

  /// Asks the peer's adapter for a sign of life where nothing has been sent since the last call:
  /// only a process that sends something notices a dead adapter.
  void probe(connection&) noexcept;
  /// The same at once.
  void post_probe(connection&) noexcept;

  // ---- a connection that broke and is made again (doc/internals/rdma.md, Reconnection)
  /// Keeps what the peer may not have. Requires: nothing is being posted to it.
  void interrupt(connection&) noexcept;
  /// The peer has read so many packets of this side, ever, and takes `window` more, at `most` so
  /// many at a time: forgets those. False: that cannot be.
  [[nodiscard]] bool agree(connection&, std::uint32_t taken, std::uint16_t window,
                           std::uint16_t most, bool refuses) noexcept;
  /// Posts the others, before anything else. Requires: open.
  void send_again(connection&) noexcept;

  /// Everything up to this sequence number has been sent.
  void completed(eager_channel&, std::uint32_t sequence) noexcept;
  void set_refuses_eager(bool refuses) noexcept { refuses_ = refuses; }
  [[nodiscard]] bool refuses_eager() const noexcept { return refuses_; }

 private:
  [[nodiscard]] bool post_now(connection&, envelope, const void* payload) noexcept;
  [[nodiscard]] bool hold(connection&, envelope, const void* payload) noexcept;
  [[nodiscard]] bool add_packet(eager_channel&, std::size_t bytes) noexcept;
  [[nodiscard]] bool append(eager_channel&, envelope, const void* payload) noexcept;
  void flush_listed() noexcept;
  void post_held(connection&) noexcept;
  bool post_control(connection&, std::uint32_t flags, bool signaled) noexcept;
  [[nodiscard]] slot_id take_slot() noexcept;
  [[nodiscard]] bool room(const eager_channel& to) const noexcept {
    return to.sent.outstanding() + to.held.count() < most_outstanding_;
  }
  [[nodiscard]] bool wants_signal(const eager_channel&, bool has_slot) const noexcept;
  void attach(eager_channel&, ibv_send_wr&, std::uint32_t flags, bool always) noexcept;
  void resize_window(eager_channel&) noexcept;
  [[nodiscard]] std::uint32_t post(connection&, ibv_send_wr& first, std::uint32_t count) noexcept;
  [[nodiscard]] bool post_one(connection&, ibv_send_wr&) noexcept;
  /// Of the last `post`, if it is one. Requires: what was posted is noted.
  void tell_failure(connection& to) noexcept {
    if (failed_ != 0) [[unlikely]]
      events_.broke(to, std::strerror(std::exchange(failed_, 0)));
  }
  void note_signals(eager_channel&, std::uint32_t count, bool last) noexcept;

  endpoint& endpoint_;
  peer_events& events_;
  const std::uint32_t most_outstanding_;  // messages; the rest of the queue is for credits
  const std::uint32_t most_unsignaled_;
  std::vector<connection*> listed_;
  int failed_ = 0;  // errno of the last post
  bool refuses_ = false;
  bool together_ = false;
  // What post_now and post_held post. Kept, since most of it is the same each time.
  ibv_send_wr alone_{};
  std::array<ibv_sge, 2> alone_pieces_{};
  std::array<ibv_send_wr, held_packets::most> chain_{};
  std::array<ibv_sge, held_packets::most> pieces_{};
};

}  // namespace peal::verbs
