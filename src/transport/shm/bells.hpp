// transport/shm/bells.hpp
// Which processes sleep, and which process wakes them.
//
// A process that is about to sleep says so in its front, and then looks for messages once more. A
// sender stores its message, and then looks whether the receiver sleeps. Neither may miss the
// other, so the store and the look of each must stay in order. The process that sleeps pays for
// both: membarrier makes every running process of the node finish its stores, and costs the sleeper
// about 8 µs. A sender pays one load of a line that is in its cache. Where membarrier is missing
// senders fence.
//
// Layer    transport/shm: may include memory/, progress/, base/.
// Threads  one; any number of processes at the same time.
// Errors   a sleeper naps for a millisecond at a time where a peer is in another namespace of
//          process ids, and therefore cannot find it to ring, and from when on a peer that cannot
//          ring for another reason has said so in the sleeper's front.
// Source   membarrier(2), MEMBARRIER_CMD_GLOBAL_EXPEDITED.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/shm/layout.hpp"
#include "transport/shm/remote_wakeup.hpp"

namespace peal::shm {

class bells final : public ringer {
 public:
  /// `own` null: this process never sleeps. `membarrier` false: as if the system had none.
  bells(node_segment&, wakeup* own, bool membarrier);

  [[nodiscard]] receiver to(int index) noexcept { return {&says(index), this, index, fences_}; }
  /// Whether this process must fence between a store and a look.
  [[nodiscard]] bool fences() const noexcept { return fences_; }

  /// The front of a process, and what that says of itself.
  template <class Index>
  [[nodiscard]] front& front_of(Index local) const noexcept {
    return *reinterpret_cast<front*>(fronts_ + static_cast<std::size_t>(local) * stride_);
  }
  template <class Index>
  [[nodiscard]] attention& says(Index local) const noexcept {
    return front_of(local).says;
  }

  // ---- as a sender
  /// After a store that it may wait for.
  void message_for(int index) noexcept { look_at(index, for_messages); }
  /// After something was freed that it may want.
  void room_for(std::uint32_t index) noexcept { look_at(static_cast<int>(index), for_room_too); }
  /// Wakes it if it sleeps, unless another process does.
  [[gnu::noinline, gnu::cold]] void ring(int index) noexcept override;
  void ring_oneself() noexcept { own_->ring(); }

  // ---- as a receiver
  /// From now on senders look whether the box that they have written is one that is polled; or they
  /// need not any more. False: they cannot be relied on to.
  [[nodiscard]] bool ask_for_news(bool) noexcept;
  [[nodiscard]] bool asks_for_news() const noexcept { return (always_ & for_news) != 0; }
  /// What a peer stores, and what it looks at after it: if the look does not find what was stored
  /// here before this call, what the peer stored is seen here after it. False: peers cannot be
  /// relied on to.
  [[nodiscard]] bool keep_apart() noexcept;

  // ---- as a sleeper
  [[nodiscard]] bool able() const noexcept { return own_ != nullptr; }
  /// After this whatever comes either is there to be seen or rings.
  void begin_sleep(bool wants_room) noexcept;
  void end_sleep() noexcept;
  /// When to get up in any case: soon, where not every peer can ring.
  [[nodiscard]] std::chrono::steady_clock::time_point wakes_at() const noexcept;

 private:
  void look_at(int index, std::uint32_t what) noexcept {
    if (fences_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if ((says(index).asks.load(std::memory_order_relaxed) & what) == what) [[unlikely]]
      ring(index);
  }
  [[nodiscard]] remote_wakeup* rope_to(int index) noexcept;
  [[nodiscard]] bool all_fence() const noexcept;
  [[nodiscard]] bool all_find_this() const noexcept;

  const node_segment& segment_;
  wakeup* own_;
  front* own_front_;
  std::byte* fronts_;       // by local index
  std::size_t stride_ = 0;  // from one to the next
  // By local index, opened when first needed; empty before the first is.
  std::vector<remote_wakeup> ropes_;
  bool fences_;
  bool barrier_failed_ = false;
  std::uint32_t always_ = awake;      // what this process asks for, asleep or not
  std::optional<bool> found_by_all_;  // since the first sleep: by then all have written their cards
};

}  // namespace peal::shm
