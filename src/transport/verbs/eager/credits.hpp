// transport/verbs/eager/credits.hpp
// How many packets each side of a connection may still send. A credit is a packet.
//
// Layer    transport/verbs. Data path.
// Units    packets.
// Threads  one at a time.
#pragma once

#include <cstdint>

namespace peal::verbs {

class credits {
 public:
  /// Once: the peer gets so many at first.
  void grant(std::uint16_t window) noexcept { window_ = window; }
  [[nodiscard]] std::uint16_t window() const noexcept { return window_; }

  // ---- this side's
  /// `most`: what the peer lets this side have at a time, however its window changes.
  void begin_with(std::uint16_t count, std::uint16_t most) noexcept {
    left_ = count;
    most_ = most;
  }
  /// So many came back. False: more than the peer can have spared, and nothing happened.
  [[nodiscard]] bool add(std::uint32_t count) noexcept {
    if (count > static_cast<std::uint32_t>(most_ - left_)) [[unlikely]]
      return false;
    left_ = static_cast<std::uint16_t>(left_ + count);
    return true;
  }
  void spend() noexcept { --left_; }
  void give_up(std::uint32_t count) noexcept { left_ = static_cast<std::uint16_t>(left_ - count); }
  [[nodiscard]] std::uint16_t left() const noexcept { return left_; }

  // ---- the peer's, which it has spent and not got back
  void owe() noexcept { ++owed_; }
  void give_back(std::uint32_t count) noexcept {
    owed_ = static_cast<std::uint16_t>(owed_ - count);
    returned_ += count;
  }
  /// Packets of the peer that used a credit, modulo 2^32.
  [[nodiscard]] std::uint32_t received() const noexcept { return returned_ + owed_; }
  [[nodiscard]] std::uint16_t owed() const noexcept { return owed_; }

  // ---- the window, which changes with what is returned: more, or less, than was spent
  void widen(std::size_t by) noexcept {
    window_ = static_cast<std::uint16_t>(window_ + by);
    owed_ = static_cast<std::uint16_t>(owed_ + by);
  }
  /// Requires: so many are owed.
  void narrow(std::size_t by) noexcept {
    window_ = static_cast<std::uint16_t>(window_ - by);
    owed_ = static_cast<std::uint16_t>(owed_ - by);
  }
  /// The peer has given up so many, with a packet that takes one more. False: it cannot have them,
  /// and nothing happened.
  [[nodiscard]] bool gave_up(std::uint32_t count) noexcept {
    if (count >= unreturned()) return false;
    window_ = static_cast<std::uint16_t>(window_ - count);
    return true;
  }
  /// The peer has sent more than it had credits for.
  [[nodiscard]] bool overdrawn() const noexcept { return owed_ > window_; }
  /// What the peer has, or has spent on what is not read yet.
  [[nodiscard]] std::uint32_t unreturned() const noexcept {
    return window_ > owed_ ? static_cast<std::uint32_t>(window_ - owed_) : 0;
  }
  /// Worth the four bytes that return them with a message that goes anyway.
  [[nodiscard]] bool worth_sending_along() const noexcept { return owed_ * 4 >= window_; }
  /// Time to return them with a message of their own. Not at half of the window, or a quarter: a
  /// rank that gets 64 messages and answers would do so just before the answer, which takes them
  /// along.
  [[nodiscard]] bool due() const noexcept { return owed_ * 8 >= window_ * 5; }

 private:
  std::uint16_t left_ = 0;
  std::uint16_t most_ = 0;
  std::uint16_t owed_ = 0;
  std::uint16_t window_ = 0;
  std::uint32_t returned_ = 0;
};

}  // namespace peal::verbs
