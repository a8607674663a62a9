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
#include "mpi/point_to_point/elements.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"
#include "mpi/support/status.hpp"

namespace peal::mpi {

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

/// A buffered or a synchronous one, or one whose elements do not lie in one block.
void send_otherwise(send_mode mode, const send_call& call);
/// Returns when the buffer may be used again; a synchronous one when the receive has begun.
// Always inline, as below: a compiler finds it too long, and the call costs more than a check.
// What is called otherwise gets a copy of the call, here and below, so that the call itself needs
// no memory.
[[gnu::always_inline]] inline void send(send_mode mode, const send_call& call) {
  const definition& type = committed_datatype_of(call.type).type();
  const plan& by = type.plan();
  const auto bytes = static_cast<std::size_t>(bytes_of(type, call.count));
  const bool at_once = mode == send_mode::standard || mode == send_mode::ready;
  if (!at_once || !lies_in_one_block(call.buffer, bytes, type, call.count, by)) [[unlikely]]
    return send_otherwise(mode, send_call{call});
  const communicator& on = communicator_of(call.comm);
  detail::send(*on.state, static_cast<const std::byte*>(call.buffer) + by.offset(), bytes,
               on.peer_in_state(call.peer), call.tag, place);
}

/// Tells a program what a message was. `remote_first`: of its communicator.
inline void set_status(MPI_Status* status, const detail::outcome& of, int remote_first) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  set_outcome(*status, of);
  tell_source(*status, remote_first);
}

/// One whose elements do not lie in one block.
void receive_otherwise(const receive_call& call, MPI_Status* status);
[[gnu::always_inline]] inline void receive(const receive_call& call, MPI_Status* status) {
  const definition& type = committed_datatype_of(call.type).type();
  const plan& by = type.plan();
  const auto room = static_cast<std::size_t>(bytes_of(type, call.count));
  if (!lies_in_one_block(call.buffer, room, type, call.count, by)) [[unlikely]]
    return receive_otherwise(receive_call{call}, status);
  const communicator& on = communicator_of(call.comm);
  set_status(status,
             detail::recv(*on.state, static_cast<std::byte*>(call.buffer) + by.offset(), room,
                          on.peer_in_state(call.peer), call.tag, place),
             on.remote_first);
}

/// What the arguments of an exchange are called. `two_buffers`: sendbuf, recvbuf and so on.
[[nodiscard]] argument_names names_of_sent(bool two_buffers) noexcept;
[[nodiscard]] argument_names names_of_received(bool two_buffers) noexcept;
/// Fails where what is sent and what is received are blocks of memory that overlap. Those of a
/// message that goes nowhere, or comes from nowhere, may.
void need_apart(const send_call& out, const receive_call& in);
/// Both at a time. `replace`: what arrives is put where the message came from.
void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace);

[[nodiscard]] std::unique_ptr<request> begin_send(send_mode mode, const send_call& call);
/// One of elements that were copied.
[[nodiscard]] std::unique_ptr<request> begin_copy(const send_call& call, outgoing copy);
[[nodiscard]] std::unique_ptr<request> begin_receive(const receive_call& call);
/// A buffered or a synchronous one, or one whose elements do not lie in one block.
[[nodiscard]] MPI_Request start_send_otherwise(send_mode mode, const send_call& call);
/// Of a send that was not over at once.
[[nodiscard]] MPI_Request hand_out_begun_send(MPI_Comm comm, detail::operation* begun);
[[nodiscard]] inline MPI_Request hand_out_send(MPI_Comm comm, detail::operation* begun) {
  if (detail::head_of(*begun).common) [[likely]]
    return request_that_is_over();
  return hand_out_begun_send(comm, begun);
}
[[gnu::always_inline]] inline MPI_Request start_send(send_mode mode, const send_call& call) {
  const definition& type = committed_datatype_of(call.type).type();
  const plan& by = type.plan();
  const auto bytes = static_cast<std::size_t>(bytes_of(type, call.count));
  const bool at_once = mode == send_mode::standard || mode == send_mode::ready;
  if (!at_once || !lies_in_one_block(call.buffer, bytes, type, call.count, by)) [[unlikely]]
    return start_send_otherwise(mode, send_call{call});
  const communicator& on = communicator_of(call.comm);
  detail::operation* const begun =
      detail::start_send(*on.state, static_cast<const std::byte*>(call.buffer) + by.offset(), bytes,
                         on.peer_in_state(call.peer), call.tag, place);
  return hand_out_send(call.comm, begun);
}
/// One whose elements do not lie in one block.
[[nodiscard]] MPI_Request start_receive_otherwise(const receive_call& call);
[[gnu::always_inline]] inline MPI_Request start_receive(const receive_call& call) {
  const definition& type = committed_datatype_of(call.type).type();
  const plan& by = type.plan();
  const auto room = static_cast<std::size_t>(bytes_of(type, call.count));
  if (!lies_in_one_block(call.buffer, room, type, call.count, by)) [[unlikely]]
    return start_receive_otherwise(receive_call{call});
  const communicator& on = communicator_of(call.comm);
  return hand_out(std::make_unique<receive_request>(
      call.comm,
      detail::start_recv(*on.state, static_cast<std::byte*>(call.buffer) + by.offset(), room,
                         on.peer_in_state(call.peer), call.tag, place),
      on.remote_first));
}
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

}  // namespace peal::mpi
