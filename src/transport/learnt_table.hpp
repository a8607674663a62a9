// transport/learnt_table.hpp
// What the collectives of this process have learnt, as peal-info reads it out of the node's segment
// while the job runs: a row for each communicator and shape of calls. The first rank of a
// communicator writes its rows, at reviews, since all ranks know the same.
//
// Layer    transport: may include base/.
// Units    nanoseconds a byte.
// Threads  one writes. Another process may read at any time: a row was being written while its
//          `changes` is odd.
// Errors   none: what finds no room is left out, and counted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cache_line.hpp"

namespace peal {

/// One shape of calls.
struct learnt_facts {
  static constexpr std::size_t most_ways = 10;
  static constexpr std::uint8_t directly = 0xff, directly_by_parts = 0xfe;

  std::uint32_t context = 0;  // of the communicator
  std::uint32_t ranks = 0;    // it has; 0: the row is not used
  std::uint8_t kind = 0;      // detail::collective
  std::uint8_t length = 0;    // lengths above 1 << (length - 1), up to 1 << length
  std::uint8_t commutative = 0;
  std::uint8_t in_order = 0;
  std::uint8_t ways = 0;  // there are
  std::uint8_t best = 0;  // of them: in use
  // Where in all_algorithms() each is, or one of these two. The first is the one that is usual.
  std::array<std::uint8_t, most_ways> way{};
  // Of an algorithm: of its trees, and the logarithm of the bytes of the pieces into which vectors
  // are cut; 0: they are not.
  std::array<std::uint8_t, most_ways> radix{}, piece{};
  std::array<float, most_ways> cost{};  // 0: not known

  friend bool operator==(const learnt_facts&, const learnt_facts&) = default;
  [[nodiscard]] bool is_of_shape(const learnt_facts& other) const noexcept {
    return ranks != 0 && context == other.context && kind == other.kind && length == other.length &&
           commutative == other.commutative && in_order == other.in_order;
  }
};

struct alignas(cache_line) learnt_row {
  std::atomic<std::uint32_t> changes;
  learnt_facts facts;
};
static_assert(sizeof(learnt_row) == 2 * cache_line);

/// Zero at the start.
class learnt_table {
 public:
  static constexpr std::size_t most_rows = 48;

  /// `algorithms`: a number that names what all_algorithms() has, since rows count them.
  void put(const learnt_facts& facts, std::uint64_t algorithms) noexcept {
    algorithms_.store(algorithms, std::memory_order_relaxed);
    auto place = std::ranges::find_if(
        rows_, [&](const learnt_row& each) { return each.facts.is_of_shape(facts); });
    if (place == rows_.end())
      place = std::ranges::find(rows_, std::uint32_t{0},
                                [](const learnt_row& each) { return each.facts.ranks; });
    if (place != rows_.end()) write(*place, facts);
    else left_out_.store(1, std::memory_order_relaxed);
  }
  /// The communicator is gone.
  void remove(std::uint32_t context) noexcept {
    for (learnt_row& each : rows_)
      if (each.facts.ranks != 0 && each.facts.context == context) write(each, {});
  }

  // ---- of a copy
  [[nodiscard]] std::span<const learnt_row> rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t algorithms() const noexcept {
    return algorithms_.load(std::memory_order_relaxed);
  }
  /// Whether there was ever no room for a row.
  [[nodiscard]] bool left_out() const noexcept {
    return left_out_.load(std::memory_order_relaxed) != 0;
  }

 private:
  static void write(learnt_row& row, const learnt_facts& facts) noexcept {
    const std::uint32_t before = row.changes.load(std::memory_order_relaxed);
    row.changes.store(before + 1, std::memory_order_relaxed);
    // A process that reads some of the new facts sees the odd number, or the last one.
    std::atomic_thread_fence(std::memory_order_release);
    row.facts = facts;
    row.changes.store(before + 2, std::memory_order_release);
  }

  std::atomic<std::uint64_t> algorithms_;
  std::atomic<std::uint32_t> left_out_;
  std::array<learnt_row, most_rows> rows_;
};

}  // namespace peal
