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
#include "mpi/support/place.hpp"
#include "mpi/support/status.hpp"

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

/// A buffered or a synchronous one.
void send_otherwise(send_mode mode, const communicator& on, outgoing data, int peer, int tag);
/// Returns when the buffer may be used again; a synchronous one when the receive has begun.
// Always inline, as below: a compiler finds it too long, and the call costs more than a check.
[[gnu::always_inline]] inline void send(send_mode mode, const send_call& call) {
  const communicator& on = communicator_of(call.comm);
  outgoing data{call.buffer, call.count, call.type};
  if (mode == send_mode::buffered || mode == send_mode::synchronous)
    return send_otherwise(mode, on, std::move(data), call.peer, call.tag);
  detail::send(*on.state, data.data(), data.bytes(), on.peer_in_state(call.peer), call.tag, place);
}

/// Tells a program what a message was. `remote_first`: of its communicator.
inline void set_status(MPI_Status* status, const detail::outcome& of, int remote_first) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  set_outcome(*status, of);
  tell_source(*status, remote_first);
}

[[gnu::always_inline]] inline void receive(const receive_call& call, MPI_Status* status) {
  const communicator& on = communicator_of(call.comm);
  incoming data{call.buffer, call.count, call.type};
  const detail::outcome end = detail::recv(*on.state, data.data(), data.room(),
                                           on.peer_in_state(call.peer), call.tag, place);
  data.arrived(end.bytes);
  set_status(status, end, on.remote_first);
}

/// Both at a time. `replace`: what arrives is put where the message came from.
void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace);

[[nodiscard]] std::unique_ptr<request> begin_send(send_mode mode, const send_call& call,
                                                  outgoing data);
[[nodiscard]] std::unique_ptr<request> begin_receive(const receive_call& call);
/// A buffered or a synchronous one, or one that is not over yet.
[[nodiscard]] MPI_Request start_send_otherwise(send_mode mode, const send_call& call,
                                               outgoing data);
[[nodiscard]] MPI_Request hand_out_send(MPI_Comm comm, outgoing data, detail::operation* begun);
[[gnu::always_inline]] inline MPI_Request start_send(send_mode mode, const send_call& call) {
  outgoing data{call.buffer, call.count, call.type};
  if (mode == send_mode::buffered || mode == send_mode::synchronous)
    return start_send_otherwise(mode, call, std::move(data));
  const communicator& on = communicator_of(call.comm);
  detail::operation* const begun = detail::start_send(*on.state, data.data(), data.bytes(),
                                                      on.peer_in_state(call.peer), call.tag, place);
  if (!detail::ended_well(*begun)) return hand_out_send(call.comm, std::move(data), begun);
  detail::drop(begun);
  return request_that_is_over();
}
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

}  // namespace peal::mpi
