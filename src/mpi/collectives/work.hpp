// mpi/collectives/work.hpp
// A collective call of MPI made one of peal's: buffers whose elements do not lie in one block are
// packed before it and unpacked after it.
//
// Layer    mpi/collectives: may include mpi/operations, mpi/point_to_point,
//          mpi/topologies.
// Units    counts are elements of the datatypes; displacements are extents of them, in alltoallw
//          bytes.
// Threads  one at a time.
// Errors   what the standard says of wrong arguments; then this rank takes no part, and the others
//          learn of it, as peal/detail/core.hpp has it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/collectives/group_joining.hpp"
#include "mpi/communicators/communicator.hpp"
#include "mpi/operations/op.hpp"
#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// Counts, or displacements, in either of the two widths that programs have them in.
class number_array {
 public:
  number_array() = default;
  number_array(const int* of) noexcept : narrow_{of}, is_given_{true} {}
  number_array(const std::int64_t* of) noexcept : wide_{of}, is_given_{true} {}
  /// Whether the call has such an argument, which may be a null pointer.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }
  [[nodiscard]] bool exists() const noexcept { return narrow_ != nullptr || wide_ != nullptr; }
  [[nodiscard]] std::int64_t operator[](std::size_t which) const noexcept {
    return narrow_ != nullptr ? narrow_[which] : static_cast<std::int64_t>(wide_[which]);
  }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  bool is_given_ = false;
};

/// A buffer with equal blocks, or with one.
struct block {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};
/// One datatype a block.
struct type_array {
  type_array() = default;
  type_array(const MPI_Datatype* of) noexcept : first{of}, is_given{true} {}
  const MPI_Datatype* first = nullptr;
  bool is_given = false;
};
/// A buffer with a block for each rank, or neighbour. `types`: one a block, with displacements in
/// bytes; not given: `type` holds for all, with displacements in its extents.
struct block_array {
  const void* buffer;
  number_array counts;
  number_array displacements;
  MPI_Datatype type;
  type_array types = {};
};

/// Fails for null pointers where there are blocks.
void check_arrays(const block_array& all, int blocks);

class work {
 public:
  /// Between neighbours blocks are theirs, in their order. Fails with MPI_ERR_TOPOLOGY where there
  /// are none.
  work(detail::collective kind, MPI_Comm comm);
  work(const work&) = delete;
  work& operator=(const work&) = delete;
  ~work();

  /// By `fill()`. Where that fails this rank takes no part, and the others learn of it; but for a
  /// blocking call whose error ends the job, which need not wait for them.
  template <class Fill>
  void fill_in(detail::call_form form, const Fill& fill) {
    try {
      fill();
      check_apart();
    } catch (...) {
      take_no_part(*comm_, form);
      throw;
    }
  }

