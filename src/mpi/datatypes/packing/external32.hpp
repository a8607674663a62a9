// mpi/datatypes/packing/external32.hpp
// The representation that all machines read: the most significant byte first, sizes as the standard
// names them.
//
// Layer    mpi/datatypes/packing.
// Units    bytes.
// Errors   MPI_ERR_CONVERSION for an integer that is too large for its length there.
// Source   MPI 5.0, 14.5.2.
#pragma once

#include <cstdint>

#include "mpi/datatypes/layouts/layout.hpp"

namespace peal::mpi {

/// Fails with MPI_ERR_COUNT, as bytes_of.
[[nodiscard]] std::int64_t external_bytes_of(const layout& type, std::int64_t count);
/// Requires: `stream` has room for external_bytes_of(type, count).
void pack_external(const layout& type, const void* data, std::int64_t count, void* stream);
void unpack_external(const layout& type, void* data, std::int64_t count, const void* stream);

}  // namespace peal::mpi
