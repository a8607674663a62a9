// mpi/collectives/group_joining.hpp
// Reductions of intercommunicators, of which the group that has the elements is not the one that
// gets the result.
//
// Layer    mpi/collectives: may include mpi/operations, mpi/datatypes.
// Units    bytes; counts are elements of the datatype.
// Threads  one at a time.
// Errors   as operations/op.hpp says; std::bad_alloc.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi/operations/op.hpp"

namespace peal::mpi {

/// A reduction of all members of both groups, each of which has something for one vector of two:
/// one large element with both vectors, and a word that says which of them are there.
class two_vectors {
 public:
  /// `is_second`: this rank is of the second group.
  two_vectors(joining& by, std::size_t count, bool is_second) noexcept;

  /// All of it, and where the vector is that the group has joined, or the other one.
  [[nodiscard]] std::size_t bytes() const noexcept { return vector_at(2); }
  [[nodiscard]] std::size_t own_at() const noexcept { return vector_at(is_second_ ? 1 : 0); }
  [[nodiscard]] std::size_t other_at() const noexcept { return vector_at(is_second_ ? 0 : 1); }
  [[nodiscard]] std::size_t vector_bytes() const noexcept;
  /// Says in an element that only the own vector is there.
  void mark(std::byte* element) const noexcept;
  /// Sets the type of the call, its operation and its lengths.
  void set(detail::collective_call& call) noexcept;

 private:
  static constexpr std::size_t alignment = 64;  // of the vectors, for elements of any type
  [[nodiscard]] std::size_t vector_at(std::size_t which) const noexcept;
  static void combine(void* self, const void* in, void* inout, std::size_t count);

  joining& by_;
  std::size_t count_;
  bool is_second_;
};

/// The vectors of all of the remote group, packed, which the root joins by itself.
class gathered_vectors {
 public:
  gathered_vectors(joining& by, definition_pointer type, void* into, std::int64_t count, int ranks);
  [[nodiscard]] std::byte* packed() noexcept { return packed_.get(); }
  [[nodiscard]] std::size_t vector_bytes() const noexcept { return bytes_; }
  /// When they are all there.
  void join() noexcept;

 private:
  joining& by_;
  definition_pointer type_;
  void* into_;
  std::int64_t count_;
  int ranks_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> packed_;
  // Of one vector each, with the gaps of the elements.
  std::unique_ptr<std::byte[]> lower_, joined_;
};

}  // namespace peal::mpi
