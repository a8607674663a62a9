// What work does for intercommunicators alone.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "mpi/collectives/work.hpp"
#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

/// What stands for memory where there is nothing: a null pointer would mean something else.
constexpr std::byte nothing{};

}  // namespace

void work::send_same(const block& data, int first, int ranks) {
  const outgoing& made = add_sent(data, 1);
  if (made.is_copy()) load_again(made, data, data.count);
  const auto count = static_cast<std::size_t>(size_);
  send_blocks_.bytes.assign(count, 0);
  send_blocks_.offsets.assign(count, 0);
  std::fill_n(send_blocks_.bytes.begin() + first, ranks, made.bytes());
  call_.varying = true;
  call_.send = made.data() != nullptr ? made.data() : &nothing;
  call_.send_bytes = send_blocks_.bytes.data();
  call_.send_offsets = send_blocks_.offsets.data();
}

void work::join_groups(const void* from, void* into, std::int64_t count, std::int64_t before,
                       std::int64_t own, MPI_Datatype type, MPI_Op op) {
  if (from == MPI_IN_PLACE || into == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning for an intercommunicator");
  op_.emplace(op, type);
  const definition_pointer& shared = committed_datatype_of(type).shared;
  const std::int64_t bytes = bytes_of(*shared, count);
  need_memory(from, *shared, bytes, "sendbuf");
  need_memory(into, *shared, bytes_of(*shared, own), "recvbuf");
  groups_ =
      std::make_unique<two_vectors>(*op_, static_cast<std::size_t>(count), remote_first_ == 0);
  op_->take_from_lower_bound();
  call_.kind = detail::collective::allreduce;
  groups_->set(call_);
  raw_from_.reset(new std::byte[groups_->bytes()]());
  raw_into_.reset(new std::byte[groups_->bytes()]());
  groups_->mark(raw_from_.get());
  own_vector_ = {shared, from, count};
  load_groups();
  call_.send = raw_from_.get();
  call_.receive = raw_into_.get();
  after_.push_back({shared, into, own,
                    raw_into_.get() + groups_->other_at() + before * shared->extent(),
                    static_cast<std::size_t>(own * shared->extent())});
}

void work::load_groups() {
  const definition& type = *own_vector_.type;
  const auto bytes = static_cast<std::size_t>(bytes_of(type, own_vector_.count));
  // By way of packed memory, so that gaps are not read, which need not be the program's.
  const std::unique_ptr<std::byte[]> packed{new std::byte[bytes + 1]};
  pack(type.plan(), own_vector_.from, own_vector_.count, 0, packed.get(), bytes);
  unpack(type.plan(), raw_from_.get() + groups_->own_at() - type.layout().lower, own_vector_.count,
         0, packed.get(), bytes);
}

void work::join_gathered(void* into, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  if (into == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning for an intercommunicator");
  op_.emplace(op, type);
  op_->take_from_lower_bound();
  gathered_ = std::make_unique<gathered_vectors>(*op_, committed_datatype_of(type).shared, into,
                                                 count, remote_size_);
  call_.kind = detail::collective::alltoall;
  call_.varying = true;
  const auto ranks = static_cast<std::size_t>(size_);
  send_blocks_.bytes.assign(ranks, 0);
  send_blocks_.offsets.assign(ranks, 0);
  receive_blocks_ = {};
  receive_blocks_.bytes.assign(ranks, 0);
  receive_blocks_.offsets.assign(ranks, 0);
  for (int each = 0; each != remote_size_; ++each) {
    const auto at = static_cast<std::size_t>(remote_first_) + static_cast<std::size_t>(each);
    receive_blocks_.bytes[at] = gathered_->vector_bytes();
    receive_blocks_.offsets[at] = gathered_->vector_bytes() * static_cast<std::size_t>(each);
  }
  call_.send = &nothing;
  call_.send_bytes = send_blocks_.bytes.data();
  call_.send_offsets = send_blocks_.offsets.data();
  call_.receive = gathered_->packed();
  call_.receive_bytes = receive_blocks_.bytes.data();
  call_.receive_offsets = receive_blocks_.offsets.data();
}

}  // namespace peal::mpi
