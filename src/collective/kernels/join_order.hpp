// collective/kernels/join_order.hpp
// In which order the vectors of several ranks are joined. The bits of a sum of floating-point
// numbers depend on it, so algorithms that keep the same order may take each other's place while a
// program runs (algorithm::gives_same_bits).
//
//   by pairs       Neighbours, then neighbouring pairs, and so on, as recursive doubling and
//                  halving do by themselves: (0 1) (2 3), then ((0 1) (2 3)). Where the ranks are
//                  no power of two, the first ones are joined by twos before (folding).
//   left to right  From the lowest rank to the highest, of scans: each rank goes on from the sum of
//                  the rank below it.
//
// Both are rank order, so operations that do not commute may be joined either way.
//
// Layer    collective: may include base/.
// Threads  none of its own.
// Errors   what `join` throws.
#pragma once

#include <bit>
#include <cstddef>

#include "collective/problem.hpp"
#include "peal/detail/core.hpp"

namespace peal {

/// A sum that has others joined to it from above goes into a room of this number, at least 0; the
/// others go to where the result will be.
inline constexpr int in_result = -1;
/// How many rooms there are for up to 64 ranks.
inline constexpr int most_rooms = 6;
inline constexpr int most_ranks_with_rooms = 1 << most_rooms;

/// Of the places [first, first + count) of the ranks that stay, count being a power of two.
template <class Operand, class Join>
auto join_places_by_pairs(const folding& fold, int first, int count, const Operand& operand,
                          const Join& join, int room) -> decltype(operand(0)) {
  if (count == 1) {
    const int rank = fold.real(first);
    return fold.takes(rank) ? join(operand(rank - 1), operand(rank), room) : operand(rank);
  }
  const int half = count / 2;
  const auto lower = join_places_by_pairs(fold, first, half, operand, join,
                                          std::countr_zero(static_cast<unsigned>(half)));
  const auto higher = join_places_by_pairs(fold, first + half, half, operand, join, room);
  return join(lower, higher, room);
}

/// `operand(rank)` is where the vector of a rank is. `join(lower, higher, room)` joins two and says
/// where the sum is. What goes to the result is joined last of all, with the operands of the two
/// highest ranks, so the result may lie where one operand does. Returns where the sum of all is.
template <class Operand, class Join>
auto join_by_pairs(int ranks, const Operand& operand, const Join& join) {
  const folding fold{ranks};
  return join_places_by_pairs(fold, 0, fold.power, operand, join, in_result);
}

constexpr bool joins_left_to_right(detail::collective kind) noexcept {
  return kind == detail::collective::scan || kind == detail::collective::exscan;
}

/// Joins vectors of at least two and at most `most_ranks_with_rooms` ranks into `into`, in the
/// order of the collective. `apply(lower, higher, to)`: of two. `rooms`: most_rooms of them, each
/// `room_bytes` long, which are enough for a vector.
template <class Operand, class Apply>
void join_in_order(detail::collective kind, int ranks, const Operand& operand, std::byte* into,
                   std::byte* rooms, std::size_t room_bytes, const Apply& apply) {
  if (joins_left_to_right(kind)) {
    // To and fro, since a user's function writes into its higher operand.
    auto sum = operand(0);
    for (int rank = 1; rank != ranks; ++rank) {
      std::byte* const to = (ranks - rank) % 2 != 0 ? into : rooms;
      apply(sum, operand(rank), to);
      sum = to;
    }
    return;
  }
  join_by_pairs(ranks, operand, [&](auto lower, auto higher, int room) -> decltype(lower) {
    std::byte* const to =
        room == in_result ? into : rooms + static_cast<std::size_t>(room) * room_bytes;
    apply(lower, higher, to);
    return to;
  });
}

}  // namespace peal
