// collective/direct/learnt_summary.hpp
// What the ranks of a communicator say at a review, joined: of each way that was taken what its
// calls took. Summaries join to the same bits in whatever order and groups, since all in them are
// whole numbers, and of too many ways those with the lowest codes stay: what is among the lowest of
// all ranks is among the lowest of any of them. So any algorithm of messages may join them.
//
// Layer    collective/direct.
// Units    costs are logarithms to the base of 2 of nanoseconds a byte; times are nanoseconds.
// Threads  values.
// Errors   none.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace peal::direct {

/// What one rank says of a shape of calls.
struct told_time {
  std::uint16_t shape = 0;  // a code; 0: none
  std::uint8_t way = 0;
  bool settled = true;  // another call will take as long
  float cost = 0;
};

/// Ways of which a rank tells.
inline constexpr std::size_t most_told = 7;
using told_times = std::array<told_time, most_told>;

class learnt_summary {
 public:
  /// Of ranks whose calls of a shape went one way.
  struct entry {
    std::uint32_t code = 0;  // 0: none
    std::int32_t most = 0;
    std::int64_t sum = 0;
    std::uint32_t ranks = 0;
    std::uint32_t unsettled = 0;  // of the ranks

    [[nodiscard]] std::uint16_t shape() const noexcept {
      return static_cast<std::uint16_t>(code >> 16);
    }
    [[nodiscard]] std::uint16_t way() const noexcept { return static_cast<std::uint16_t>(code); }
    /// Of the slowest rank, and the mean.
    [[nodiscard]] float most_cost() const noexcept {
      return static_cast<float>(static_cast<double>(most) / one);
    }
    [[nodiscard]] float mean_cost() const noexcept {
      return static_cast<float>(static_cast<double>(sum) / (double{one} * ranks));
    }
  };
  static constexpr std::uint32_t not_known = std::numeric_limits<std::uint32_t>::max();

  learnt_summary() = default;
  explicit learnt_summary(const told_times& said) noexcept {
    std::size_t count = 0;
    for (const told_time& each : said) {
      if (each.shape == 0) continue;
      const auto cost = static_cast<std::int32_t>(std::lround(each.cost * one));
      of_ways[count++] = {.code = std::uint32_t{each.shape} << 16 | each.way,
                          .most = cost,
                          .sum = cost,
                          .ranks = 1,
                          .unsettled = each.settled ? 0U : 1U};
    }
    std::ranges::sort(std::span{of_ways}.first(count), {}, &entry::code);
  }

  void join(const learnt_summary& other) noexcept {
    review_took = std::min(review_took, other.review_took);
    window_took = std::max(window_took, other.window_took);
    const auto mine = of_ways;
    auto left = mine.begin(), right = other.of_ways.begin();
    for (entry& each : of_ways) {
      const std::uint32_t a = left != mine.end() ? left->code - 1 : none,  // 0 becomes the highest
          b = right != other.of_ways.end() ? right->code - 1 : none;
      if (a == none && b == none) return;
      each = a <= b ? *left : *right;
      if (a == b) {
        each.most = std::max(each.most, right->most);
        each.sum += right->sum;
        each.ranks += right->ranks;
        each.unsettled += right->unsettled;
      }
      left += a <= b ? 1 : 0;
      right += b <= a ? 1 : 0;
    }
  }

  std::array<entry, most_told> of_ways;  // in the order of their codes, then those that are none
  /// How long the review before took the rank that waited least; `not_known`: there was none.
  std::uint32_t review_took = not_known;
  /// What lay between it and this one, on the rank where that was longest; 0: not known.
  std::uint32_t window_took = 0;

 private:
  static constexpr std::int32_t one = 1 << 16;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace peal::direct
