// mpi/datatypes/packing/packing.hpp
// Packs the elements of a datatype into a stream without gaps, and back; also a part of it, so that
// a long message can be packed while its beginning is already on its way.
//
// Layer    mpi/datatypes/packing.
// Units    bytes; `position` counts from the beginning of the whole packed stream.
// Threads  any.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/datatypes/packing/plan.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

/// From `position` on, at most `room` bytes of `count` copies. What was packed: less than `room`
/// only at the end. Requires: count and position are not negative; count * size can be counted.
std::size_t pack(const plan& by, const void* data, std::int64_t count, std::int64_t position,
                 void* stream, std::size_t room) noexcept;
/// The reverse, of `bytes` bytes that begin at `position`; what lies behind the end is left alone.
std::size_t unpack(const plan& by, void* data, std::int64_t count, std::int64_t position,
                   const void* stream, std::size_t bytes) noexcept;

/// Where `count` copies at `data` lie, if that is in blocks of one length at one distance, which
/// follow each other in the stream. Requires: as pack.
[[nodiscard]] detail::strided_blocks blocks_of(const plan& of, const void* data,
                                               std::int64_t count) noexcept;

}  // namespace peal::mpi
