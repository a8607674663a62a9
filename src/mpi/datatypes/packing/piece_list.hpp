// mpi/datatypes/packing/piece_list.hpp
// Copies short pieces of different lengths, which lie anywhere: for lengths that nobody can
// foretell a branch costs more than the copy, so that the widest vectors with masks do it, where
// there are any.
//
// Layer    mpi/datatypes/packing.
// Units    bytes.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peal::mpi {

/// A piece, and what those before it take in the packed stream: its length is how much more that is
/// for the next one. Behind the last one of a list there is one more entry for that.
struct plan_piece {
  std::int32_t offset = 0;
  std::uint32_t before = 0;
};
inline constexpr std::int64_t longest_listed_piece = 64;

/// `copies` copies, `stride` apart, of the `count` pieces of a list, none of them longer than
/// `longest` <= longest_listed_piece; in the stream they touch.
struct piece_list_copy {
  const plan_piece* pieces;
  std::uint32_t count;
  std::uint32_t longest;
  std::uintptr_t base;
  std::int64_t stride;
  std::int64_t copies;
  std::byte* stream;
};

/// For one kind of processor. Pack reads at the pieces and writes the stream, unpack does the
/// reverse.
struct piece_list_kernel {
  void (*pack)(const piece_list_copy&) noexcept;
  void (*unpack)(const piece_list_copy&) noexcept;
};
[[nodiscard]] const piece_list_kernel& portable_piece_lists() noexcept;
/// Null: this processor cannot do that.
[[nodiscard]] const piece_list_kernel* wide_piece_lists() noexcept;

/// The best one. With AddressSanitizer, which does not see what masked vectors read and write, the
/// portable one.
[[nodiscard]] const piece_list_kernel& piece_lists() noexcept;

}  // namespace peal::mpi