  /// Of all members; for an intercommunicator, of both groups.
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] bool is_inter() const noexcept { return remote_size_ != 0; }
  [[nodiscard]] int remote_first() const noexcept { return remote_first_; }
  [[nodiscard]] int remote_size() const noexcept { return remote_size_; }
  [[nodiscard]] detail::collective kind() const noexcept { return call_.kind; }
  void set_kind(detail::collective kind) noexcept { call_.kind = kind; }
  [[nodiscard]] bool is_root() const noexcept { return rank_ == call_.root; }
  [[nodiscard]] int incoming_blocks() const noexcept { return incoming_; }
  [[nodiscard]] int outgoing_blocks() const noexcept { return outgoing_; }
  void set_root(int root);
  /// Blocks may differ between ranks; the same on all of them.
  void set_varying() noexcept { call_.varying = true; }

  // What is sent, and where something is received. With `blocks` of them in the buffer.
  void send(const block& from, int blocks = 1);
  void receive(const block& into, int blocks = 1);
  void send(const block_array& from, bool always_copies = false);
  void receive(const block_array& into);
  /// The same block for so many ranks from `first` on, and nothing for the others.
  void send_same(const block& data, int first, int ranks);
  /// The buffer of a receive holds what is sent, too: this rank's block, or its vector.
  void receive_in_place(const block& into, int blocks = 1);
  void receive_in_place(const block_array& into);
  /// The same, of an exchange: what is sent is copied before.
  void exchange_in_place(const block& into);
  void exchange_in_place(const block_array& into);
  /// Equal blocks between neighbours. Where they go to and where they come from they need not be
  /// as long as each other.
  void exchange_with_neighbors(const block& from, int sent_blocks, const block& into);
  /// What the root has and all others get.
  void pass_on(const block& data);
  /// The root keeps its own block of a scatter.
  void keep_own_block() noexcept { call_.in_place = true; }
  /// Vectors that are joined, of all ranks or, of reduce_scatter, with a block for each.
  void join(const void* from, void* into, std::int64_t count, MPI_Datatype type, MPI_Op op);
  void join_blocks(const void* from, void* into, number_array counts, std::int64_t equal,
                   MPI_Datatype type, MPI_Op op);

  // Of an intercommunicator: `from` goes to the other group, whose vectors are joined, and `own`
  // elements of the result from `before` on are for this rank; the root joins vectors by itself.
  void join_groups(const void* from, void* into, std::int64_t count, std::int64_t before,
                   std::int64_t own, MPI_Datatype type, MPI_Op op);
  void join_gathered(void* into, std::int64_t count, MPI_Datatype type, MPI_Op op);

  /// Makes the call.
  void run();
  /// Begins it; `finish` when it is over.
  [[nodiscard]] detail::operation* start();
  void finish() noexcept;
  /// Makes it ready, then begins it with what is in the program's memory by then, as often as
  /// wanted.
  void prepare();
  [[nodiscard]] detail::operation* start_prepared();

 private:
  work(detail::collective kind, const communicator& on);
  /// What is sent must not lie where something is received. What is in a copy does not; of two
  /// arrays the blocks of each rank are compared.
  void check_apart() const;
  void set_neighbors(const communicator& on);
  /// Of an array of blocks: where each lies, in the program's memory or in a copy.
  struct placed {
    std::vector<std::size_t> bytes, offsets;
    std::byte* base = nullptr;
    std::unique_ptr<std::byte[]> copy;
  };
  /// What a copy is filled with, at the beginning and at each later start.
  struct to_load {
    definition_pointer type;  // null: bytes are copied as they lie
    const void* from;
    std::int64_t count;
    std::byte* into;
    std::size_t bytes;
  };
  static void load(const to_load& one) noexcept;
  void load_now_and_again(to_load one);
  void load_again(const outgoing& copy, const block& from, std::int64_t count);
  void load_received();
  struct to_unpack {
    definition_pointer type;
    void* into;
    std::int64_t count;
    const std::byte* from;
    std::size_t bytes;
  };
  [[nodiscard]] argument_names names_of_arrays(const block_array& all,
                                               bool receives) const noexcept;
  [[nodiscard]] placed place_blocks(const block_array& all, bool loads, bool unpacks,
                                    bool always_copies = false);
  const outgoing& add_sent(const block& from, int blocks);
  const incoming& add_received(const block& into, int blocks);
  /// Where there is no neighbour the program's block stays as it is.
  [[nodiscard]] bool has_neighbor(std::size_t block, bool receives) const noexcept;
  /// The vector that goes to the other group, from the program's memory.
  void load_groups();
  void take_raw(const void* from, void* into, std::int64_t count, const definition_pointer& type);

  detail::communicator_state* on_;
  const communicator* comm_;  // while it is filled in
  int size_, rank_;
  int remote_first_, remote_size_;              // as of the communicator
  const detail::neighborhood* near_ = nullptr;  // null: of all ranks
  int outgoing_ = size_, incoming_ = size_;     // blocks
  detail::collective_call call_;
  std::vector<outgoing> sent_;
  std::vector<incoming> received_;
  placed send_blocks_, receive_blocks_;
  std::vector<to_load> before_;
  std::vector<to_unpack> after_;
  bool loads_received_ = false;
  std::optional<joining> op_;
  struct {
    definition_pointer type;
    const void* from = nullptr;
    std::int64_t count = 0;
  } own_vector_;  // where there is `groups_`
  std::unique_ptr<two_vectors> groups_;
  std::unique_ptr<gathered_vectors> gathered_;
  // Of a reduction of elements with gaps: they are joined where they lie, gaps and all.
  std::unique_ptr<std::byte[]> raw_from_, raw_into_;
  detail::prepared* prepared_ = nullptr;
};

}  // namespace peal::mpi
