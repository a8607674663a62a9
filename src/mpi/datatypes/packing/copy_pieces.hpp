// mpi/datatypes/packing/copy_pieces.hpp
// Copies the pieces of a run into a packed stream, or back out of it.
//
// Layer    mpi/datatypes/packing: may include base/.
// Units    bytes.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/copy.hpp"

namespace peal::mpi {

enum class direction : bool { pack, unpack };

/// An address in the buffer of the program. A number, since MPI_BOTTOM is a null pointer.
inline std::byte* place_at(std::uintptr_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);
}

/// Pieces of a length that the compiler knows.
template <direction Way, std::size_t Length>
void copy_fixed(std::uintptr_t address, std::int64_t stride, std::int64_t count,
                std::byte* stream) noexcept {
  for (std::int64_t each = 0; each != count; ++each) {
    if constexpr (Way == direction::pack) std::memcpy(stream, place_at(address), Length);
    else std::memcpy(place_at(address), stream, Length);
    stream += Length;
    address += static_cast<std::uintptr_t>(stride);
  }
}

template <direction Way>
void copy_block(std::uintptr_t address, std::byte* stream, std::size_t length) noexcept {
  if constexpr (Way == direction::pack) std::memcpy(stream, place_at(address), length);
  else std::memcpy(place_at(address), stream, length);
}

/// `count` pieces of `length`, `stride` apart; in the stream they touch.
template <direction Way>
void copy_pieces(std::uintptr_t address, std::int64_t stride, std::int64_t length,
                 std::int64_t count, std::byte* stream) noexcept {
  const auto bytes = static_cast<std::size_t>(length);
  switch (length) {
    case 1: return copy_fixed<Way, 1>(address, stride, count, stream);
    case 2: return copy_fixed<Way, 2>(address, stride, count, stream);
    case 4: return copy_fixed<Way, 4>(address, stride, count, stream);
    case 8: return copy_fixed<Way, 8>(address, stride, count, stream);
    case 12: return copy_fixed<Way, 12>(address, stride, count, stream);
    case 16: return copy_fixed<Way, 16>(address, stride, count, stream);
    case 24: return copy_fixed<Way, 24>(address, stride, count, stream);
    case 32: return copy_fixed<Way, 32>(address, stride, count, stream);
    default: break;
  }
  for (std::int64_t each = 0; each != count; ++each) {
    if (bytes > short_copy) copy_block<Way>(address, stream, bytes);
    else if constexpr (Way == direction::pack) copy_short(stream, place_at(address), bytes);
    else copy_short(place_at(address), stream, bytes);
    stream += bytes;
    address += static_cast<std::uintptr_t>(stride);
  }
}

}  // namespace peal::mpi
