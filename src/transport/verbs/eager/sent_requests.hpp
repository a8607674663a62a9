// transport/verbs/eager/sent_requests.hpp
// Work requests of the queue pair for messages, by sequence number, and where their packets lie
// until the peer's adapter has them: in slots, which the device may still read, or in
// inline_copies. Numbers are compared modulo 2^32.
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

/// Where the packet of a work request lies.
struct sent_packet {
  std::uint32_t sequence = 0;
  slot_id slot = no_slot;    // none: the request sends no packet, or an empty one
  std::uint16_t at = 0;      // in the slot
  std::uint16_t bytes = 0;   // 0: one message, which says how long it is
  bool staged = false;       // no message: immediate::staged; of an empty one: it used a credit
  bool last_in_slot = true;  // which is free with it
  /// Whether an empty packet has used a credit.
  [[nodiscard]] bool counted() const noexcept { return staged; }
};
static_assert(sizeof(sent_packet) == 16 && slot_bytes <= 0xffff);

class sent_requests {
 public:
  void reserve(std::size_t depth) { packets_.reserve(depth); }

  [[nodiscard]] std::uint32_t next() const noexcept { return posted_ + 1; }
  [[nodiscard]] std::uint32_t last() const noexcept { return posted_; }
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return posted_ - completed_; }
  [[nodiscard]] bool is_complete(std::uint32_t sequence) const noexcept {
    return static_cast<std::int32_t>(completed_ - sequence) >= 0;
  }
  /// Since the last one that asks for a completion.
  [[nodiscard]] std::uint32_t unsignaled() const noexcept { return unsignaled_; }

  void posted(std::uint32_t count) noexcept { posted_ += count; }
  /// So many were posted; `last`: the last of them asks for a completion, as no other does.
  void note_signals(std::uint32_t count, bool last) noexcept {
    unsignaled_ = last ? 0 : unsignaled_ + count;
  }
  /// A request whose packet is not among the inline copies.
  void use(const sent_packet& which) noexcept { packets_.push_back(which); }
  /// The last request posted carries no message. `counted`: but it used a credit.
  void posted_control(bool counted) noexcept { use({posted_, no_slot, 0, 0, counted, false}); }

  /// Everything up to this number is complete; `give_back` gets the slots.
  template <class GiveBack>
  void complete(std::uint32_t sequence, GiveBack&& give_back) noexcept {
    if (static_cast<std::int32_t>(sequence - completed_) <= 0) return;
    completed_ = sequence;
    for (;
         !packets_.empty() && static_cast<std::int32_t>(packets_.front().sequence - sequence) <= 0;
         packets_.pop_front())
      if (packets_.front().last_in_slot) give_back(packets_.front().slot);
  }
  /// The slots that the device may still read.
  void take_slots(std::vector<slot_id>& into) {
    for (; !packets_.empty(); packets_.pop_front())
      if (packets_.front().last_in_slot) into.push_back(packets_.front().slot);
  }
  /// The queue pair is of no use any more: no completion is waited for. `found` gets the number of
  /// each request that is not known to be complete, oldest first, and where its packet lies; null:
  /// among the inline copies.
  template <class Found>
  void give_up(Found&& found) {
    while (completed_ != posted_) {
      ++completed_;
      const bool elsewhere = !packets_.empty() && packets_.front().sequence == completed_;
      found(completed_, elsewhere ? &packets_.front() : nullptr);
      if (elsewhere) packets_.pop_front();
    }
    unsignaled_ = 0;
  }

  /// Whether nothing was posted since the last call, or the last `note_probe`.
  [[nodiscard]] bool idle() noexcept { return std::exchange(probed_, posted_) == posted_; }
  void note_probe() noexcept { probed_ = posted_; }

 private:
  std::uint32_t posted_ = 0;     // the last one posted,
  std::uint32_t completed_ = 0;  // and the last one known to be complete
  std::uint32_t unsignaled_ = 0;
  std::uint32_t probed_ = 0;  // the last one posted when that was last looked at
  bounded_queue<sent_packet> packets_;
};

}  // namespace peal::verbs
