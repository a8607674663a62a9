// transport/shm/shm_transport.hpp
// Messages between the processes of one node, through the node's segment.
//
// A pair that talks has a box (box.hpp): the sender's, opened after a few messages, closed when it
// lies idle and another pair needs it. Other messages go as parcels through the receiver's inbox.
// Order holds across both: a box is announced through the inbox, after the parcels that were sent
// before it; it is closed only when everything in it was read. Payloads beyond the eager limit:
// bulk/.
//
// Layer    transport/shm: may include transport/contract.hpp, memory/, base/.
// Threads  as the contract says; any number of processes at the same time.
// Errors   lack of space in /dev/shm, which is said once in the log, and of ordinary memory makes
//          it slower. A large payload for which there is none at all ends with errc::no_space.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "base/settings.hpp"
#include "memory/node_segment.hpp"
#include "peal/counter.hpp"
#include "progress/wakeup.hpp"
#include "topology/distances.hpp"
#include "transport/contract.hpp"
#include "transport/node_access.hpp"
#include "transport/shm/bells.hpp"
#include "transport/shm/box.hpp"
#include "transport/shm/boxes.hpp"
#include "transport/shm/bulk/interface.hpp"
#include "transport/shm/incoming_boxes.hpp"
#include "transport/shm/parcels.hpp"

namespace peal {

struct shm_options {
  shm_copy copy = shm_copy::automatic;  // PEAL_SHM_COPY
  /// Messages to a peer that go as parcels before a box is opened.
  std::uint32_t box_after = 8;
  std::uint32_t most_boxes = shm::parts::most_boxes;
  /// Boxes of others that this process polls; of further ones their senders tell it.
  std::uint32_t most_polled = shm::incoming_boxes::most_polled;
  /// A box through which nothing went for so long, or up to twice as long, is closed, and its
  /// memory given back. Opening it again costs some 10 us.
  std::chrono::milliseconds idle_after{1000};
  wakeup* bell = nullptr;  // of this process; null: it never sleeps
  bool membarrier = true;  // false: as if the system had none
  /// The sender of a payload may not run while its receiver does: more processes than cores, or a
  /// program that computes. One copy then, where the kernel lets either side make it alone.
  bool apart = false;
  /// More processes than cores.
  bool cores_shared = false;
  const distances* between_cores = nullptr;  // outlives the transport; null: nothing is known
};

/// What it did other than write into open boxes.
struct shm_counters {
  std::uint64_t parcels = 0;
  std::uint64_t boxes_opened = 0;
  std::uint64_t boxes_closed = 0;
  std::uint64_t boxes_idle = 0;  // of these, for no other pair
  std::uint64_t news = 0;        // pushed, of messages in boxes
};

class shm_transport final : public transport, public node_access, private ringer {
 public:
  /// What segment_plan must provide for a node of `processes`.
  static std::size_t front_bytes() noexcept { return sizeof(shm::front); }
  static std::size_t slices(int processes) noexcept { return shm::parts::slices(processes); }
  static std::size_t transport_bytes(int processes) noexcept {
    return shm::parts::at(0, processes).bytes;
  }

  /// `peers[i]` is the process with local index i. The segment and the sink outlive the transport;
  /// the segment has been agreed upon.
  shm_transport(node_segment&, sink&, std::span<const peer_id> peers, const shm_options& = {});

