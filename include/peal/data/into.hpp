// peal/data/into.hpp
// Where the result of a collective goes, as an argument of the call: into memory of the caller's,
// or in the place of what was given.
//
//     world.allreduce(x, peal::into(y));             // y is filled; of the same element type as x
//     world.allreduce(peal::in_place(x));            // the result replaces x
//     world.allgatherv(x, peal::into(y, counts));    // so many elements of each rank, one block
//     behind the other
//
// The memory is a contiguous range of fixed values, a strided view, or one fixed value. Nonblocking
// calls and plans fill it later, so it is an lvalue or a view, never a temporary.
//
// Units    elements.
// Errors   errc::invalid_argument, thrown by the call: the memory is too short for the result, or
//          counts and displacements leave it.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace peal {

/// Where the blocks of ranks lie in memory: how long each is, and where it begins, counted from the
/// start of the memory. Without displacements each begins where the one before it ends. Read during
/// the call only.
struct block_layout {
  std::span<const std::size_t> counts;           ///< elements of each block
  std::span<const std::size_t> displacements{};  ///< where each begins, in elements
};
/// There are no blocks, or all are equally long and one behind the other.
struct no_layout {};

/// R: a reference to what is filled, or a view of it.
template <class R, class Layout = no_layout>
struct into_buffer {
  R buffer;                               ///< is filled
  [[no_unique_address]] Layout layout{};  ///< where the blocks lie
};
/// As into_buffer, for memory that also holds what this rank gives.
template <class R, class Layout = no_layout>
struct in_place_buffer {
  R buffer;                               ///< is read and filled
  [[no_unique_address]] Layout layout{};  ///< where the blocks lie
};

/// The result goes into `buffer`.
template <class R>
[[nodiscard]] constexpr into_buffer<R> into(R&& buffer) {
  return {std::forward<R>(buffer)};
}
/// The same, for collectives whose blocks differ in length.
template <class R>
[[nodiscard]] constexpr into_buffer<R, block_layout> into(
    R&& buffer, std::span<const std::size_t> counts,
    std::span<const std::size_t> displacements = {}) {
  return {std::forward<R>(buffer), {counts, displacements}};
}

/// The result replaces what `buffer` holds, which is what this rank gives.
template <class R>
[[nodiscard]] constexpr in_place_buffer<R> in_place(R&& buffer) {
  return {std::forward<R>(buffer)};
}
/// The same, for collectives whose blocks differ in length.
template <class R>
[[nodiscard]] constexpr in_place_buffer<R, block_layout> in_place(
    R&& buffer, std::span<const std::size_t> counts,
    std::span<const std::size_t> displacements = {}) {
  return {std::forward<R>(buffer), {counts, displacements}};
}

}  // namespace peal
