#include "mpi/point_to_point/sending.hpp"

#include "mpi/point_to_point/send_buffer.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// Starts the same message again and again.
class persistent_request : public request {
 public:
  using request::request;
  [[nodiscard]] bool is_active() const noexcept override { return active_; }
  [[nodiscard]] bool is_persistent() const noexcept override { return true; }
  int finish(MPI_Status& status) noexcept override {
    const int code = request::finish(status);
    active_ = false;
    return code;
  }
  void start() override {
    if (active_) fail(MPI_ERR_REQUEST, "request is active already");
    begin_message();
    active_ = true;
  }

 private:
  virtual void begin_message() = 0;
  bool active_ = false;
};

class persistent_send final : public persistent_request {
 public:
  persistent_send(send_mode mode, const send_call& call)
      : persistent_request{call.comm},
        mode_{mode},
        call_{call},
        type_{committed_datatype_of(call.type).shared} {}

 private:
  // Each time it is packed anew, since the program has written something else meanwhile.
  void begin_message() override {
    const communicator& on = communicator_of(call_.comm);
    data_ = outgoing{call_.buffer, call_.count, *type_};
    if (mode_ == send_mode::buffered) send_buffered(on, std::move(data_), call_.peer, call_.tag);
    else run(begin(mode_, on, data_, call_.peer, call_.tag));
  }

  send_mode mode_;
  send_call call_;
  definition_pointer type_;  // the program may free the handle
  outgoing data_;
};

class persistent_receive final : public persistent_request {
 public:
  explicit persistent_receive(const receive_call& call)
      : persistent_request{call.comm},
        call_{call},
        type_{committed_datatype_of(call.type).shared} {}

 private:
  void begin_message() override {
    const communicator& on = communicator_of(call_.comm);
    data_ = incoming{call_.buffer, call_.count, type_};
    first_ = on.remote_first;
    run(detail::start_recv(*on.state, data_.data(), data_.room(), on.peer_in_state(call_.peer),
                           call_.tag, place));
  }
  int look(MPI_Status& status) noexcept override {
    const int code = persistent_request::look(status);
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
  need(any || peer == MPI_PROC_NULL || (peer >= 0 && peer < size), MPI_ERR_RANK,
       receives ? "source" : "dest", peer, "it is no rank of the communicator");
  need(tag >= 0 || (receives && tag == MPI_ANY_TAG), MPI_ERR_TAG, "tag", tag,
       "it must not be negative");
}

void check_memory(const void* buffer, std::int64_t count, MPI_Datatype type) {
  const definition& of = committed_datatype_of(type).type();
  need_memory(buffer, of, bytes_of(of, count), "buf");
}

constexpr argument_names names_of_sent = {
    {"count", "sendcount"}, {"datatype", "sendtype"}, {"buf", "sendbuf"}};
constexpr argument_names names_of_received = {
    {"count", "recvcount"}, {"datatype", "recvtype"}, {"buf", "recvbuf"}};

}  // namespace

detail::operation* begin(send_mode mode, const communicator& on, const outgoing& data, int peer,
                         int tag) {
  const auto how =
      mode == send_mode::synchronous ? &detail::start_synchronous_send : &detail::start_send;
  return how(*on.state, data.data(), data.bytes(), on.peer_in_state(peer), tag, place);
}

void set_status(MPI_Status* status, const detail::outcome& of, int remote_first) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  set_outcome(*status, of);
  tell_source(*status, remote_first);
}

void send(send_mode mode, const send_call& call) {
  const communicator& on = communicator_of(call.comm);
  outgoing data{call.buffer, call.count, call.type};
  if (mode == send_mode::buffered) return send_buffered(on, std::move(data), call.peer, call.tag);
  if (mode != send_mode::synchronous) [[likely]]
    return detail::send(*on.state, data.data(), data.bytes(), on.peer_in_state(call.peer), call.tag,
                        place);
  detail::operation* const begun = begin(mode, on, data, call.peer, call.tag);
  const dropped guard{begun};
  (void)detail::wait(*begun);
  if (!detail::ended_well(*begun)) detail::raise(*begun);
}

void receive(const receive_call& call, MPI_Status* status) {
  const communicator& on = communicator_of(call.comm);
  incoming data{call.buffer, call.count, call.type};
  const detail::outcome end = detail::recv(*on.state, data.data(), data.room(),
                                           on.peer_in_state(call.peer), call.tag, place);
  data.arrived(end.bytes);
  set_status(status, end, on.remote_first);
}

outgoing outgoing_of(const send_call& out, bool has_two_buffers) {
  return with_names(has_two_buffers ? names_of_sent : argument_names{},
                    [&] { return outgoing{out.buffer, out.count, out.type}; });
}

incoming incoming_of(const receive_call& in, bool has_two_buffers) {
  return with_names(has_two_buffers ? names_of_received : argument_names{},
                    [&] { return incoming{in.buffer, in.count, in.type}; });
}

void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace) {
  const communicator& on = communicator_of(out.comm);
  outgoing sent = outgoing_of(out, !replace);
  if (replace) sent.make_copy();
  incoming received = incoming_of(in, !replace);
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
  return begin_receive(call, incoming{call.buffer, call.count, call.type});
}

std::unique_ptr<request> begin_receive(const receive_call& call, incoming data) {
  const communicator& on = communicator_of(call.comm);
  detail::operation* const begun = detail::start_recv(*on.state, data.data(), data.room(),
                                                      on.peer_in_state(call.peer), call.tag, place);
  return std::make_unique<receive_request>(call.comm, std::move(data), begun, on.remote_first);
}

MPI_Request start_send(send_mode mode, const send_call& call) {
  outgoing data{call.buffer, call.count, call.type};
  if (mode == send_mode::buffered || mode == send_mode::synchronous)
    return hand_out(begin_send(mode, call, std::move(data)));
  detail::operation* const begun =
      begin(mode, communicator_of(call.comm), data, call.peer, call.tag);
  if (detail::ended_well(*begun)) {
    detail::drop(begun);
    return request_that_is_over();
  }
  return hand_out(std::make_unique<send_request>(call.comm, std::move(data), begun));
}

MPI_Request start_receive(const receive_call& call) { return hand_out(begin_receive(call)); }

MPI_Request prepare_send(send_mode mode, const send_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, false);
  check_memory(call.buffer, call.count, call.type);
  return hand_out(std::make_unique<persistent_send>(mode, call));
}

MPI_Request prepare_receive(const receive_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, true);
  check_memory(call.buffer, call.count, call.type);
  return hand_out(std::make_unique<persistent_receive>(call));
}

}  // namespace peal::mpi
