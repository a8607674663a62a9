// transport/shm/bulk/fetcher.hpp
// The receiver's side of large payloads: copies them, together with the sender where that pays.
//
// Claims: the source or the destination of the copy lies in the segment, or the kernel copies. The
// receiver copies chunks from the front whenever it polls; the sender, when it polls, copies chunks
// from the back. Which side copies which chunk is settled by one pair of counters in an atomic
// word, and the receiver needs no sender where it sees the payload.
//
// Staged: otherwise. The sender copies pieces into a ring, and the receiver copies them out. While
// the sender does not come to it, the receiver takes pieces from the back without the ring, where
// the kernel lets it read the sender's memory.
//
// Layer    transport/shm.
// Threads  one; the sender's helper works on the same records at the same time.
// Errors   told to fetch::done: errc::peer_failed, errc::internal, errc::no_space.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/contract.hpp"
#include "transport/node_access.hpp"
#include "transport/shm/bells.hpp"
#include "transport/shm/bulk/claim.hpp"
#include "transport/shm/bulk/copy_choice.hpp"
#include "transport/shm/bulk/direct_copy.hpp"
#include "transport/shm/layout.hpp"
#include "transport/shm/parts.hpp"

namespace peal::shm {

class fetcher {
 public:
  struct policy {
    way usual;    // of what lies in the segment on neither side
    bool learns;  // and then takes what is fastest
    /// Up to here the receiver copies alone, if it can.
    std::size_t longest_alone = copy_choice::longest_alone;
    const distances* between_cores;  // null: nothing is known
  };
  fetcher(node_segment&, direct_copy&, bells&, policy);

  /// What a sender writes into its announcement.
  [[nodiscard]] remote_region describe(const void* data, std::size_t bytes) const noexcept;
  /// The same of a payload that only the sender can read, since it packs it.
  [[nodiscard]] static remote_region describe_packed(const detail::packer& from,
                                                     std::size_t bytes) noexcept {
    return {{reinterpret_cast<std::uintptr_t>(&from), bytes, packed, 0}};
  }

  /// Requires: that peer has not failed.
  void start(fetch&, int from) noexcept;
  [[nodiscard]] bool busy() const noexcept { return !active_.empty(); }
  /// Whether it counts looks before it does something by itself: while it does, no peer would wake
  /// it for that.
  [[nodiscard]] bool impatient() const noexcept;
  /// Copies a chunk, or sees what the senders have done. Requires: busy.
  bool step() noexcept;
  void peer_failed(int index) noexcept;
  /// Payloads that have arrived, by way.
  [[nodiscard]] const std::array<std::uint64_t, copy_rates::ways>& counts() const noexcept {
    return counts_;
  }
  /// How often the choice of the way was a trial, or had not tried all ways. Of any thread.
  [[nodiscard]] payload_counts payloads() const noexcept {
    return {chosen_.load(std::memory_order_relaxed), unsettled_.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr std::uint64_t in_segment = 1, packed = 2;  // the third word of a region

  struct progress;  // of a fetch; lies in its scratch words
  enum class outcome { nothing, worked, finished };
  /// Fetches from one peer, in the order in which they were started.
  struct queue {
    fetch* first = nullptr;
    fetch* last = nullptr;
    std::uint32_t length = 0;
    // Of them, those that have a record: in their order, so that no sender waits with pieces for
    // the last of them.
    std::uint32_t opened = 0;
    std::uint8_t staged = 0;  // payloads through a ring, up to `ring_is_made`
  };
  struct record_use {
    transfer* record;
    int peer;     // the one that was asked last; -1: none that could still look
    bool in_use;  // by a fetch of ours
  };

  using clock = std::chrono::steady_clock;

  static progress& of(fetch&) noexcept;
  /// Of a count that one thread writes and others read.
  static void add_one(std::atomic<std::uint64_t>& count) noexcept {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool make_queues() noexcept;
  [[nodiscard]] queue& queue_of(int from) noexcept {
    return queues_[static_cast<std::size_t>(from)];
  }
  void choose(fetch&) noexcept;
  void measure(fetch&, bool in_turn) noexcept;
  [[nodiscard]] transfer* take_record(int from) noexcept;
  [[nodiscard]] record_use* add_records() noexcept;
  void let_go(fetch&) noexcept;
  void open(fetch&) noexcept;
  [[nodiscard]] bool readable(fetch&) noexcept;
  bool step(int from) noexcept;
  outcome advance(fetch&) noexcept;
  outcome advance_alone(fetch&) noexcept;
  outcome advance_together(fetch&) noexcept;
  outcome advance_staged(fetch&) noexcept;
  outcome wait_staged(fetch&) noexcept;
  outcome restart_staged(fetch&) noexcept;
  outcome copy_piece(fetch&, piece) noexcept;
  [[nodiscard]] bool all_there(fetch&) noexcept;
  [[nodiscard]] int copy(fetch&, std::size_t at, std::size_t bytes) noexcept;
  [[nodiscard]] int read(fetch&, std::size_t at, std::size_t bytes) noexcept;
  outcome refused(fetch&, int error) noexcept;
  void finish(queue&, fetch* before, fetch&) noexcept;

  node_segment* segment_;
  direct_copy* direct_;
  bells* bells_;
  policy policy_;
  parts own_parts_;
  std::vector<queue> queues_;       // by local index; empty before the first fetch
  std::vector<int> active_;         // whose queues are not empty
  std::size_t next_ = 0;            // of active_, modulo its length: where the next step begins
  std::deque<record_use> records_;  // those in the front, then as many more as were needed
  std::vector<std::byte> bounce_;   // what the kernel copies before it is absorbed
  copy_choice choice_;
  std::array<std::uint64_t, copy_rates::ways> counts_{};
  // Of the payloads; written by this thread alone.
  std::atomic<std::uint64_t> chosen_{0};
  std::atomic<std::uint64_t> unsettled_{0};
  // Of the payload that ended last; from -1: not in its turn.
  struct {
    clock::time_point when{};
    int from = -1;
    way how = way::alone;
  } last_;
};

}  // namespace peal::shm
