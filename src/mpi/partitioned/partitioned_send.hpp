// mpi/partitioned/partitioned_send.hpp
// The request of MPI_Psend_init.
//
// Layer    mpi/partitioned.
// Threads  `ready` in any threads at the same time, also while one waits; the rest one at a time.
// Errors   MPI_ERR_REQUEST where it is not active; MPI_ERR_ARG for what is no partition, or was
//          marked as ready before.
#pragma once

#include <atomic>
#include <memory>

#include "mpi/partitioned/partition_setup.hpp"
#include "mpi/point_to_point/message_memory.hpp"
#include "mpi/requests/request.hpp"

namespace peal::mpi {

class partitioned_send final : public request {
 public:
  explicit partitioned_send(const partitioned_call& call);
  ~partitioned_send() override;

  /// The partition may be sent; the program does not change it until the request has ended.
  void ready(int partition);
  /// Fails where the request is not active, or has no such partition.
  void check(int partition, const char* argument) const;

  [[nodiscard]] bool is_done() noexcept override;
  [[nodiscard]] detail::operation* pending() noexcept override;
  int look(MPI_Status& status) noexcept override;
  void check_free() override;

 private:
  int end(MPI_Status& status) noexcept override;
  void begin() override;
  struct partition {
    std::atomic<bool> is_ready{false};
    // release: pairs with the acquire of the count of sent ones
    std::atomic<detail::operation*> begun{nullptr};
    outgoing data;
  };
  [[nodiscard]] bool all_begun() const noexcept;
  [[nodiscard]] detail::operation* begun(int of) const noexcept;
  void drop_all() noexcept;

  partitioned_memory memory_;
  int peer_;
  std::int32_t first_tag_;
  std::unique_ptr<partition[]> partitions_;
  std::atomic<int> count_begun_{0};
  int sent_before_ = 0;  // all partitions before this one are sent
};

}  // namespace peal::mpi
