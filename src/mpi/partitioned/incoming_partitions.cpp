#include "mpi/partitioned/incoming_partitions.hpp"

#include <algorithm>
#include <utility>

#include "mpi/communicators/communicator.hpp"
#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/errors/thrown.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

incoming_partitions::incoming_partitions(const partitioned_call& call)
    : memory{call}, peer_{communicator_of(call.comm).peer_in_state(call.peer)} {
  const plan& by = memory.type->plan();
  if (by.is_contiguous()) {
    data_ = static_cast<std::byte*>(memory.buffer) + by.offset();
    return;
  }
  copy_.reset(new std::byte[static_cast<std::size_t>(memory.total())]);
  data_ = copy_.get();
  places_.reset(new std::atomic<place_of>[static_cast<std::size_t>(memory.partitions)]);
}

incoming_partitions::~incoming_partitions() {
  for (detail::operation* const each : begun_) detail::drop(each);
}

// ---- the setup

/// Keeps what it is received for.
struct incoming_partitions::setup_receive {
  std::shared_ptr<incoming_partitions> into;
  detail::communicator_state* on;
  detail::operation* begun;
};

void incoming_partitions::expect_setup(const std::shared_ptr<incoming_partitions>& into,
                                       detail::communicator_state& on, int tag) {
  if (into->peer_ == MPI_PROC_NULL) {
    into->is_setup_known_ = true;
    return;
  }
  auto kept = std::make_unique<setup_receive>(setup_receive{into, &on, nullptr});
  kept->begun = detail::start_recv_in(setup_room, on, &into->setup_, sizeof into->setup_,
                                      into->peer_, tag, place);
  detail::operation& begun = *kept->begun;
  detail::on_finish(
      begun,
      [](void* context) {
        const std::unique_ptr<setup_receive> over{static_cast<setup_receive*>(context)};
        // The communicator is there as long as an operation of it has not been given back.
        over->into->take_setup(*over->on, detail::result_of(*over->begun));
        detail::drop(over->begun);
      },
      kept.release());
}

/// In whatever thread makes progress.
void incoming_partitions::take_setup(detail::communicator_state& on,
                                     const detail::outcome& of) noexcept {
  {
    const std::lock_guard<std::mutex> guard{lock_};
    if (of.error) broken_.store(class_of(of.error), std::memory_order_release);
    is_setup_known_ = !of.error;
    try {
      if (is_setup_known_ && std::exchange(is_wanted_, false)) begin_round(on);
    } catch (...) {
      broken_.store(what_was_thrown().error_class, std::memory_order_release);
    }
  }
  wake_waits();
}

// ---- a round

void incoming_partitions::want_round(detail::communicator_state& on) {
  if (copy_)
    for (int each = 0; each != memory.partitions; ++each)
      places_[static_cast<std::size_t>(each)].store(place_of::in_copy, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> guard{lock_};
  arrived_before_ = 0;
  if (is_setup_known_) begin_round(on);
  else is_wanted_ = true;
}

/// With the lock held. What is longer than the memory here is cut, so that it ends with an error.
void incoming_partitions::begin_round(detail::communicator_state& on) {
  const std::int64_t room = memory.total();
  begun_.reserve(static_cast<std::size_t>(setup_.partitions));
  for (int each = 0; each != setup_.partitions; ++each) {
    const std::int64_t start = std::min(each * setup_.bytes, room);
    const auto most = static_cast<std::size_t>(std::min(setup_.bytes, room - start));
    begun_.push_back(detail::start_recv_in(partition_room, on, data_ + start, most, peer_,
                                           setup_.first_tag + each, place));
  }
  is_begun_.store(true, std::memory_order_release);
}

bool incoming_partitions::is_over() noexcept {
  if (broken_.load(std::memory_order_acquire) != MPI_SUCCESS) return true;
  return is_begun_.load(std::memory_order_acquire) && pending() == nullptr;
}

detail::operation* incoming_partitions::pending() noexcept {
  if (!is_begun_.load(std::memory_order_acquire)) return nullptr;
  for (; arrived_before_ != begun_.size(); ++arrived_before_)
    if (!detail::finished(*begun_[arrived_before_])) return begun_[arrived_before_];
  return nullptr;
}

bool incoming_partitions::has_all_of(int partition) const noexcept {
  if (!is_begun_.load(std::memory_order_acquire)) return false;
  const auto sent = static_cast<std::int64_t>(begun_.size());
  const std::int64_t first = partition * sent / memory.partitions,
                     past = ((partition + 1) * sent + memory.partitions - 1) / memory.partitions;
  for (std::int64_t each = first; each != past; ++each)
    if (!detail::finished(*begun_[static_cast<std::size_t>(each)])) return false;
  return true;
}

bool incoming_partitions::take_in(int partition) noexcept {
  if (!copy_) return true;
  std::atomic<place_of>& at = places_[static_cast<std::size_t>(partition)];
  place_of found = place_of::in_copy;
  // acquire: pairs with the release of the thread that has moved it
  if (!at.compare_exchange_strong(found, place_of::moving, std::memory_order_acquire))
    return found == place_of::in_memory;
  const std::int64_t start = partition * memory.bytes;
  (void)unpack(memory.type->plan(), memory.start_of(partition), memory.count, 0, data_ + start,
               static_cast<std::size_t>(memory.bytes));
  at.store(place_of::in_memory, std::memory_order_release);
  return true;
}

int incoming_partitions::look(std::size_t& bytes) const noexcept {
  bytes = 0;
  if (const int broken = broken_.load(std::memory_order_acquire); broken != MPI_SUCCESS)
    return broken;
  int code = MPI_SUCCESS;
  for (const detail::operation* const each : begun_) {
    const detail::outcome& of = detail::result_of(*each);
    bytes += of.bytes;
    if (code == MPI_SUCCESS) code = class_of(of.error);
  }
  return code;
}

void incoming_partitions::end_round() noexcept {
  for (int each = 0; copy_ && each != memory.partitions; ++each)
    if (has_all_of(each)) (void)take_in(each);
  for (detail::operation* const each : begun_) detail::drop(each);
  begun_.clear();
  is_begun_.store(false, std::memory_order_relaxed);
}

}  // namespace peal::mpi
