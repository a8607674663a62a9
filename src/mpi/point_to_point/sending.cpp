#include "mpi/point_to_point/sending.hpp"

#include <array>

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/point_to_point/send_buffer.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

class persistent_send final : public request {
 public:
  persistent_send(send_mode mode, const send_call& call, const definition_pointer& type)
      : request{call.comm, form::persistent},
        mode_{mode},
        call_{call},
        data_{call.buffer, call.count, type} {}
  ~persistent_send() override { stop(); }

 private:
  void begin() override {
    run(data_.begin(mode_, communicator_of(call_.comm), call_.peer, call_.tag));
  }

  send_mode mode_;
  send_call call_;
  sent_elements data_;
};

/// Is over when it has begun.
class persistent_buffered_send final : public request {
 public:
  persistent_buffered_send(const send_call& call, definition_pointer type)
      : request{call.comm, form::persistent}, call_{call}, type_{std::move(type)} {}

 private:
  void begin() override {
    send_buffered(communicator_of(call_.comm), {call_.buffer, call_.count, *type_}, call_.peer,
                  call_.tag);
  }

  send_call call_;
  definition_pointer type_;  // the program may free the handle
};

class persistent_receive final : public request {
 public:
  persistent_receive(const receive_call& call, const definition_pointer& type)
      : request{call.comm, form::persistent},
        call_{call},
        first_{communicator_of(call.comm).remote_first},
        data_{call.buffer, call.count, type} {}
  ~persistent_receive() override { stop(); }

 private:
  void begin() override { run(data_.begin(communicator_of(call_.comm), call_.peer, call_.tag)); }
  int look(MPI_Status& status) noexcept override {
    const int code = request::look(status);
    tell_source(status, first_);
    return code;
  }

  receive_call call_;
  int first_;
  received_elements data_;
};

/// So that a mistake is told where the request is made: as for a message that begins now.
void check_peer(const communicator& on, int peer, int tag, bool receives) {
  const int size = on.is_inter() ? on.remote_size : on.size();
  const bool any = receives && peer == MPI_ANY_SOURCE;
  need(any || peer == MPI_PROC_NULL || (peer >= 0 && peer < size), MPI_ERR_RANK,
       receives ? "source" : "dest", peer, "it is no rank of the communicator");
  need(tag >= 0 || (receives && tag == MPI_ANY_TAG), MPI_ERR_TAG, "tag", tag,
       "it must not be negative");
  need(tag >= 0 || !detail::names_tags(*on.state), MPI_ERR_TAG, "tag", tag,
       "the communicator was made with the hint mpi_assert_no_any_tag");
}

void check_memory(const void* buffer, std::int64_t count, MPI_Datatype type) {
  const definition& of = committed_datatype_of(type).type();
  need_memory(buffer, of, bytes_of(of, count), "buf");
}

}  // namespace

namespace {

class elements_send_request final : public request {
 public:
  elements_send_request(MPI_Comm comm, const void* buffer, std::int64_t count,
                        const definition_pointer& type)
      : request{comm}, data{buffer, count, type} {}
  ~elements_send_request() override { stop(); }
  using request::run;

  sent_elements data;
};

class elements_receive_request final : public receive_request {
 public:
  elements_receive_request(const receive_call& call, const definition_pointer& type,
                           int remote_first)
      : receive_request{call.comm, nullptr, remote_first}, data{call.buffer, call.count, type} {}
  ~elements_receive_request() override { stop(); }
  using request::run;

  received_elements data;
};

class copy_send_request final : public request {
 public:
  copy_send_request(MPI_Comm comm, outgoing copy) : request{comm}, data{std::move(copy)} {}
  ~copy_send_request() override { stop(); }
  using request::run;

  outgoing data;
};

/// Waits for an operation of a blocking call and gives it back. Throws what it has ended with.
detail::outcome completed(detail::operation* begun) {
  const dropped guard{begun};
  (void)detail::wait(*begun);
  const detail::outcome& end = detail::result_of(*begun);
  if (end.error) detail::raise(*begun);
  return end;
}

const definition_pointer& type_of(MPI_Datatype type) { return committed_datatype_of(type).shared; }

/// Where a short message is packed.
using short_copy_memory = std::array<std::byte, 4096>;

}  // namespace

void send_otherwise(send_mode mode, const send_call& call) {
  const communicator& on = communicator_of(call.comm);
  const definition_pointer& type = type_of(call.type);
  if (mode == send_mode::buffered)
    return send_buffered(on, {call.buffer, call.count, *type}, call.peer, call.tag);
  const auto bytes = static_cast<std::size_t>(bytes_of(*type, call.count));
  if (short_copy_memory copy; mode != send_mode::synchronous && bytes <= copy.size()) {
    (void)pack(type->plan(), call.buffer, call.count, 0, copy.data(), bytes);
    return detail::send(*on.state, copy.data(), bytes, on.peer_in_state(call.peer), call.tag,
                        place);
  }
  sent_elements data{call.buffer, call.count, type};
  (void)completed(data.begin(mode, on, call.peer, call.tag));
}

