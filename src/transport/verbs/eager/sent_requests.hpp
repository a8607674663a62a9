// transport/verbs/eager/sent_requests.hpp
// Work requests of the queue pair for messages, by sequence number, and the slots that the device
// may still read. Numbers are compared modulo 2^32.
//
// Layer    transport/verbs. Data path.
// Units    work requests.
// Threads  one at a time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/bounded_queue.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class sent_requests {
 public:
  void reserve(std::size_t depth) { slots_.reserve(depth); }

  [[nodiscard]] std::uint32_t next() const noexcept { return posted_ + 1; }
  [[nodiscard]] std::uint32_t last() const noexcept { return posted_; }
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return posted_ - completed_; }
  /// Since the last one that asks for a completion.
  [[nodiscard]] std::uint32_t unsignaled() const noexcept { return unsignaled_; }

  void posted(std::uint32_t count) noexcept { posted_ += count; }
  /// So many were posted; `last`: the last of them asks for a completion, as no other does.
  void note_signals(std::uint32_t count, bool last) noexcept {
    unsignaled_ = last ? 0 : unsignaled_ + count;
  }
  /// The device reads this slot for that request.
  void use(std::uint32_t sequence, slot_id slot) noexcept { slots_.push_back({sequence, slot}); }

  /// Everything up to this number is complete; `give_back` gets the slots.
  template <class GiveBack>
  void complete(std::uint32_t sequence, GiveBack&& give_back) noexcept {
    if (static_cast<std::int32_t>(sequence - completed_) <= 0) return;
    completed_ = sequence;
    for (; !slots_.empty() && static_cast<std::int32_t>(slots_.front().sequence - sequence) <= 0;
         slots_.pop_front())
      give_back(slots_.front().slot);
  }
  /// No completion will come any more, and none is waited for.
  void expect_none() noexcept { completed_ = posted_; }
  /// The slots that the device may still read.
  void take_slots(std::vector<slot_id>& into) {
    for (; !slots_.empty(); slots_.pop_front()) into.push_back(slots_.front().slot);
  }

  /// Whether nothing was posted since the last call, or the last `note_probe`.
  [[nodiscard]] bool idle() noexcept { return std::exchange(probed_, posted_) == posted_; }
  void note_probe() noexcept { probed_ = posted_; }

 private:
  struct sent_packet {
    std::uint32_t sequence = 0;
    slot_id slot = no_slot;
  };
  std::uint32_t posted_ = 0;     // the last one posted,
  std::uint32_t completed_ = 0;  // and the last one known to be complete
  std::uint32_t unsignaled_ = 0;
  std::uint32_t probed_ = 0;  // the last one posted when that was last looked at
  bounded_queue<sent_packet> slots_;
};

}  // namespace peal::verbs
