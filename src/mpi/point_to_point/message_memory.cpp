#include "mpi/point_to_point/message_memory.hpp"

#include <cstring>

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

/// MPI_BOTTOM is a null pointer: with it displacements are addresses. So is a mistake, and
/// MPI_IN_PLACE another one.
void need_buffer(const void* buffer, std::size_t bytes, const definition& of) {
  if (buffer <= MPI_IN_PLACE && bytes != 0) [[unlikely]]
    need_memory(buffer, of, static_cast<std::int64_t>(bytes), "buf");
}

}  // namespace

outgoing::outgoing(const void* buffer, std::int64_t count, const definition& of) {
  bytes_ = static_cast<std::size_t>(bytes_of(of, count));
  const plan& by = of.plan();
  need_buffer(buffer, bytes_, of);
  if (by.is_contiguous() || (count == 1 && by.is_one_block())) [[likely]] {
    data_ = static_cast<const std::byte*>(buffer) + by.offset();
    return;
  }
  copy_.reset(new std::byte[bytes_]);
  data_ = copy_.get();
  pack(by, buffer, count, 0, copy_.get(), bytes_);
}

void outgoing::make_copy() {
  if (copy_) return;
  copy_.reset(new std::byte[bytes_]);
  if (bytes_ != 0) std::memcpy(copy_.get(), data_, bytes_);
  data_ = copy_.get();
}

incoming::incoming(void* buffer, std::int64_t count, const definition_pointer& type) {
  const definition& of = *type;
  room_ = static_cast<std::size_t>(bytes_of(of, count));
  const plan& by = of.plan();
  need_buffer(buffer, room_, of);
  if (by.is_contiguous() || (count == 1 && by.is_one_block())) [[likely]] {
    data_ = static_cast<std::byte*>(buffer) + by.offset();
    return;
  }
  copy_.reset(new std::byte[room_]);
  data_ = copy_.get();
  type_ = type;
  buffer_ = buffer;
  count_ = count;
}

void incoming::load() noexcept {
  if (copy_) pack(type_->plan(), buffer_, count_, 0, copy_.get(), room_);
}

void incoming::unpack_copy(std::size_t bytes) noexcept {
  unpack(type_->plan(), buffer_, count_, 0, copy_.get(), bytes);
}

}  // namespace peal::mpi
