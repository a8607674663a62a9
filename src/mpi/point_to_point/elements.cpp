#include "mpi/point_to_point/elements.hpp"

#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

sent_elements::sent_elements(const void* buffer, std::int64_t count, const definition_pointer& type)
    : buffer_{buffer}, count_{count}, bytes_{static_cast<std::size_t>(bytes_of(*type, count))} {
  if (lies_in_one_block(buffer, bytes_, *type, count)) {
    buffer_ = static_cast<const std::byte*>(buffer) + type->plan().offset();
    return;
  }
  type_ = type;
  pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
    const auto& from = static_cast<const sent_elements&>(self);
    (void)mpi::pack(from.type_->plan(), from.buffer_, from.count_, static_cast<std::int64_t>(at),
                    to, bytes);
  };
  blocks = blocks_of(type->plan(), buffer, count);
}

detail::operation* sent_elements::begin(send_mode mode, const communicator& on, int peer, int tag) {
  const void* data = buffer_;
  if (type_ != nullptr) {
    detail::operation* const begun =
        detail::start_send_packed(*on.state, *this, bytes_, on.peer_in_state(peer), tag,
                                  mode == send_mode::synchronous, place);
    if (begun != nullptr) return begun;
    copy_ = outgoing{buffer_, count_, *type_};
    data = copy_.data();
  }
  const auto how =
      mode == send_mode::synchronous ? &detail::start_synchronous_send : &detail::start_send;
  return how(*on.state, data, bytes_, on.peer_in_state(peer), tag, place);
}

detail::operation* received_elements::begin_unpacked(const communicator& on, int peer, int tag) {
  unpack = [](const unpacker& self, std::size_t at, const void* from, std::size_t bytes) noexcept {
    const auto& into = static_cast<const received_elements&>(self);
    (void)mpi::unpack(into.type_->plan(), into.buffer_, into.count_, static_cast<std::int64_t>(at),
                      from, bytes);
  };
  blocks = blocks_of(type_->plan(), buffer_, count_);
  return detail::start_recv_unpacked(*on.state, *this, room_, on.peer_in_state(peer), tag, place);
}

}  // namespace peal::mpi
