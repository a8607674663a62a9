// transport/verbs/connection.hpp
// All that is known of one peer that this process talks, or is about to talk, to.
//
// The control queue pair carries every envelope, in order; the bulk queue pairs carry READs and WRITEs only, so that a long one never
// delays a small send.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/contract.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/lane.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

enum class connection_state : std::uint8_t {
  requesting,  // our request is on its way; the queue pairs are in INIT
  answered,    // we know theirs, they may not know ours yet: we can receive, and send once we hear from them
  open,
  lost  // an error ended it; the queue pairs are there until somebody says that the peer has failed
};

/// A packet that is written but not posted: messages one behind the other in a slot. Packets that are copied when they are posted share
/// slots: many small ones on few pages.
struct held_packet {
  slot_id slot = no_slot;
  std::uint16_t at = 0;      // where it begins in the slot
  bool last_in_slot = true;  // which is free with it
  std::uint32_t bytes = 0;
  std::uint32_t flags = 0;  // of its immediate: staged
};

/// A packet that the device may still read.
struct sent_packet {
  std::uint32_t sequence = 0;
  slot_id slot = no_slot;
};

/// First in, first out, never longer than said at the start.
template <class Item>
class bounded_queue {
 public:
  void reserve(std::size_t most) { items_.resize(std::bit_ceil(most)); }
  [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }
  [[nodiscard]] const Item& front() const noexcept { return items_[first_ & (items_.size() - 1)]; }
  void push_back(const Item& item) noexcept { items_[end_++ & (items_.size() - 1)] = item; }
  void pop_front() noexcept { ++first_; }

 private:
  std::vector<Item> items_;
  std::uint32_t first_ = 0, end_ = 0;  // counted on; their difference holds modulo 2^32
};

struct write_job;

/// Part of a large payload that is read for a fetch of ours, or written for a peer's: one of the two is null. Of no bytes: a notice that
/// follows what was written (writer.hpp).
struct bulk_part {
  fetch* of;
  write_job* job;
  std::uint64_t at;
  std::uint32_t bytes;
};

/// Parts under way on one queue pair, oldest first: they complete in this order.
struct bulk_queue {
  queue_pair pair;  // null: its link was left out
  bounded_queue<bulk_part> under_way;
  std::vector<bulk_part> refused;  // since the queue was full; to be posted again before others
  std::uint32_t read_limit = 1;    // READs that the peer serves at a time: more would wait inside the device
  std::uint8_t link = 0;           // number of the rail_pair; 0: of the first rails
  std::uint8_t rail = 0;           // of this process,
  std::uint8_t remote_rail = 0;    // and of the peer
};

/// A handshake under way. Gone once the connection is open.
struct handshake {
  handshake_packet last;  // what is repeated
  std::chrono::steady_clock::time_point repeat_at;
  std::chrono::milliseconds pause{0};
  std::chrono::steady_clock::time_point since;
  bool complained = false;
  std::chrono::steady_clock::time_point without_since = std::chrono::steady_clock::time_point::max();  // the peer has no queue pairs at all
  int searches = 0;                                                                                    // for the way to the peer, in vain
};

class connection {
 public:
  static constexpr std::uint32_t longest_chain = 64;

  // ---- every message
  queue_pair control;
  connection_state state = connection_state::requesting;
  bool carries = false;          // messages go this way: none that went as a datagram is unacknowledged
  bool refuses_eager = false;    // the peer wants announcements only
  bool listed = false;           // stands in the sender's list of those that want attention
  bool left = false;             // the peer said that it takes part no more
  bool tell_refusal = false;     // whether this process wants eager messages has changed
  std::uint16_t credits = 0;     // packets that the peer is ready for
  std::uint16_t owed = 0;        // packets taken from the peer, for which it has no credit back yet
  std::uint16_t window = 0;      // credits that the peer got at first
  std::uint32_t posted = 0;      // sequence number of the last send posted
  std::uint32_t completed = 0;   // and of the last one known to be complete; difference modulo 2^32
  std::uint32_t probed = 0;      // `posted` when it was last seen to that something was sent
  std::uint32_t unsignaled = 0;  // posted since the last signaled one
  std::uint32_t last_epoch = 0;  // of the lane, when something was last posted or held
  std::uint32_t held_count = 0;
  std::uint32_t held_bytes = 0;
  peer_id peer = 0;
  std::uint32_t index = 0;      // its place in the table,
  std::uint8_t generation = 0;  // and how often that place was used before
  std::array<held_packet, longest_chain> held;
  bounded_queue<sent_packet> sent;  // with slots, oldest first

  // ---- rendezvous
  bool same_device = false;      // the peer's device is this process's too
  std::vector<bulk_queue> bulk;  // `bulk_count` for each link, link by link
  std::uint8_t bulk_count = 0;   // the last of them is for WRITEs, where there are such
  std::uint8_t next_bulk = 0;
  std::uint8_t links = 1;          // that are not left out
  std::uint8_t untold = 0;         // a bit for each link that was left out, until the peer is told
  std::vector<bulk_part> again;    // READs of links that were left out
  std::vector<fetch*> fetches;     // under way, oldest first
  std::size_t first_unposted = 0;  // the first of them that is not posted to its end

  // ---- its end, while both live: promoter.hpp
  bool ending = false;            // nothing new is begun
  bool said_last = false;         // our last message is posted,
  bool heard_last = false;        // and the peer's is here
  std::uint32_t heard_epoch = 0;  // of the lane, when something was last received
  std::chrono::steady_clock::time_point opened_at;

  // ---- setting up
  std::unique_ptr<handshake> meeting;
  std::uint32_t own_psn = 0;
  remote_queue remote;  // of the control queue pair

  std::uint32_t attempt = 0;          // its number here
  std::uint32_t remote_attempt = 0;   // and there
  std::vector<slot_id> own_receives;  // posted to its own receive queue, where it has one

  /// No message comes or goes this way any more.
  [[nodiscard]] bool over() const noexcept { return said_last && heard_last; }
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return posted - completed; }
  /// Time to return credits with a message of their own. Not at half of the window, or a quarter: who gets 64 messages and answers would
  /// do so just before the answer, which takes them along.
  [[nodiscard]] bool credits_due() const noexcept { return owed * 8 >= window * 5; }
};

}  // namespace peal::verbs
