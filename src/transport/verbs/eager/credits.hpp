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
    allowed_ = spent_ + count;
    most_ = most;
  }
  /// So many came back. False: more than the peer can have spared, and nothing happened.
  [[nodiscard]] bool add(std::uint32_t count) noexcept {
    if (left() + count > most_) [[unlikely]]
      return false;
    allowed_ += count;
    return true;
  }
  void spend() noexcept { ++spent_; }
  void give_up(std::uint32_t count) noexcept { allowed_ -= count; }
  [[nodiscard]] std::uint32_t left() const noexcept { return allowed_ - spent_; }
  /// Packets since the first connection to the peer, those that wait to be posted too.
  [[nodiscard]] std::uint32_t spent() const noexcept { return spent_; }

  // ---- the peer's, which it has spent and not got back
  void owe() noexcept { ++taken_; }
  void give_back(std::uint32_t count) noexcept { returned_ += count; }
  [[nodiscard]] std::uint32_t owed() const noexcept { return taken_ - returned_; }
  /// Packets of the peer that have been read, since the first connection to it.
  [[nodiscard]] std::uint32_t taken() const noexcept { return taken_; }

  // ---- the window, which changes with what is returned: more, or less, than was spent
  void widen(std::size_t by) noexcept {
    window_ = static_cast<std::uint16_t>(window_ + by);
    returned_ -= static_cast<std::uint32_t>(by);
  }
  /// Requires: so many are owed.
  void narrow(std::size_t by) noexcept {
    window_ = static_cast<std::uint16_t>(window_ - by);
    returned_ += static_cast<std::uint32_t>(by);
  }
  /// The peer has given up so many, with a packet that takes one more. False: it cannot have them,
  /// and nothing happened.
  [[nodiscard]] bool gave_up(std::uint32_t count) noexcept {
    if (count >= unreturned()) return false;
    window_ = static_cast<std::uint16_t>(window_ - count);
    return true;
  }
  /// The peer has sent more than it had credits for.
  [[nodiscard]] bool overdrawn() const noexcept { return owed() > window_; }
  /// What the peer has, or has spent on what is not read yet.
  [[nodiscard]] std::uint32_t unreturned() const noexcept {
    return window_ > owed() ? window_ - owed() : 0;
  }
  /// Worth the four bytes that return them with a message that goes anyway.
  [[nodiscard]] bool worth_sending_along() const noexcept { return owed() * 4 >= window_; }
  /// Time to return them with a message of their own. Not at half of the window, or a quarter: a
  /// rank that gets 64 messages and answers would do so just before the answer, which takes them
  /// along.
  [[nodiscard]] bool due() const noexcept { return owed() * 8 >= window_ * 5u; }

  // ---- a connection that is made again (doc/internals/rdma.md, Reconnection)
  /// The peer has read so many of this side's packets, ever, and takes a window more. `most` as in
  /// `begin_with`, which was never called where the first connection broke before this side's end.
  void go_on(std::uint32_t taken, std::uint16_t window, std::uint16_t most) noexcept {
    allowed_ = taken + window;
    most_ = most;
  }
  /// The peer learns in the handshake how many have been read.
  void told_all() noexcept { returned_ = taken_; }

 private:
  // Counted on for ever, modulo 2^32: their differences hold.
  std::uint32_t allowed_ = 0, spent_ = 0;
  std::uint32_t taken_ = 0, returned_ = 0;
  std::uint16_t most_ = 0;
  std::uint16_t window_ = 0;
};

}  // namespace peal::verbs
