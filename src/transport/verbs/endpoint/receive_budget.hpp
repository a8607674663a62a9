// transport/verbs/endpoint/receive_budget.hpp
// How the receives of the shared queue are divided into windows: what each peer may send before it
// gets credits back. The sum of all windows, and of what peers send without credit, is never more
// than the receives that may be posted. So a message never finds the queue empty, however many
// peers send at the same time.
//
// Every connection is sure of the smallest window, those that are still to come too. What is left
// is dealt out by need: a window may be as large as a part of what is free at the moment, so busy
// peers end with the same share, and something stays free for those that begin. A window grows when
// its peer has used it, and shrinks when its peer has used it while others got less. A peer that
// sends nothing is asked for its credits (window_keeper.hpp).
//
// When the device says that the queue runs low nevertheless (receives were lost), all windows
// become smaller, until it has been seen full for a while.
//
// Layer    transport/verbs.
// Units    receives, which are packets.
// Threads  one at a time.
// Source   Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet switches,
//          IEEE/ACM Transactions on Networking 6 (1998), for the limit that follows what is free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace peal::verbs {

class receive_budget {
 public:
  /// What a window cannot be below, but where the largest is smaller: one packet on its way while
  /// the credit of another returns.
  static constexpr std::size_t smallest = 2;
  /// Packets without credit that may be under way from a peer beyond its window: one that returns
  /// credits (the next is sent for what it allowed), and the last one of a peer that leaves.
  static constexpr std::size_t uncounted = 2;

  receive_budget() = default;
  /// `capacity`: receives that may be posted; `largest`: of a window; `connections`: that may come,
  /// of which there are fewer when the capacity is too small.
  receive_budget(std::size_t capacity, std::size_t largest, std::size_t connections) noexcept
      : capacity_{capacity},
        largest_{largest},
        least_{std::min(smallest, largest) + uncounted},
        expected_{std::min(connections, capacity / least_)},
        limit_{largest},
        for_all_{connections * (largest + uncounted) <= capacity} {}

  /// The window of one connection more; 0: there is none to be had.
  [[nodiscard]] std::size_t open() noexcept {
    if (left() < least_) return 0;
    const std::size_t sure = least_ - uncounted;
    const std::size_t window =
        for_all_ ? limit_ : std::clamp(sure + spare(1) / share, sure, std::max(limit_, sure));
    allotted_ += window + uncounted;
    ++connections_;
    return window;
  }
  /// A connection with this window is no more.
  void close(std::size_t window) noexcept {
    allotted_ -= window + uncounted;
    --connections_;
  }

  /// By how much this window may grow, since its peer has used it.
  [[nodiscard]] std::size_t growth(std::size_t window) const noexcept {
    const std::size_t most = std::min(2 * window, limit());
    return most > window ? std::min(most - window, spare(0)) : 0;
  }
  /// By how much it is to shrink instead. A quarter at most: so a credit return that is still under
  /// way stays the only one (doc/internals/rdma.md, Credits).
  [[nodiscard]] std::size_t excess(std::size_t window) const noexcept {
    const std::size_t enough = 2 * limit();
    return limit_ < largest_ && window > limit_ ? std::min(window - limit_, window / 4)
           : window > enough                    ? std::min(window - enough, window / 4)
                                                : 0;
  }
  void grew(std::size_t by) noexcept { allotted_ += by; }
  void shrank(std::size_t by) noexcept { allotted_ -= by; }

  /// What a window may be at the moment, at most.
  [[nodiscard]] std::size_t limit() const noexcept {
    return for_all_ ? limit_ : std::min(limit_, least_ - uncounted + spare(0) / share);
  }
  /// Whether a window of this size may have to change when its peer has used it.
  [[nodiscard]] bool changes(std::size_t window) const noexcept {
    return window != largest_ || !for_all_ || limit_ < largest_;
  }
  /// Of what peers may send: receives that have to be posted.
  [[nodiscard]] std::size_t allotted() const noexcept { return allotted_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t largest() const noexcept { return largest_; }

  /// The device has fewer receives than were thought to be there; and it has them all again.
  void low() noexcept { limit_ = std::max(std::min(smallest, largest_), limit_ / 2); }
  void refilled() noexcept { limit_ = std::min(largest_, limit_ + 1); }
  [[nodiscard]] bool lowered() const noexcept { return limit_ < largest_; }

 private:
  /// The part of what is free that one window may have: with n busy peers each gets about
  /// capacity / (n + share), and the rest stays free for others.
  static constexpr std::size_t share = 16;

  [[nodiscard]] std::size_t left() const noexcept {
    return capacity_ > allotted_ ? capacity_ - allotted_ : 0;
  }
  /// Beyond what the connections that are to come are sure of, when `opening` of them come now.
  [[nodiscard]] std::size_t spare(std::size_t opening) const noexcept {
    const std::size_t coming = expected_ > connections_ ? expected_ - connections_ : 0;
    const std::size_t kept = std::max(coming, opening) * least_;
    return left() > kept ? left() - kept : 0;
  }

  std::size_t capacity_ = 0;
  std::size_t largest_ = 0;
  std::size_t least_ = 1;
  std::size_t expected_ = 0;  // connections
  std::size_t limit_ = 0;     // of every window: `largest_`, but when receives ran low
  bool for_all_ = false;      // all that may come can have the largest
  std::size_t allotted_ = 0;
  std::size_t connections_ = 0;
};

}  // namespace peal::verbs
