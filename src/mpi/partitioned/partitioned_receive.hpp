// mpi/partitioned/partitioned_receive.hpp
// The request of MPI_Precv_init.
//
// Layer    mpi/partitioned.
// Threads  `has_arrived` in any threads at the same time; the rest one at a time, and `finish` when
//          no other thread is in here.
// Errors   MPI_ERR_ARG for what is no partition. What is longer than the memory here ends with
//          MPI_ERR_TRUNCATE.
#pragma once

#include <memory>

#include "mpi/partitioned/incoming_partitions.hpp"
#include "mpi/requests/request.hpp"

namespace peal::mpi {

class partitioned_receive final : public request {
 public:
  explicit partitioned_receive(const partitioned_call& call);

  /// Whether the whole partition is in the program's memory; of a request that is not active it is.
  [[nodiscard]] bool has_arrived(int partition);

  [[nodiscard]] bool is_done() noexcept override { return !is_active() || arriving_->is_over(); }
  [[nodiscard]] detail::operation* pending() noexcept override { return arriving_->pending(); }
  int look(MPI_Status& status) noexcept override;
  void check_free() override;

 private:
  int end(MPI_Status& status) noexcept override;
  void begin() override;
  std::shared_ptr<incoming_partitions> arriving_;
  int peer_;
  int tag_;
};

}  // namespace peal::mpi
