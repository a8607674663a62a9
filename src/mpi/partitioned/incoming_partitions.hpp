// mpi/partitioned/incoming_partitions.hpp
// What arrives for a partitioned receive, round by round: receives for the partitions of the
// sender, begun once its setup has come, and where these lie in the partitions of the receiver.
//
// Layer    mpi/partitioned.
// Units    bytes; partitions by number. Both sides cut the same bytes into equal parts, so
//          partition p of n covers the other side's from floor(p * m / n) to
//          ceil((p + 1) * m / n) of m.
// Threads  `has_all_of` and `take_in` in any threads during a round; a round begins and ends in
//          one.
// Errors   want_round throws what a receive throws; what goes wrong later is told by `look`.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/partitioned/partition_setup.hpp"

namespace peal::mpi {

/// Shared with the receive of the setup, which may outlive the request.
class incoming_partitions {
 public:
  explicit incoming_partitions(const partitioned_call& call);
  incoming_partitions(const incoming_partitions&) = delete;
  incoming_partitions& operator=(const incoming_partitions&) = delete;
  ~incoming_partitions();

  /// Begins to wait for the sender's setup, once.
  static void expect_setup(const std::shared_ptr<incoming_partitions>& into,
                           detail::communicator_state& on, int tag);
  /// Starts a round: now, or when the setup has come.
  void want_round(detail::communicator_state& on);
  /// Whether nothing of the round is under way any more. Makes no progress.
  [[nodiscard]] bool is_over() noexcept;
  /// What the round still waits for, where that is known.
  [[nodiscard]] detail::operation* pending() noexcept;
  /// Whether all of a partition of the receiver's has arrived.
  [[nodiscard]] bool has_all_of(int partition) const noexcept;
  /// Puts it where the program wants it, once. False: another thread is about it. Requires:
  /// has_all_of.
  bool take_in(int partition) noexcept;
  /// The bytes of the round, and with what it has ended. Requires: is_over.
  int look(std::size_t& bytes) const noexcept;
  /// Everything is where the program wants it, and the next round may come. Requires: is_over.
  void end_round() noexcept;

  const partitioned_memory memory;

 private:
  enum class place_of : unsigned char { in_copy, moving, in_memory };
  struct setup_receive;

  void begin_round(detail::communicator_state& on);
  void take_setup(detail::communicator_state& on, const detail::outcome& of) noexcept;

  const int peer_;
  std::byte* data_ = nullptr;                        // the stream of all partitions
  std::unique_ptr<std::byte[]> copy_;                // null: that is the program's own memory
  std::unique_ptr<std::atomic<place_of>[]> places_;  // by partition, where there is a copy
  partition_setup setup_;
  std::vector<detail::operation*> begun_;  // by partition of the sender's
  std::size_t arrived_before_ = 0;         // all of these before this one have arrived
  // release: pairs with the acquire of whoever reads `begun_`
  std::atomic<bool> is_begun_{false};
  std::atomic<int> broken_{MPI_SUCCESS};  // why rounds cannot begin
  // Of the following. peal is called with it held, and takes it nowhere.
  std::mutex lock_;
  bool is_setup_known_ = false;
  bool is_wanted_ = false;
};

}  // namespace peal::mpi
