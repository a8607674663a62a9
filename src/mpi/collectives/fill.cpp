#include "mpi/collectives/fill.hpp"

#include "mpi/collectives/between_groups.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

void refuse_in_place(const void* buffer, const char* argument) {
  if (buffer == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, std::string{argument} + " is MPI_IN_PLACE, which has no meaning here");
}

class collective_request final : public request {
 public:
  collective_request(MPI_Comm comm, std::unique_ptr<work> begun)
      : request{comm}, work_{std::move(begun)} {
    run(work_->start());
  }
  void cancel() override { fail(MPI_ERR_REQUEST, "a collective cannot be cancelled"); }

 private:
  void take_in(std::size_t /*bytes*/) noexcept override { work_->finish(); }

  std::unique_ptr<work> work_;
};

}  // namespace

MPI_Request hand_out_work(std::unique_ptr<work> begun, MPI_Comm comm) {
  return hand_out(std::make_unique<collective_request>(comm, std::move(begun)));
}

void fill_bcast(work& w, const block& data, int root) {
  if (w.is_inter()) return between_groups::fill_bcast(w, data, root);
  refuse_in_place(data.buffer, "buffer");
  w.set_root(root);
  w.pass_on(data);
}

void fill_gather(work& w, const block& from, const block& into, int root) {
  if (w.is_inter()) return between_groups::fill_gather(w, from, into, root);
  w.set_root(root);
  if (from.buffer == MPI_IN_PLACE) {
    if (!w.is_root()) refuse_in_place(from.buffer, "sendbuf");
    return w.receive_in_place(into, w.size());
  }
  if (w.is_root()) {
    refuse_in_place(into.buffer, "recvbuf");
    w.receive(into, w.size());
  }
  w.send(from);
}

void fill_gatherv(work& w, const block& from, const block_array& into, int root) {
  if (w.is_inter()) return between_groups::fill_gatherv(w, from, into, root);
  w.set_root(root);
  w.set_varying();
  if (from.buffer == MPI_IN_PLACE) {
    if (!w.is_root()) refuse_in_place(from.buffer, "sendbuf");
    return w.receive_in_place(into);
  }
  if (w.is_root()) {
    refuse_in_place(into.buffer, "recvbuf");
    w.receive(into);
  }
  w.send(from);
}

void fill_scatter(work& w, const block& from, const block& into, int root) {
  if (w.is_inter()) return between_groups::fill_scatter(w, from, into, root);
  w.set_root(root);
  if (w.is_root()) {
    refuse_in_place(from.buffer, "sendbuf");
    w.send(from, w.size());
  }
  if (into.buffer == MPI_IN_PLACE) {
    if (!w.is_root()) refuse_in_place(into.buffer, "recvbuf");
    return w.keep_own_block();
  }
  w.receive(into);
}

void fill_scatterv(work& w, const block_array& from, const block& into, int root) {
  if (w.is_inter()) return between_groups::fill_scatterv(w, from, into, root);
  w.set_root(root);
  w.set_varying();
  if (w.is_root()) {
    refuse_in_place(from.buffer, "sendbuf");
    w.send(from);
  }
  if (into.buffer == MPI_IN_PLACE) {
    if (!w.is_root()) refuse_in_place(into.buffer, "recvbuf");
    return w.keep_own_block();
  }
  w.receive(into);
}

void fill_allgather(work& w, const block& from, const block& into) {
  if (w.is_inter()) return between_groups::fill_allgather(w, from, into);
  refuse_in_place(into.buffer, "recvbuf");
  if (from.buffer == MPI_IN_PLACE) return w.receive_in_place(into, w.size());
  w.send(from);
  w.receive(into, w.size());
}

void fill_allgatherv(work& w, const block& from, const block_array& into) {
  if (w.is_inter()) return between_groups::fill_allgatherv(w, from, into);
  refuse_in_place(into.buffer, "recvbuf");
  if (from.buffer == MPI_IN_PLACE) return w.receive_in_place(into);
  w.receive(into);
  w.send(from);
}

void fill_alltoall(work& w, const block& from, const block& into) {
  if (w.is_inter()) return between_groups::fill_alltoall(w, from, into);
  refuse_in_place(into.buffer, "recvbuf");
  if (from.buffer == MPI_IN_PLACE) return w.exchange_in_place(into);
  w.send(from, w.size());
  w.receive(into, w.size());
}

void fill_alltoallv(work& w, const block_array& from, const block_array& into) {
  if (w.is_inter()) return between_groups::fill_alltoallv(w, from, into);
  refuse_in_place(into.buffer, "recvbuf");
  if (from.buffer == MPI_IN_PLACE) return w.exchange_in_place(into);
  w.send(from);
  w.receive(into);
}

void fill_reduce(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
                 MPI_Op op, int root) {
  if (w.is_inter()) return between_groups::fill_reduce(w, from, into, count, type, op, root);
  w.set_root(root);
  if (!w.is_root()) {
    refuse_in_place(from, "sendbuf");
    into = nullptr;  // only the root's counts
  } else {
    refuse_in_place(into, "recvbuf");
  }
  w.join(from, into, count, type, op);
}

void fill_join(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
               MPI_Op op) {
  if (w.is_inter()) return between_groups::fill_join(w, from, into, count, type, op);
  refuse_in_place(into, "recvbuf");
  w.join(from, into, count, type, op);
}

bool try_allreduce_at_once(MPI_Comm comm, const void* from, void* into, std::int64_t count,
                           MPI_Datatype type, MPI_Op op) {
  const communicator& on = communicator_of(comm);
  const datatype* const elements = datatypes().find(type);
  const mpi::op* const how = ops().find(op);
  if (on.is_inter() || elements == nullptr || !elements->committed || how == nullptr || count < 0)
    return false;
  const definition& of = elements->type();
  const auto size = static_cast<std::size_t>(of.extent());
  detail::collective_call call;
  call.type = scalar_joined_by(*how, of);
  if (call.type == detail::scalar::opaque ||
      __builtin_mul_overflow(size, static_cast<std::size_t>(count), &call.bytes))
    return false;
  // MPI_IN_PLACE and null pointers are the first numbers.
  const auto sent = reinterpret_cast<std::uintptr_t>(from),
             received = reinterpret_cast<std::uintptr_t>(into),
             first = reinterpret_cast<std::uintptr_t>(MPI_IN_PLACE);
  const std::uintptr_t between = sent < received ? received - sent : sent - received;
  if (sent <= first || received <= first || between < call.bytes) return false;
  call.kind = detail::collective::allreduce;
  call.send = from;
  call.receive = into;
  call.element_size = size;
  call.op = {.kind = how->kind, .commutative = how->commutative};
  detail::run_collective(*on.state, call, place);
  return true;
}

void fill_join_blocks(work& w, const void* from, void* into, number_array counts,
                      std::int64_t equal, MPI_Datatype type, MPI_Op op) {
  if (w.is_inter()) return between_groups::fill_join_blocks(w, from, into, counts, equal, type, op);
  refuse_in_place(into, "recvbuf");
  w.join_blocks(from, into, counts, equal, type, op);
}

}  // namespace peal::mpi