  [[nodiscard]] bool send(peer_id to, envelope e, const void* payload) noexcept override {
    channel& out = channels_[local_index_[to]];
    if (out.box.open()) [[likely]]
      return out.box.write(e, payload) || write_with_more(out, e, payload);
    return send_parcel(out, e, payload);
  }
  [[nodiscard]] bool wants_eager(peer_id to) const noexcept override {
    return bells_.says(local_index_[to]).refuses_eager.load(std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] bool send_eager(peer_id to, envelope e, const void* payload) noexcept override {
    channel& out = channels_[local_index_[to]];
    if (!wants_eager(to)) return false;
    if (e.bytes() > shm::eager_limit && (is_seen_by_all(payload, e.bytes()) ||
                                         (out.box.open() && out.box.is_to_announce(e.bytes()))))
      return false;
    if (out.box.open()) [[likely]]
      return out.box.write(e, payload) || write_with_more(out, e, payload);
    return send_parcel(out, e, payload);
  }
  [[nodiscard]] bool send_packed(peer_id to, envelope e,
                                 const detail::packer& from) noexcept override;
  [[nodiscard]] bool takes_long(peer_id to, const void* payload,
                                std::size_t bytes) const noexcept override {
    const shm::box_writer& out = channels_[local_index_[to]].box;
    return out.open() && !out.lacks_units(bytes) && !out.announces(bytes) &&
           !is_seen_by_all(payload, bytes);
  }
  [[nodiscard]] shm::box_writer* short_path_to(peer_id to) noexcept override {
    return bells_.fences() ? nullptr : &channels_[local_index_[to]].box;
  }
  void count_short_in(std::atomic<std::uint64_t>& messages) noexcept override {
    short_messages_ = &messages;
  }
  void set_wants_eager(bool) noexcept override;
  remote_region expose(peer_id to, const void* data, std::size_t bytes) noexcept override {
    channels_[local_index_[to]].box.count_exposed(is_seen_by_all(data, bytes) ? 0 : bytes);
    return fetcher_.describe(data, bytes);
  }
  [[nodiscard]] bool packs_on_the_way(peer_id) const noexcept override { return true; }
  remote_region expose_packed(peer_id to, const detail::packer& from,
                              std::size_t bytes) noexcept override {
    channels_[local_index_[to]].box.count_exposed(0);
    return shm::fetcher::describe_packed(from, bytes);
  }
  // No more: a helper copies only in poll, and only what a receiver still waits for.
  void withdraw(peer_id from, const remote_region&) noexcept override {
    channels_[local_index_[from]].box.count_withdrawn();
  }
  void start_fetch(fetch& f) noexcept override;
  bool poll() noexcept override;
  /// Appends what was counted since the start. Control path.
  void report(std::vector<counter>&) const;
  void peer_failed(peer_id) noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  [[nodiscard]] std::chrono::steady_clock::time_point wakes_at() const noexcept override {
    return std::min(bells_.wakes_at(), incoming_.second_look());
  }
  // The last call but the destructor: this process takes part no more, which peers see in has_left.
  // Release, with the acquire there: a process that sees that a peer has left sees all that it
  // sent.
  void leave() noexcept;
  [[nodiscard]] bool has_left(peer_id peer) const noexcept override {
    // The first question does not touch a page of each peer.
    return segment().any_has_left() &&
           bells_.says(local_index_[peer]).left.load(std::memory_order_acquire) != 0;
  }

  // ---- node_access
  [[nodiscard]] bool reaches(peer_id peer) const noexcept override {
    return peer < local_index_.size() && peers_[local_index_[peer]] == peer;
  }
  [[nodiscard]] receiver receiver_of(peer_id peer) noexcept override {
    return bells_.to(static_cast<int>(local_index_[peer]));
  }
  [[nodiscard]] payload_counts payloads() const noexcept override { return fetcher_.payloads(); }

  [[nodiscard]] const shm_counters& counters() const noexcept { return counters_; }

 private:
  /// Whether the receiver may copy a payload from where it lies, as it does when it is announced.
  /// Of more than 4 KiB that takes less time than a copy into a box and one out of it: latency of
  /// 8, 16 and 32 KiB 0.52, 0.44 and 0.66, bandwidth 3.25, 2.27 and 1.18 times (AMD EPYC of family
  /// 26).
  [[nodiscard]] bool is_seen_by_all(const void* payload, std::size_t bytes) const noexcept {
    return bytes > shm::eager_limit && segment().contains(payload, bytes);
  }
  /// To one peer.
  struct channel {
    shm::box_writer box;
    std::uint32_t sent = 0;  // messages without a box, since the last one
    std::int16_t box_number = -1;
    std::uint8_t parcels = 0;  // under way
    bool failed = false;
  };
  static_assert(shm::parts::parcels_per_peer <= 255);
  /// All that this process has for a peer that it does not talk to.
  static constexpr std::size_t idle_peer_bytes =
      sizeof(channel) + sizeof(std::uint32_t) + sizeof(peer_id);  // local_index_, peers_
  static_assert(idle_peer_bytes <= 64);
  enum class was_read { nothing, some, in_part, to_its_end };

  [[nodiscard]] bool send_parcel(channel&, envelope, const void* payload) noexcept;
  [[nodiscard]] bool open_box(channel&) noexcept;
  void close_idle_box() noexcept;
  void close(channel&, bool idle) noexcept;
  void look_for_idle_boxes() noexcept;
  void count_short(channel&) noexcept;
  was_read read_box(std::size_t position) noexcept;
  bool read_told(std::size_t position) noexcept;
  bool read_told(std::size_t first, std::size_t end) noexcept;
  [[nodiscard]] bool look_at_told() noexcept;
  void give_back(std::size_t position) noexcept;
  void change_polled() noexcept;
  void ring(int index) noexcept override;  // after a message in the box to it
  bool read_notes() noexcept;
  bool take_note(shm::inbox_entry&) noexcept;
  bool take_opened(shm::inbox_entry&) noexcept;
  void try_unread() noexcept;
  [[gnu::noinline, gnu::cold]] bool write_with_more(channel&, envelope,
                                                    const void* payload) noexcept;
  [[nodiscard]] bool write_long_with_more(channel&, envelope, const void* payload) noexcept;
  [[nodiscard]] bool gets_long(channel&, std::size_t bytes) noexcept;
  bool refused() noexcept;
  [[nodiscard]] int index_of(const channel& of) const noexcept {
    return static_cast<int>(&of - channels_.data());
  }

  shm::parts parts_;
  sink* sink_;
  shm_options settings_;
  shm::front* front_;
  std::vector<std::uint32_t> local_index_;  // by peer_id
  std::vector<peer_id> peers_;              // by local index
  std::vector<channel> channels_;           // by local index
  shm::parcels parcels_;
  shm::bells bells_;
  shm::incoming_boxes incoming_;
  shm::direct_copy direct_;
  shm::fetcher fetcher_;
  shm::helper helper_;
  shm::boxes boxes_;
  std::uint64_t unread_ = 0;  // offset: opened boxes for which there was no memory
  std::uint32_t turns_ = 0;   // of poll, since it last read the clock
  std::chrono::steady_clock::time_point looked_at_;
  std::size_t clock_hand_ = 0;  // over channels_: whose box is asked next
  bool armed_ = false;
  bool wants_room_ = false;  // a send was refused
  shm_counters counters_;
  std::atomic<std::uint64_t>* short_messages_ = nullptr;
};

}  // namespace peal
