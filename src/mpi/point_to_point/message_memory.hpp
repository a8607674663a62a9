// mpi/point_to_point/message_memory.hpp
// The memory of a message: the program's own where its elements lie in one block, else a copy in
// which they are packed.
//
// Layer    mpi/point_to_point: may include mpi/datatypes.
// Units    bytes; counts are elements of the datatype.
// Threads  values.
// Errors   MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER for a null pointer and for memory that
//          overlaps; std::bad_alloc.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "mpi/datatypes/datatype.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// As below, with the plan of the type.
[[nodiscard]] inline bool lies_in_one_block(const void* buffer, std::size_t bytes,
                                            const definition& type, std::int64_t count,
                                            const plan& by) {
  if (buffer <= MPI_IN_PLACE && bytes != 0) [[unlikely]]
    need_memory(buffer, type, static_cast<std::int64_t>(bytes), "buf");
  return by.is_contiguous() || (count == 1 && by.is_one_block());
}
/// Whether `count` copies of a type lie in one block of memory, which begins where offset() of the
/// type's plan says. Fails for a null pointer that is no MPI_BOTTOM, and for MPI_IN_PLACE.
[[nodiscard]] inline bool lies_in_one_block(const void* buffer, std::size_t bytes,
                                            const definition& type, std::int64_t count) {
  return lies_in_one_block(buffer, bytes, type, count, type.plan());
}

/// Where elements lie that are one block of memory.
struct memory_range {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;  // 0: they are none, or have gaps between them
};
[[nodiscard]] inline memory_range range_of(const void* buffer, std::int64_t count,
                                           const definition& type) {
  const auto bytes = static_cast<std::size_t>(bytes_of(type, count));
  if (!lies_in_one_block(buffer, bytes, type, count)) return {};
  return {static_cast<const std::byte*>(buffer) + type.plan().offset(), bytes};
}
/// MPI_ERR_BUFFER where something is received into what is sent.
inline void need_apart(const memory_range& sent, const memory_range& received) {
  const std::less<> before;  // also where the two are of different objects
  if (sent.bytes != 0 && received.bytes != 0 &&
      before(sent.begin, received.begin + received.bytes) &&
      before(received.begin, sent.begin + sent.bytes)) [[unlikely]]
    fail(MPI_ERR_BUFFER, "sendbuf overlaps recvbuf: what is sent lies where something is received");
}

/// What is sent.
class outgoing {
 public:
  outgoing() = default;
  outgoing(const void* buffer, std::int64_t count, MPI_Datatype type)
      : outgoing{buffer, count, committed_datatype_of(type).type()} {}
  outgoing(const void* buffer, std::int64_t count, const definition& of)
      : bytes_{static_cast<std::size_t>(bytes_of(of, count))} {
    if (lies_in_one_block(buffer, bytes_, of, count)) [[likely]]
      data_ = static_cast<const std::byte*>(buffer) + of.plan().offset();
    else pack_copy(buffer, count, of);
  }

  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_copy() const noexcept { return copy_ != nullptr; }
  /// Null: the message is sent from the program's own memory.
  [[nodiscard]] std::unique_ptr<std::byte[]> take_copy() noexcept { return std::move(copy_); }
  /// The message is in a copy from now on.
  void make_copy();

 private:
  void pack_copy(const void* buffer, std::int64_t count, const definition& of);

  const void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

/// Where a message is received.
class incoming {
 public:
  incoming() = default;
  incoming(void* buffer, std::int64_t count, MPI_Datatype type)
      : incoming{buffer, count, committed_datatype_of(type).shared} {}
  incoming(void* buffer, std::int64_t count, const definition_pointer& type)
      : room_{static_cast<std::size_t>(bytes_of(*type, count))} {
    if (lies_in_one_block(buffer, room_, *type, count)) [[likely]]
      data_ = static_cast<std::byte*>(buffer) + type->plan().offset();
    else make_copy(buffer, count, type);
  }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t room() const noexcept { return room_; }
  [[nodiscard]] bool is_copy() const noexcept { return copy_ != nullptr; }
  /// A copy holds what is in the program's memory.
  void load() noexcept;
  /// So many bytes have arrived.
  void arrived(std::size_t bytes) noexcept {
    if (copy_) [[unlikely]]
      unpack_copy(bytes);
  }

 private:
  void make_copy(void* buffer, std::int64_t count, const definition_pointer& type);
  void unpack_copy(std::size_t bytes) noexcept;

  void* data_ = nullptr;
  std::size_t room_ = 0;
  std::unique_ptr<std::byte[]> copy_;
  // Where there is a copy:
  definition_pointer type_;
  void* buffer_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace peal::mpi
