// mpi/point_to_point/sending.hpp
// The modes of sends, and how a message of each of them begins.
//
// Layer    mpi/point_to_point: may include mpi/requests, mpi/communicators.
// Units    counts are elements of the datatype.
// Errors   what peal/detail/core.hpp says, and what message_memory.hpp says.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "mpi/communicators/communicator.hpp"
#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/requests/request.hpp"

namespace peal::mpi {

/// A ready send is a standard one: that the receive has been posted makes nothing cheaper.
enum class send_mode : std::uint8_t { standard, synchronous, ready, buffered };

/// What a send is told, by both forms of its function.
struct send_call {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
};
struct receive_call {
  void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
};

/// Returns when the buffer may be used again; a synchronous one when the receive has begun.
void send(send_mode mode, const send_call& call);
void receive(const receive_call& call, MPI_Status* status);

/// The memory of an exchange. `has_two_buffers`: its arguments are called sendbuf, recvbuf and so
/// on.
[[nodiscard]] outgoing outgoing_of(const send_call& out, bool has_two_buffers);
[[nodiscard]] incoming incoming_of(const receive_call& in, bool has_two_buffers);
/// Both at a time. `replace`: what arrives is put where the message came from.
void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace);

[[nodiscard]] std::unique_ptr<request> begin_send(send_mode mode, const send_call& call,
                                                  outgoing data);
[[nodiscard]] std::unique_ptr<request> begin_receive(const receive_call& call);
[[nodiscard]] std::unique_ptr<request> begin_receive(const receive_call& call, incoming data);
[[nodiscard]] MPI_Request start_send(send_mode mode, const send_call& call);
[[nodiscard]] MPI_Request start_receive(const receive_call& call);
/// Made ready, to be started with MPI_Start.
[[nodiscard]] MPI_Request prepare_send(send_mode mode, const send_call& call);
[[nodiscard]] MPI_Request prepare_receive(const receive_call& call);

/// Gives an operation back.
struct dropped {
  detail::operation* operation;
  explicit dropped(detail::operation* of) noexcept : operation{of} {}
  dropped(const dropped&) = delete;
  dropped& operator=(const dropped&) = delete;
  ~dropped() { detail::drop(operation); }
};

/// Begins a message whose memory stays until the operation is over; not a buffered one.
[[nodiscard]] detail::operation* begin(send_mode mode, const communicator& on, const outgoing& data,
                                       int peer, int tag);

/// Tells a program what a message was. `remote_first`: of its communicator.
void set_status(MPI_Status* status, const detail::outcome& of, int remote_first) noexcept;

}  // namespace peal::mpi
