// transport/verbs/device/completion_channel.hpp
// How a device's completions wake a process that sleeps: a descriptor that can be read once
// something has completed on an armed queue.
//
// Each request of a queue is good for one event. A queue is `asked` from the request until its
// event is read, so whatever completes meanwhile makes the descriptor readable, or has done so; at
// worst a sleep ends for nothing. A thread that polls touches nothing of this.
//
// Layer    transport/verbs. One for each device.
// Threads  one at a time. A forked child shares the descriptor, and must not read it.
// Errors   what the system refuses makes it unable to arm; nothing throws.
// Source   ibv_req_notify_cq(3), ibv_get_cq_event(3), ibv_ack_cq_events(3).
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace peal::verbs {

/// Acknowledges the events of the queue, for which ibv_destroy_cq would wait, and destroys it.
struct completion_queue_destroyer {
  void operator()(ibv_cq*) const noexcept;
};
using completion_queue = std::unique_ptr<ibv_cq, completion_queue_destroyer>;

class completion_channel {
 public:
  /// `vector`: which of the device's interrupts is used, modulo how many there are.
  completion_channel(ibv_context*, unsigned vector) noexcept;
  /// Requires: its queues are destroyed.
  ~completion_channel();
  completion_channel(const completion_channel&) = delete;
  completion_channel& operator=(const completion_channel&) = delete;

  /// A queue whose completions wake. Null: errno says why. `without_locks`: where the device can
  /// do without, since one thread at a time uses the queue and all queue pairs that complete there.
  [[nodiscard]] completion_queue make(int entries, bool without_locks = false);
  /// Queues without locks that were made.
  [[nodiscard]] unsigned without_locks() const noexcept { return without_locks_; }
  /// The queue was resized: a request may have been lost with its old memory.
  void resized(ibv_cq&) noexcept;

  /// -1: there is none.
  [[nodiscard]] int descriptor() const noexcept { return channel_ ? channel_->fd : -1; }
  /// What completes from now on wakes. Before sleeping, look at the queues once more: what
  /// completed before wakes no thread. False: it cannot wake.
  [[nodiscard]] bool arm() noexcept;
  /// The descriptor can be read.
  void rang() noexcept { (void)read_event(); }

  /// Events read since the start.
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

 private:
  friend struct completion_queue_destroyer;
  struct watched {
    completion_channel* by = nullptr;
    ibv_cq* queue = nullptr;
    unsigned unacknowledged = 0;
    bool asked = false;
  };
  bool read_event() noexcept;
  [[nodiscard]] ibv_cq* create(int entries, void* own, bool without_locks) noexcept;

  ibv_context* const context_;
  const int vector_;
  ibv_comp_channel* channel_;
  std::vector<std::unique_ptr<watched>> queues_;  // in place: completion queues point to them
  std::uint64_t events_ = 0;
  unsigned without_locks_ = 0;
};

}  // namespace peal::verbs
