#include "mpi/partitioned/partition_setup.hpp"

#include <atomic>
#include <limits>

#include "mpi/communicators/communicator.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

partitioned_memory::partitioned_memory(const partitioned_call& call)
    : buffer{call.buffer}, partitions{call.partitions}, count{call.count} {
  const communicator& on = communicator_of(call.comm);
  need(call.partitions >= 0, MPI_ERR_ARG, "partitions", call.partitions, "it must not be negative");
  need(call.peer == MPI_PROC_NULL ||
           (call.peer >= 0 && call.peer < (on.is_inter() ? on.remote_size : on.size())),
       MPI_ERR_RANK, call.peer_argument, call.peer, "it is no rank of the communicator");
  need(call.tag >= 0, MPI_ERR_TAG, "tag", call.tag, "it must not be negative");
  type = committed_datatype_of(call.type).shared;
  bytes = bytes_of(*type, call.count);
  std::int64_t all = 0;
  if (__builtin_mul_overflow(bytes, std::int64_t{partitions}, &all))
    fail(MPI_ERR_COUNT, "count", call.count, "the bytes of all partitions cannot be counted");
  need_memory(buffer, *type, all, "buf");
}

void* partitioned_memory::start_of(int partition) const noexcept {
  return static_cast<std::byte*>(buffer) + partition * count * type->extent();
}

std::int32_t take_tags(std::int32_t count) noexcept {
  static std::atomic<std::int32_t> next{0};
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  // relaxed: a number, and nothing else
  std::int32_t found = next.load(std::memory_order_relaxed), first = 0;
  do {
    first = found > most - count ? 0 : found;
  } while (!next.compare_exchange_weak(found, first + count, std::memory_order_relaxed));
  return first;
}

}  // namespace peal::mpi
