// transport/verbs/eager/eager_channel.hpp
// What a connection knows of its messages: the queue pair that carries them, in order, the credits
// of both sides, packets that wait to be posted, and packets that the device may still read. The
// sender writes it; what the peer says comes in by `begin` and `hear`.
//
// Layer    transport/verbs. Data path.
// Units    packets, bytes.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/bounded_queue.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

/// How many packets each side may still send. A credit is a packet.
class credits {
 public:
  /// Once: the peer gets so many at first.
  void grant(std::uint16_t window) noexcept { window_ = window; }
  [[nodiscard]] std::uint16_t window() const noexcept { return window_; }

  // ---- this side's
  void begin_with(std::uint16_t count) noexcept { left_ = count; }
  void add(std::uint32_t count) noexcept { left_ = static_cast<std::uint16_t>(left_ + count); }
  void spend() noexcept { --left_; }
  [[nodiscard]] std::uint16_t left() const noexcept { return left_; }

  // ---- the peer's, which it has spent and not got back
  void owe() noexcept { ++owed_; }
  void give_back(std::uint32_t count) noexcept {
    owed_ = static_cast<std::uint16_t>(owed_ - count);
  }
  [[nodiscard]] std::uint16_t owed() const noexcept { return owed_; }
  /// Worth the four bytes that return them with a message that goes anyway.
  [[nodiscard]] bool worth_a_ride() const noexcept { return owed_ * 4 >= window_; }
  /// Time to return them with a message of their own. Not at half of the window, or a quarter: a
  /// rank that gets 64 messages and answers would do so just before the answer, which takes them
  /// along.
  [[nodiscard]] bool due() const noexcept { return owed_ * 8 >= window_ * 5; }

 private:
  std::uint16_t left_ = 0;
  std::uint16_t owed_ = 0;
  std::uint16_t window_ = 0;
};

/// A packet that is written but not posted: messages one behind the other in a slot. Packets that
/// are copied when they are posted share slots: many small ones on few pages.
struct held_packet {
  slot_id slot = no_slot;
  std::uint16_t at = 0;      // where it begins in the slot
  bool last_in_slot = true;  // which is free with it
  std::uint32_t bytes = 0;
  std::uint32_t flags = 0;  // of its immediate: staged
};

/// Packets that wait to be posted together, oldest first.
class held_packets {
 public:
  static constexpr std::uint32_t most = 64;

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] bool full() const noexcept { return count_ == most; }
  [[nodiscard]] const held_packet& operator[](std::size_t which) const noexcept {
    return all_[which];
  }
  [[nodiscard]] const held_packet& last() const noexcept { return all_[count_ - 1]; }

  /// One more, in a slot of its own.
  void add(slot_id slot, std::size_t bytes, std::uint32_t flags) noexcept {
    all_[count_++] = {slot, 0, true, static_cast<std::uint32_t>(bytes), flags};
    bytes_ += all_[count_ - 1].bytes;
  }
  /// One more, at this place in the slot of the last one.
  void add_behind(std::size_t at, std::size_t bytes) noexcept {
    held_packet& before = all_[count_ - 1];
    before.last_in_slot = false;
    all_[count_++] = {before.slot, static_cast<std::uint16_t>(at), true,
                      static_cast<std::uint32_t>(bytes), 0};
    bytes_ += all_[count_ - 1].bytes;
  }
  /// The last one has become longer.
  void lengthen(std::uint32_t bytes) noexcept {
    bytes_ += bytes - all_[count_ - 1].bytes;
    all_[count_ - 1].bytes = bytes;
  }
  /// So many of the oldest, of together so many bytes, are posted.
  void remove(std::uint32_t count, std::uint32_t bytes) noexcept {
    if (count < count_) [[unlikely]]
      std::move(all_.begin() + count, all_.begin() + count_, all_.begin());
    count_ -= count;
    bytes_ -= bytes;
  }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t bytes_ = 0;
  std::array<held_packet, most> all_;
};

/// Work requests of the queue pair for messages, by sequence number. Numbers are compared modulo
/// 2^32.
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
  /// No completion will come any more, and nobody waits for one.
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

struct eager_channel {
  queue_pair pair;
  bool refuses_eager = false;  // the peer wants announcements only
  bool left = false;           // the peer said that it takes part no more
  bool tell_refusal = false;   // whether this process wants eager messages has changed
  bool listed = false;         // stands in the sender's list of those that want attention
  verbs::credits credits;
  std::uint32_t last_epoch = 0;  // of the lane, when something was last posted or held
  sent_requests sent;
  held_packets held;
  std::vector<slot_id> own_receives;  // posted to its own receive queue, where it has one

  /// What the handshake says of the peer.
  void begin(std::uint16_t first_credits, bool refuses) noexcept {
    credits.begin_with(first_credits);
    refuses_eager = refuses;
  }
  /// What the immediate data of a packet says of it.
  void hear(std::uint32_t said) noexcept {
    credits.add(said & immediate::credit_bits);
    refuses_eager = (said & immediate::refuses_eager) != 0;
    if (said & immediate::leaving) left = true;
  }
  /// A packet of the peer that used a credit has been read. True: the sender is to note this
  /// connection.
  [[nodiscard]] bool took() noexcept {
    credits.owe();
    return credits.due() && !listed;
  }
};

}  // namespace peal::verbs
