// mpi/partitioned/partition_setup.hpp
// How partitioned messages travel, and what both sides learn of them when they are made.
//
// A partition of the sender's is a message, begun when the program says that it is ready. So the
// sender need not know how the receiver cuts the same bytes, and a partition goes straight from one
// buffer to the other. Two rooms of the communicator (peal/detail/core.hpp) carry them, which
// ordinary messages cannot see. In the first room MPI_Psend_init sends a partition_setup with the
// program's tag, and MPI_Precv_init receives one: since messages of one tag keep their order, the
// requests of a communicator, rank and tag find each other in the order in which they were made. In
// the second room each partition has a tag of its own, which the sender has chosen, and which the
// setup tells; the rounds of a request follow each other as messages of one tag do. So neither side
// waits for the other before it sends or starts.
//
// Layer    mpi/partitioned.
// Units    bytes.
// Threads  any.
// Errors   MPI_ERR_RANK, MPI_ERR_TAG, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_TYPE.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/datatypes/datatype.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

inline constexpr detail::room setup_room = detail::room::first;
inline constexpr detail::room partition_room = detail::room::second;

/// What the sender tells the receiver.
struct partition_setup {
  std::int32_t partitions = 0;
  std::int32_t first_tag = 0;  // of the first partition; those of the others follow
  std::int64_t bytes = 0;      // of each partition
};

/// What a program says of a partitioned message.
struct partitioned_call {
  void* buffer;  // a sender only reads it
  int partitions;
  std::int64_t count;  // of elements in each
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
  const char* peer_argument;  // what the program calls `peer`
};

/// A call that has been checked, and its datatype, whose handle the program may free.
struct partitioned_memory {
  explicit partitioned_memory(const partitioned_call& call);

  /// Where a partition begins.
  [[nodiscard]] void* start_of(int partition) const noexcept;
  /// All partitions.
  [[nodiscard]] std::int64_t total() const noexcept { return bytes * partitions; }

  definition_pointer type;
  void* buffer;
  int partitions;
  std::int64_t count;  // of elements in each
  std::int64_t bytes;  // of each
};

/// So many tags that follow each other, for messages to any rank. After 2^31 partitions they begin
/// anew; a request that has been made so long before and is still in use must not meet them.
[[nodiscard]] std::int32_t take_tags(std::int32_t count) noexcept;

}  // namespace peal::mpi
