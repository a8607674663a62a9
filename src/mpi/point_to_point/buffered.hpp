// mpi/point_to_point/buffered.hpp
// Buffered sends: the message is copied, and the send is over at once. The program attaches memory
// for the copies; they lie elsewhere, but no more is copied than that memory would hold.
//
// Layer    mpi/point_to_point.
// Units    bytes.
// Threads  any.
// Errors   MPI_ERR_BUFFER where there is no room, or where memory is attached twice.
#pragma once

#include <cstdint>

#include "mpi/communicators/communicator.hpp"
#include "mpi/point_to_point/message_memory.hpp"

namespace peal::mpi {

void send_buffered(const communicator& on, outgoing data, int peer, int tag);

void attach_buffer(void* memory, std::int64_t bytes);
/// Waits until all has been sent. What was attached; null: nothing was.
struct attached_memory {
  void* memory = nullptr;
  std::int64_t bytes = 0;
};
attached_memory detach_buffer();
/// Waits until all has been sent.
void flush_buffer();

}  // namespace peal::mpi