void receive_otherwise(const receive_call& call, MPI_Status* status) {
  const communicator& on = communicator_of(call.comm);
  received_elements data{call.buffer, call.count, type_of(call.type)};
  set_status(status, completed(data.begin(on, call.peer, call.tag)), on.remote_first);
}

argument_names names_of_sent(bool two_buffers) noexcept {
  static constexpr argument_names all = {
      {"count", "sendcount"}, {"datatype", "sendtype"}, {"buf", "sendbuf"}};
  return two_buffers ? all : argument_names{};
}
argument_names names_of_received(bool two_buffers) noexcept {
  static constexpr argument_names all = {
      {"count", "recvcount"}, {"datatype", "recvtype"}, {"buf", "recvbuf"}};
  return two_buffers ? all : argument_names{};
}

void need_apart(const send_call& out, const receive_call& in) {
  if (out.peer == MPI_PROC_NULL || in.peer == MPI_PROC_NULL) return;
  const memory_range sent = with_names(
      names_of_sent(true), [&] { return range_of(out.buffer, out.count, *type_of(out.type)); });
  const memory_range received = with_names(
      names_of_received(true), [&] { return range_of(in.buffer, in.count, *type_of(in.type)); });
  need_apart(sent, received);
}

void exchange(const send_call& out, const receive_call& in, MPI_Status* status, bool replace) {
  const communicator& on = communicator_of(out.comm);
  outgoing copy;  // before anything arrives
  if (replace) {
    copy = outgoing{out.buffer, out.count, out.type};
    copy.make_copy();
  } else {
    need_apart(out, in);
  }
  received_elements received = with_names(names_of_received(!replace), [&] {
    return received_elements{in.buffer, in.count, type_of(in.type)};
  });
  detail::operation* const receiving = received.begin(on, in.peer, in.tag);
  try {
    if (replace)
      detail::send(*on.state, copy.data(), copy.bytes(), on.peer_in_state(out.peer), out.tag,
                   place);
    else with_names(names_of_sent(true), [&] { send(send_mode::standard, out); });
  } catch (...) {
    detail::drop(receiving);
    throw;
  }
  set_status(status, completed(receiving), on.remote_first);
}

std::unique_ptr<request> begin_send(send_mode mode, const send_call& call) {
  const communicator& on = communicator_of(call.comm);
  const definition_pointer& type = type_of(call.type);
  if (mode == send_mode::buffered) {
    send_buffered(on, {call.buffer, call.count, *type}, call.peer, call.tag);
    return std::make_unique<request>(call.comm);  // one that is over
  }
  auto made = std::make_unique<elements_send_request>(call.comm, call.buffer, call.count, type);
  made->run(made->data.begin(mode, on, call.peer, call.tag));
  return made;
}

std::unique_ptr<request> begin_copy(const send_call& call, outgoing copy) {
  const communicator& on = communicator_of(call.comm);
  auto made = std::make_unique<copy_send_request>(call.comm, std::move(copy));
  made->run(detail::start_send(*on.state, made->data.data(), made->data.bytes(),
                               on.peer_in_state(call.peer), call.tag, place));
  return made;
}

std::unique_ptr<request> begin_receive(const receive_call& call) {
  const communicator& on = communicator_of(call.comm);
  auto made = std::make_unique<elements_receive_request>(call, type_of(call.type), on.remote_first);
  made->run(made->data.begin(on, call.peer, call.tag));
  return made;
}

MPI_Request hand_out_begun_send(MPI_Comm comm, detail::operation* begun) {
  if (!detail::ended_well(*begun)) return hand_out(std::make_unique<send_request>(comm, begun));
  detail::drop(begun);
  return request_that_is_over();
}

MPI_Request start_send_otherwise(send_mode mode, const send_call& call) {
  return hand_out(begin_send(mode, call));
}

MPI_Request start_receive_otherwise(const receive_call& call) {
  return hand_out(begin_receive(call));
}

MPI_Request prepare_send(send_mode mode, const send_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, false);
  check_memory(call.buffer, call.count, call.type);
  const definition_pointer& type = type_of(call.type);
  if (mode == send_mode::buffered)
    return hand_out(std::make_unique<persistent_buffered_send>(call, type));
  return hand_out(std::make_unique<persistent_send>(mode, call, type));
}

MPI_Request prepare_receive(const receive_call& call) {
  check_peer(communicator_of(call.comm), call.peer, call.tag, true);
  check_memory(call.buffer, call.count, call.type);
  return hand_out(std::make_unique<persistent_receive>(call, type_of(call.type)));
}

}  // namespace peal::mpi
