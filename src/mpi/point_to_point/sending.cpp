#include "mpi/point_to_point/sending.hpp"

#include "mpi/point_to_point/send_buffer.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

class persistent_send final : public request {
 public:
  persistent_send(send_mode mode, const send_call& call)
      : request{call.comm, form::persistent},
        mode_{mode},
        call_{call},
        type_{committed_datatype_of(call.type).shared} {}

 private:
  // Each time it is packed anew, since the program has written something else meanwhile.
  void begin() override {
    const communicator& on = communicator_of(call_.comm);
    data_ = outgoing{call_.buffer, call_.count, *type_};
    if (mode_ == send_mode::buffered) send_buffered(on, std::move(data_), call_.peer, call_.tag);
    else run(mpi::begin(mode_, on, data_, call_.peer, call_.tag));
  }

  send_mode mode_;
  send_call call_;
  definition_pointer type_;  // the program may free the handle
  outgoing data_;
};

class persistent_receive final : public request {
 public:
  explicit persistent_receive(const receive_call& call)
      : request{call.comm, form::persistent},
        call_{call},
        type_{committed_datatype_of(call.type).shared} {}

 private:
  void begin() override {
    const communicator& on = communicator_of(call_.comm);
    data_ = incoming{call_.buffer, call_.count, type_};
    first_ = on.remote_first;
    run(detail::start_recv(*on.state, data_.data(), data_.room(), on.peer_in_state(call_.peer),
                           call_.tag, place));
  }
  int look(MPI_Status& status) noexcept override {
    const int code = request::look(status);
    tell_source(status, first_);
    return code;
  }
  void take_in(std::size_t bytes) noexcept override { data_.arrived(bytes); }

  receive_call call_;
  definition_pointer type_;
  incoming data_;
  int first_ = 0;
};

/// So that a mistake is told where the request is made: as for a message that begins now.
void check_peer(const communicator& on, int peer, int tag, bool receives) {
  const int size = on.is_inter() ? on.remote_size : on.size();
  const bool any = receives && peer == MPI_ANY_SOURCE;
  need(any || peer == MPI_PROC_NULL || (peer >= 0 && peer < size), MPI_ERR_RANK, "the rank", peer,
       "it is no rank of the communicator");
  need(tag >= 0 || (receives && tag == MPI_ANY_TAG), MPI_ERR_TAG, "tag", tag,
       "it must not be negative");
}

}  // namespace

detail::operation* begin(send_mode mode, const communicator& on, const outgoing& data, int peer,
                         int tag) {
  const auto how =
      mode == send_mode::synchronous ? &detail::start_synchronous_send : &detail::start_send;
  return how(*on.state, data.data(), data.bytes(), on.peer_in_state(peer), tag, place);
}

void send_otherwise(send_mode mode, const communicator& on, outgoing data, int peer, int tag) {
  if (mode == send_mode::buffered) return send_buffered(on, std::move(data), peer, tag);
  detail::operation* const begun = begin(mode, on, data, peer, tag);
  const dropped guard{begun};
  (void)detail::wait(*begun);
  if (!detail::ended_well(*begun)) detail::raise(*begun);
}

void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace) {
  const communicator& on = communicator_of(out.comm);
  outgoing sent{out.buffer, out.count, out.type};
  if (replace) sent.make_copy();
  incoming received{in.buffer, in.count, in.type};
  detail::operation* const receiving = detail::start_recv(
      *on.state, received.data(), received.room(), on.peer_in_state(in.peer), in.tag, place);
  const dropped guard{receiving};
  detail::send(*on.state, sent.data(), sent.bytes(), on.peer_in_state(out.peer), out.tag, place);
  (void)detail::wait(*receiving);
  const detail::outcome& end = detail::result_of(*receiving);
  if (end.error) detail::raise(*receiving);
  received.arrived(end.bytes);
  set_status(status, end, on.remote_first);
}

std::unique_ptr<request> begin_send(send_mode mode, const send_call& call, outgoing data) {
  const communicator& on = communicator_of(call.comm);
  if (mode == send_mode::buffered) {
    send_buffered(on, std::move(data), call.peer, call.tag);
    return std::make_unique<request>(call.comm);  // one that is over
  }
  detail::operation* const begun = begin(mode, on, data, call.peer, call.tag);
  return std::make_unique<send_request>(call.comm, std::move(data), begun);
}

std::unique_ptr<request> begin_receive(const receive_call& call) {
  const communicator& on = communicator_of(call.comm);
  auto made = std::make_unique<receive_request>(call.comm, call.buffer, call.count, call.type,
                                                on.remote_first);
  made->run(detail::start_recv(*on.state, made->data().data(), made->data().room(),
                               on.peer_in_state(call.peer), call.tag, place));
  return made;
}

MPI_Request start_send_otherwise(send_mode mode, const send_call& call, outgoing data) {
  return hand_out(begin_send(mode, call, std::move(data)));
}

MPI_Request hand_out_send(MPI_Comm comm, outgoing data, detail::operation* begun) {
  return hand_out(std::make_unique<send_request>(comm, std::move(data), begun));
}

MPI_Request start_receive(const receive_call& call) { return hand_out(begin_receive(call)); }

MPI_Request prepare_send(send_mode mode, const send_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, false);
  (void)bytes_of(committed_datatype_of(call.type).type(), call.count);
  return hand_out(std::make_unique<persistent_send>(mode, call));
}

MPI_Request prepare_receive(const receive_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, true);
  (void)bytes_of(committed_datatype_of(call.type).type(), call.count);
  return hand_out(std::make_unique<persistent_receive>(call));
}

}  // namespace peal::mpi
