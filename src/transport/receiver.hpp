// transport/receiver.hpp
// A process of this node as seen by the processes that store something for it: what it says of
// itself, and how it is woken.
//
// Layer    transport: may include base/.
// Threads  any number of processes at the same time; what two of them touch is atomic.
// Errors   none.
#pragma once

#include <atomic>
#include <cstdint>

namespace peal {

/// What a process says of itself, in one line, which every send looks at.
struct attention {
  std::atomic<std::uint32_t> refuses_eager;  // the owner writes, peers read
  std::atomic<std::uint32_t> left;           // the same: 1 when it takes part no more
  // What a sender has to do after a message: an asking. The owner sets it; the process that clears
  // what says that the owner sleeps rings.
  std::atomic<std::uint32_t> asks;
  std::atomic<std::uint32_t> deaf;    // peers write: 1 when one of them cannot ring
  std::atomic<std::uint32_t> orders;  // an ordering; the owner writes
};

// Room is freed after nearly every message, so only a process that waits for it is woken for it.
// `for_news`, besides: there is memory that the owner reads only when it is told to.
enum asking : std::uint32_t { awake = 0, for_messages = 1, for_room_too = 3, for_news = 4 };
constexpr bool is_asleep(std::uint32_t asks) { return (asks & for_room_too) != awake; }

/// Wakes processes of this machine that sleep, by a number of each.
class ringer {
 public:
  virtual void ring(int index) noexcept = 0;

 protected:
  ~ringer() = default;
};

/// One receiver, as a process that sends to it sees it.
struct receiver {
  const attention* says = nullptr;
  peal::ringer* ringer = nullptr;  // for when it sleeps, or asks for news
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
    // The compiler keeps the order; the sleeper's barrier makes the core keep it.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (says->asks.load(std::memory_order_relaxed) != awake) [[unlikely]]
      ring();
  }

 private:
  [[gnu::noinline, gnu::cold]] void ring() const noexcept;
};

}  // namespace peal
