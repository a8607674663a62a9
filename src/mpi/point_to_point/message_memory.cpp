#include "mpi/point_to_point/message_memory.hpp"

#include <cstring>

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

void outgoing::pack_copy(const void* buffer, std::int64_t count, const definition& of) {
  copy_.reset(new std::byte[bytes_]);
  data_ = copy_.get();
  pack(of.plan(), buffer, count, 0, copy_.get(), bytes_);
}

void outgoing::make_copy() {
  if (copy_) return;
  copy_.reset(new std::byte[bytes_]);
  if (bytes_ != 0) std::memcpy(copy_.get(), data_, bytes_);
  data_ = copy_.get();
}

void incoming::make_copy(void* buffer, std::int64_t count, const definition_pointer& type) {
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
