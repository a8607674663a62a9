// mpi/point_to_point/elements.hpp
// The elements of a message. Those that lie in one block are sent from where they are and received
// there. Others are packed on their way and unpacked where they arrive, so that the message is
// copied no more often than that.
//
// Layer    mpi/point_to_point: may include mpi/datatypes, mpi/communicators.
// Units    bytes; counts are elements of the datatype.
// Threads  one at a time.
// Errors   MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER for a null pointer; std::bad_alloc; begin
//          throws what peal's calls throw.
#pragma once

#include "mpi/communicators/communicator.hpp"
#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

/// A ready send is a standard one: that the receive has been posted makes nothing cheaper.
enum class send_mode : std::uint8_t { standard, synchronous, ready, buffered };

/// Stays where it is while an operation that it has begun is under way.
class sent_elements : private detail::packer {
 public:
  sent_elements(const void* buffer, std::int64_t count, const definition_pointer& type);
  sent_elements(const sent_elements&) = delete;
  sent_elements& operator=(const sent_elements&) = delete;

  /// As they are now. Requires: the mode is not buffered.
  [[nodiscard]] detail::operation* begin(send_mode, const communicator& on, int peer, int tag);

 private:
  const void* buffer_;
  std::int64_t count_;
  std::size_t bytes_;
  definition_pointer type_;  // null: they lie in one block
  outgoing copy_;            // where they cannot be packed on their way
};

/// Stays where it is while an operation that it has begun is under way.
class received_elements : private detail::unpacker {
 public:
  received_elements(void* buffer, std::int64_t count, const definition_pointer& type)
      : buffer_{buffer}, count_{count}, room_{static_cast<std::size_t>(bytes_of(*type, count))} {
    if (lies_in_one_block(buffer, room_, *type, count)) [[likely]]
      buffer_ = static_cast<std::byte*>(buffer) + type->plan().offset();
    else type_ = type;
  }
  received_elements(const received_elements&) = delete;
  received_elements& operator=(const received_elements&) = delete;

  [[nodiscard]] detail::operation* begin(const communicator& on, int peer, int tag) {
    if (type_ != nullptr) [[unlikely]]
      return begin_unpacked(on, peer, tag);
    return detail::start_recv(*on.state, buffer_, room_, on.peer_in_state(peer), tag, place);
  }

 private:
  [[nodiscard]] detail::operation* begin_unpacked(const communicator& on, int peer, int tag);

  void* buffer_;
  std::int64_t count_;
  std::size_t room_;
  definition_pointer type_;  // null: they lie in one block
};

}  // namespace peal::mpi
