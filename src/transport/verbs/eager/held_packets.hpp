// transport/verbs/eager/held_packets.hpp
// Packets that wait to be posted together, oldest first.
//
// Layer    transport/verbs. Data path.
// Units    bytes.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

/// A packet that is written but not posted: messages one behind the other in a slot. Packets that
/// are copied when they are posted share slots: many small ones on few pages.
struct held_packet {
  slot_id slot = no_slot;
  std::uint16_t at = 0;      // where it begins in the slot
  bool last_in_slot = true;  // which is free with it
  std::uint32_t bytes = 0;
  std::uint32_t flags = 0;  // of its immediate: staged
};

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

}  // namespace peal::verbs
