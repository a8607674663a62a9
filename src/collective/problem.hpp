// collective/problem.hpp
// What an algorithm is told: one rank's view of one collective call, without addresses.
//
// Layer    collective: may include p2p/, base/.
// Units    bytes; ranks are ranks of the team.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "collective/node_map.hpp"
#include "collective/schedule.hpp"

namespace peal::detail {
struct neighborhood;
}

namespace peal {

/// Where each rank's block lies in a buffer. Null arrays mean blocks of `equal` bytes, packed in
/// rank order.
struct blocks {
  std::size_t equal = 0;
  const std::size_t* sizes = nullptr;
  const std::size_t* offsets = nullptr;  // given whenever `sizes` is

  [[nodiscard]] std::size_t bytes(int rank) const noexcept { return sizes ? sizes[rank] : equal; }
  [[nodiscard]] std::size_t offset(int rank) const noexcept {
    return offsets ? offsets[rank] : static_cast<std::size_t>(rank) * equal;
  }
  [[nodiscard]] slice of(place where, int rank) const noexcept {
    return {where, offset(rank), bytes(rank)};
  }
};

struct problem {
  int rank = 0;
  int size = 1;
  int root = 0;
  std::size_t bytes = 0;    // this rank's block; of bcast and of reductions the whole vector
  std::size_t element = 1;  // of a reduction; divides `bytes`
  bool commutative = true;
  bool in_place = false;  // on this rank
  bool varying = false;   // blocks differ between ranks; the same on every rank
  int radix = 2;          // of trees, at least 2
  // scatter (at the root), alltoall and reduce_scatter, whose blocks lie packed in rank order
  blocks send;
  blocks receive;  // gather (at the root), allgather and alltoall
  // Between neighbours, whose blocks are counted in their order.
  const detail::neighborhood* near = nullptr;
  const node_map* nodes = nullptr;  // null: all ranks are on one node, or each has its own

  /// Where this rank's vector is before a reduction.
  [[nodiscard]] slice input() const noexcept {
    return {in_place ? place::receive : place::send, 0, bytes};
  }
  [[nodiscard]] slice output() const noexcept { return {place::receive, 0, bytes}; }
  /// Of reduce_scatter: what this rank has of the block of `owner`, and where its own goes.
  [[nodiscard]] slice part_for(int owner) const noexcept { return send.of(input().buffer, owner); }
  [[nodiscard]] slice own_part() const noexcept { return {place::receive, 0, send.bytes(rank)}; }
  /// Ranks counted from the root, cyclically, and back.
  [[nodiscard]] int from_root(int r) const noexcept {
    return r >= root ? r - root : r - root + size;
  }
  [[nodiscard]] int real(int relative) const noexcept { return wrapped(relative + root); }
  /// Requires: -size <= r < 2 * size.
  [[nodiscard]] int wrapped(int r) const noexcept {
    return r < 0 ? r + size : r >= size ? r - size : r;
  }
};

/// A vector cut into parts of whole elements whose sizes differ by one element at most.
struct partition {
  std::size_t bytes = 0;
  std::size_t element = 1;
  int parts = 1;

  /// Where part `i` begins; i == parts gives the end.
  [[nodiscard]] std::size_t offset(int i) const noexcept {
    const auto n = static_cast<std::size_t>(parts);
    const auto k = static_cast<std::size_t>(i);
    const std::size_t elements = bytes / element;
    return (k * (elements / n) + std::min(k, elements % n)) * element;
  }
  /// Parts [first, last) of the vector that lies in `where` from `base` on.
  [[nodiscard]] slice range(place where, int first, int last, std::size_t base = 0) const noexcept {
    return {where, base + offset(first), offset(last) - offset(first)};
  }
};

/// The largest power of two that is not above n. Requires: n >= 1.
constexpr int floor_power(int n) noexcept {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
}

/// How a number of ranks that is no power of two becomes one: of the first 2 × (size − power) ranks
/// each even one hands its part to the odd one above it and waits. Neighbours join, so rank order
/// holds.
struct folding {
  int size;
  int power;
  int extra;

  explicit folding(int ranks) noexcept
      : size{ranks}, power{floor_power(ranks)}, extra{ranks - power} {}

  [[nodiscard]] bool gives(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 0; }
  [[nodiscard]] bool takes(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 1; }
  /// Among the ranks that stay. Requires: !gives(rank).
  [[nodiscard]] int folded(int rank) const noexcept {
    return rank < 2 * extra ? rank / 2 : rank - extra;
  }
  [[nodiscard]] int real(int index) const noexcept {
    return index < extra ? index * 2 + 1 : index + extra;
  }
};

}  // namespace peal
