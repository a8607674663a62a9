// Probes, and messages that a probe took out of matching.
#include <optional>

#include "mpi/point_to_point/message.hpp"
#include "mpi/point_to_point/sending.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

/// Of a message from MPI_PROC_NULL, which is always there.
void set_no_process(MPI_Status* status) noexcept {
  set_status(status, {.tag = MPI_ANY_TAG, .source = MPI_PROC_NULL, .bytes = 0, .error = {}}, 0);
}

class receive_from_no_process final : public request {
 public:
  receive_from_no_process() noexcept : request{MPI_COMM_NULL} {}
  int look(MPI_Status& status) noexcept override {
    status = empty_status();
    set_no_process(&status);
    return MPI_SUCCESS;
  }
};

class matched_receive_request final : public request {
 public:
  matched_receive_request(incoming data, detail::operation* begun, int remote_first) noexcept
      : request{MPI_COMM_NULL}, data_{std::move(data)}, remote_first_{remote_first} {
    run(begun);
  }
  ~matched_receive_request() override { stop(); }

 private:
  int look(MPI_Status& status) noexcept override {
    const int code = request::look(status);
    tell_source(status, remote_first_);
    return code;
  }
  void take_in(std::size_t bytes) noexcept override { data_.arrived(bytes); }

  incoming data_;
  int remote_first_;
};

/// A receive that has begun. Null: the message is from MPI_PROC_NULL.
struct begun_receive {
  detail::operation* operation = nullptr;
  int remote_first = 0;
};
begun_receive start(MPI_Message& handle, incoming& data) {
  if (handle == MPI_MESSAGE_NO_PROC) {
    handle = MPI_MESSAGE_NULL;
    return {};
  }
  message& found = message_of(handle);
  detail::matched_message* const taken = found.take();
  const int remote_first = found.remote_first();
  messages().remove(handle);
  handle = MPI_MESSAGE_NULL;
  return {detail::start_recv_matched(taken, data.data(), data.room(), place), remote_first};
}

void receive_matched(void* buffer, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                     MPI_Status* status) {
  need_place(message, "message");
  incoming data{buffer, count, type};
  const auto [begun, remote_first] = start(*message, data);
  if (begun == nullptr) return set_no_process(status);
  const dropped guard{begun};
  (void)detail::wait(*begun);
  const detail::outcome& end = detail::result_of(*begun);
  if (end.error) detail::raise(*begun);
  data.arrived(end.bytes);
  set_status(status, end, remote_first);
}

MPI_Request start_matched(void* buffer, std::int64_t count, MPI_Datatype type,
                          MPI_Message* message) {
  need_place(message, "message");
  incoming data{buffer, count, type};
  const auto [begun, remote_first] = start(*message, data);
  if (begun == nullptr) return hand_out(std::make_unique<receive_from_no_process>());
  return hand_out(std::make_unique<matched_receive_request>(std::move(data), begun, remote_first));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Probe, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return run("MPI_Probe", comm, [&] {
    const communicator& on = communicator_of(comm);
    if (source == MPI_PROC_NULL) return set_no_process(status);
    set_status(status, detail::probe(*on.state, on.peer_in_state(source), tag, place),
               on.remote_first);
  });
}

PEAL_MPI_FUNCTION(int, Iprobe, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return run("MPI_Iprobe", comm, [&] {
    need_place(flag, "flag");
    const communicator& on = communicator_of(comm);
    *flag = 1;
    if (source == MPI_PROC_NULL) return set_no_process(status);
    detail::outcome found;
    *flag = detail::try_probe(*on.state, on.peer_in_state(source), tag, found, place) ? 1 : 0;
    if (*flag != 0) set_status(status, found, on.remote_first);
  });
}

PEAL_MPI_FUNCTION(int, Mprobe, int source, int tag, MPI_Comm comm, MPI_Message* message,
                  MPI_Status* status) {
  return run("MPI_Mprobe", comm, [&] {
    need_place(message, "message");
    const communicator& on = communicator_of(comm);
    *message = MPI_MESSAGE_NO_PROC;
    if (source == MPI_PROC_NULL) return set_no_process(status);
    detail::outcome found;
    *message =
        hand_out_message(detail::probe_take(*on.state, on.peer_in_state(source), tag, found, place),
                         on.remote_first);
    set_status(status, found, on.remote_first);
  });
}

PEAL_MPI_FUNCTION(int, Improbe, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                  MPI_Status* status) {
  return run("MPI_Improbe", comm, [&] {
    need_place(flag, "flag");
    need_place(message, "message");
    const communicator& on = communicator_of(comm);
    *flag = 1;
    *message = MPI_MESSAGE_NO_PROC;
    if (source == MPI_PROC_NULL) return set_no_process(status);
    detail::outcome found;
    detail::matched_message* const taken =
        detail::try_probe_take(*on.state, on.peer_in_state(source), tag, found, place);
    *flag = taken != nullptr ? 1 : 0;
    *message = taken != nullptr ? hand_out_message(taken, on.remote_first) : MPI_MESSAGE_NULL;
    if (taken != nullptr) set_status(status, found, on.remote_first);
  });
}

PEAL_MPI_FUNCTION(int, Mrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Status* status) {
  return run_in_job("MPI_Mrecv", [&] { receive_matched(buf, count, datatype, message, status); });
}

PEAL_MPI_FUNCTION(int, Mrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Message* message, MPI_Status* status) {
  return run_in_job("MPI_Mrecv_c", [&] { receive_matched(buf, count, datatype, message, status); });
}

PEAL_MPI_FUNCTION(int, Imrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Request* request) {
  return run_in_job("MPI_Imrecv", [&] {
    need_place(request, "request");
    *request = start_matched(buf, count, datatype, message);
  });
}

PEAL_MPI_FUNCTION(int, Imrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Message* message, MPI_Request* request) {
  return run_in_job("MPI_Imrecv_c", [&] {
    need_place(request, "request");
    *request = start_matched(buf, count, datatype, message);
  });
}
