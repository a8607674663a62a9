// mpi/groups/group.hpp
// Processes in an order: the ranks of a group, and what each is in the world.
//
// Layer    mpi/groups.
// Units    ranks, of the group or of MPI_COMM_WORLD.
// Threads  any: a group never changes. Copies share what they hold.
// Errors   std::bad_alloc.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace peal::mpi {

class send_buffer;

class group {
 public:
  group() = default;  // of no process
  /// No process may be named twice.
  explicit group(std::vector<int> world_ranks);
  /// The ranks 0 to size - 1 of the world.
  [[nodiscard]] static group first_ranks(int size);

  [[nodiscard]] int size() const noexcept { return size_; }
  /// Requires: 0 <= rank < size().
  [[nodiscard]] int world_rank(int rank) const noexcept {
    return list_ ? ranks_in_list()[static_cast<std::size_t>(rank)] : first_ + rank * step_;
  }
  /// The rank here of a rank of the world; MPI_UNDEFINED: that is no member.
  [[nodiscard]] int rank_of(int world_rank) const;
  [[nodiscard]] bool contains(int world_rank) const { return rank_of(world_rank) != MPI_UNDEFINED; }
  [[nodiscard]] std::vector<int> world_ranks() const;
  /// The same processes in the same order.
  [[nodiscard]] bool operator==(const group& other) const noexcept;

  /// For buffered sends (point_to_point/send_buffer.hpp): of the session that it comes from. What
  /// is made of it has the same one. Null: it comes from none.
  std::shared_ptr<send_buffer> session_buffer;

 private:
  struct list;  // the ranks of the world, and an index of them, made when it is first asked
  [[nodiscard]] const int* ranks_in_list() const noexcept;

  // Most groups are the world or every n-th rank of it; these have no list.
  int size_ = 0;
  int first_ = 0;
  int step_ = 1;
  std::shared_ptr<const list> list_;
};

}  // namespace peal::mpi
