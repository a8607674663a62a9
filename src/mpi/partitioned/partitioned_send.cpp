#include "mpi/partitioned/partitioned_send.hpp"

#include "mpi/communicators/communicator.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// The receiver hears of it however long this process takes to begin the first round.
void send_setup(const partitioned_call& call, const partition_setup& setup) {
  auto kept = std::make_unique<partition_setup>(setup);
  const communicator& on = communicator_of(call.comm);
  detail::operation* const begun =
      detail::start_send_in(setup_room, *on.state, kept.get(), sizeof setup,
                            on.peer_in_state(call.peer), call.tag, place);
  detail::drop(
      begun, [](void* sent) noexcept { delete static_cast<partition_setup*>(sent); },
      kept.release());
}

}  // namespace

partitioned_send::partitioned_send(const partitioned_call& call)
    : request{call.comm, form::persistent},
      memory_{call},
      peer_{communicator_of(call.comm).peer_in_state(call.peer)},
      first_tag_{take_tags(call.partitions)},
      partitions_{new partition[static_cast<std::size_t>(call.partitions)]} {
  send_setup(call, {memory_.partitions, first_tag_, memory_.bytes});
}

partitioned_send::~partitioned_send() { drop_all(); }

void partitioned_send::begin() {
  for (int each = 0; each != memory_.partitions; ++each)
    partitions_[static_cast<std::size_t>(each)].is_ready.store(false, std::memory_order_relaxed);
  count_begun_.store(0, std::memory_order_relaxed);
  sent_before_ = 0;
}

void partitioned_send::check(int which, const char* argument) const {
  if (!is_active()) fail(MPI_ERR_REQUEST, "request is not active: MPI_Start comes first");
  need(which >= 0 && which < memory_.partitions, MPI_ERR_ARG, argument, which,
       "it is no partition of the request");
}

void partitioned_send::ready(int which) {
  check(which, "partition");
  partition& of = partitions_[static_cast<std::size_t>(which)];
  // relaxed: it keeps two threads from one partition, and the program orders all else
  need(!of.is_ready.exchange(true, std::memory_order_relaxed), MPI_ERR_ARG, "partition", which,
       "it was marked as ready before");
  try {
    of.data = outgoing{memory_.start_of(which), memory_.count, *memory_.type};
    of.begun.store(
        detail::start_send_in(partition_room, *communicator_of(comm()).state, of.data.data(),
                              of.data.bytes(), peer_, first_tag_ + which, place),
        std::memory_order_release);
  } catch (...) {
    of.is_ready.store(false, std::memory_order_relaxed);
    throw;
  }
  // acq_rel: pairs with the acquire in all_begun
  if (count_begun_.fetch_add(1, std::memory_order_acq_rel) + 1 == memory_.partitions) wake_waits();
}

bool partitioned_send::all_begun() const noexcept {
  return count_begun_.load(std::memory_order_acquire) == memory_.partitions;
}

detail::operation* partitioned_send::begun(int of) const noexcept {
  return partitions_[static_cast<std::size_t>(of)].begun.load(std::memory_order_acquire);
}

bool partitioned_send::is_done() noexcept {
  return !is_active() || (all_begun() && pending() == nullptr);
}

detail::operation* partitioned_send::pending() noexcept {
  if (!is_active() || !all_begun()) return nullptr;
  for (; sent_before_ != memory_.partitions; ++sent_before_)
    if (!detail::finished(*begun(sent_before_))) return begun(sent_before_);
  return nullptr;
}

int partitioned_send::look(MPI_Status& status) noexcept {
  status = empty_status();
  if (!is_active()) return MPI_SUCCESS;
  for (int each = 0; each != memory_.partitions; ++each)
    if (!detail::ended_well(*begun(each))) return class_of(detail::result_of(*begun(each)).error);
  return MPI_SUCCESS;
}

int partitioned_send::end(MPI_Status& status) noexcept {
  const int code = look(status);
  drop_all();
  return code;
}

void partitioned_send::check_free() {
  if (!is_done()) fail(MPI_ERR_REQUEST, "a partitioned send is freed before it has ended");
}

void partitioned_send::drop_all() noexcept {
  for (int each = 0; each != memory_.partitions; ++each)
    detail::drop(partitions_[static_cast<std::size_t>(each)].begun.exchange(
        nullptr, std::memory_order_relaxed));
}

}  // namespace peal::mpi
