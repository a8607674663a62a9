// mpi/point_to_point/send_buffer.hpp
// Memory that a program attaches for buffered sends: to the process, to a communicator or to a
// session. The copies lie elsewhere, but no more is copied than that memory would hold; with
// MPI_BUFFER_AUTOMATIC there is no limit.
//
// Layer    mpi/point_to_point.
// Units    bytes.
// Threads  any.
// Errors   MPI_ERR_BUFFER where there is no room, or where memory is attached twice.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/communicators/communicator.hpp"
#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/requests/request.hpp"

namespace peal::mpi {

/// A message on its way, and its copy. Those who wait for it share it.
class buffered_message;

class send_buffer {
 public:
  send_buffer() = default;
  send_buffer(const send_buffer&) = delete;
  send_buffer& operator=(const send_buffer&) = delete;
  /// Does not wait: what is on its way arrives.
  ~send_buffer();

  /// What was attached; null: nothing was.
  struct memory {
    void* address = nullptr;
    std::int64_t bytes = 0;
  };
  void attach(void* address, std::int64_t bytes);
  /// Waits until all has been sent.
  memory detach();
  /// Waits until what was put into it so far has been sent.
  void flush();
  /// A request that is over then.
  [[nodiscard]] MPI_Request start_flush(MPI_Comm comm);

  [[nodiscard]] bool is_attached() const;
  void send(const communicator& on, outgoing data, int peer, int tag);

 private:
  using message_pointer = std::shared_ptr<buffered_message>;

  void forget_sent();
  [[nodiscard]] bool has_room(std::int64_t bytes) const noexcept;
  [[nodiscard]] std::vector<message_pointer> on_their_way() const;

  mutable std::mutex lock_;  // of all below
  memory given_;
  bool attached_ = false;
  std::int64_t used_ = 0;
  std::vector<message_pointer> messages_;
};

/// MPI_Buffer_attach's.
[[nodiscard]] send_buffer& process_buffer() noexcept;
/// The buffer of a communicator or a session, which has one from the first call on.
[[nodiscard]] send_buffer& own_buffer(std::shared_ptr<send_buffer>& of);
/// By the nearest buffer that is attached: of the communicator, of its session, of the process.
void send_buffered(const communicator& on, outgoing data, int peer, int tag);

}  // namespace peal::mpi
