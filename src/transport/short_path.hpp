// transport/short_path.hpp
// Short messages to one peer, written without a call: where a transport has memory that the peer
// reads, it hands this out.
//
// A message is one cache line, written with plain stores and published by the release store of its
// stamp. The ends share no index: the receiver tells by the stamp's lap that a cell is new; the
// sender knows how far it may write.
//
// Layer    transport: may include transport/contract.hpp, base/.
// Units    bytes.
// Threads  one at a time on this side; the peer reads meanwhile.
// Errors   none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/copy.hpp"
#include "transport/contract.hpp"

namespace peal {

/// What a process says of itself, in one line, which every send looks at.
struct attention {
  std::atomic<std::uint32_t> refuses_eager;  // the owner writes, peers read
  std::atomic<std::uint32_t> left;           // the same: 1 when it takes part no more
  std::atomic<std::uint32_t> asleep;  // a sleeping; the owner sets it, and who clears it rings
  std::atomic<std::uint32_t> deaf;    // peers write: 1 when one of them cannot ring
  std::atomic<std::uint32_t> orders;  // an ordering; the owner writes
};

// Room is freed after nearly every message, so only a process that waits for it is woken for it.
enum sleeping : std::uint32_t { awake = 0, for_messages = 1, for_room_too = 3 };

/// Wakes processes of this machine, by a number of each.
class ringer {
 public:
  virtual void ring(int index) noexcept = 0;

 protected:
  ~ringer() = default;
};

/// One receiver, as a process that sends to it sees it.
struct receiver {
  const attention* says = nullptr;
  peal::ringer* ringer = nullptr;  // for when it sleeps
  int index = -1;
  bool fences = false;

  /// After a message was stored.
  void wake_for_message() const noexcept {
    if (fences) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    wake_unfenced();
  }
  /// The same where there are no fences.
  [[gnu::always_inline]] void wake_unfenced() const noexcept {
    // the compiler keeps the order; the sleeper's barrier makes the core keep it
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (says->asleep.load(std::memory_order_relaxed) != awake) [[unlikely]]
      ring();
  }

 private:
  [[gnu::noinline, gnu::cold]] void ring() const noexcept;
};

class short_path {
 public:
  static constexpr std::uint32_t cells = 256;
  static constexpr std::size_t longest = 40;

  /// One message, envelope and payload. `stamp` says by the lap whether the cell is written, so
  /// that sender and receiver share nothing else per message: lap << 2 in the lower half, and what
  /// else the transport writes there (0: nothing). A lap begins with 1.
  struct alignas(cache_line) cell {
    std::uint64_t match;
    std::uint64_t rest;
    std::byte payload[longest];
    std::atomic<std::uint64_t> stamp;
  };
  static_assert(sizeof(cell) == cache_line);
  static constexpr std::uint32_t lap_of(std::uint32_t position) noexcept {
    return (position / cells + 1) << 2;
  }

  /// Whether a message of that length is one for `write_short`, that is, whether it fits into a
  /// cell and nothing is unusual: there is room, as far as is known, and the receiver wants payload
  /// unasked.
  [[nodiscard, gnu::always_inline]] bool takes(std::size_t bytes) const noexcept {
    return cell_ != cell_limit_ && bytes <= longest &&
           // as transport::wants_eager
           to_.says->refuses_eager.load(std::memory_order_relaxed) == 0;
  }
  /// A message in a few stores and without a call. Requires: takes(bytes), `bytes` are the
  /// envelope's, and the receiver needs no fences. A line that has to be taken from the other core
  /// holds up every store behind it, so each store spared, of saved registers too, lets the next
  /// line come earlier.
  [[gnu::always_inline]] void write_short(envelope e, const void* payload,
                                          std::size_t bytes) noexcept {
    const std::uint32_t at = cell_;
    cell& place = cells_[at % cells];
    place.match = e.match;
    place.rest = e.rest;
    copy_short(place.payload, payload, bytes);
    // pairs with the acquire of the peer's look
    place.stamp.store(lap_of(at), std::memory_order_release);
    cell_ = at + 1;
    to_.wake_unfenced();
  }

 protected:
  short_path() = default;
  short_path(cell* where, const receiver& to) noexcept : to_{to}, cells_{where} {}

  receiver to_;  // the first: where it lies need not be worked out before it is known to sleep
  cell* cells_ = nullptr;
  std::uint32_t cell_ = 0;        // next to write; free-running
  std::uint32_t cell_limit_ = 0;  // first that may still be unread; as `cell_`: none can be written
};

}  // namespace peal
