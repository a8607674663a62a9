#include "mpi/partitioned/partitioned_receive.hpp"

#include "mpi/communicators/communicator.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

partitioned_receive::partitioned_receive(const partitioned_call& call)
    : request{call.comm},
      arriving_{std::make_shared<incoming_partitions>(call)},
      peer_{call.peer},
      tag_{call.tag} {
  incoming_partitions::expect_setup(arriving_, *communicator_of(call.comm).state, call.tag);
}

void partitioned_receive::start() {
  if (active_) fail(MPI_ERR_REQUEST, "request is active already");
  arriving_->want_round(*communicator_of(comm()).state);
  active_ = true;
}

bool partitioned_receive::has_arrived(int partition) {
  need(partition >= 0 && partition < arriving_->memory.partitions, MPI_ERR_ARG, "partition",
       partition, "it is no partition of the request");
  if (!active_) return true;
  if (!arriving_->has_all_of(partition)) make_progress();
  return arriving_->has_all_of(partition) && arriving_->take_in(partition);
}

int partitioned_receive::look(MPI_Status& status) noexcept {
  status = empty_status();
  if (!active_) return MPI_SUCCESS;
  std::size_t bytes = 0;
  const int code = arriving_->look(bytes);
  status.MPI_SOURCE = peer_;
  if (peer_ != MPI_PROC_NULL) status.MPI_TAG = tag_;
  set_bytes(status, static_cast<std::int64_t>(bytes));
  return code;
}

int partitioned_receive::finish(MPI_Status& status) noexcept {
  const int code = look(status);
  if (active_) arriving_->end_round();
  active_ = false;
  return code;
}

void partitioned_receive::check_free() {
  if (!is_done()) fail(MPI_ERR_REQUEST, "a partitioned receive is freed before it has ended");
}

}  // namespace peal::mpi
