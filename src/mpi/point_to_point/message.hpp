// mpi/point_to_point/message.hpp
// A message that a probe took out of matching, for one receive.
//
// Layer    mpi/point_to_point.
// Threads  one at a time.
// Errors   message_of throws a failure, MPI_ERR_REQUEST, as MPI has no class for messages.
#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/support/handle_table.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

class message {
 public:
  /// `remote_first`: of its communicator.
  message(detail::matched_message* of, int remote_first) noexcept
      : taken_{of}, remote_first_{remote_first} {}
  message(const message&) = delete;
  message& operator=(const message&) = delete;
  ~message() {
    if (taken_ != nullptr) detail::discard(taken_);
  }
  /// For its receive.
  [[nodiscard]] detail::matched_message* take() noexcept { return std::exchange(taken_, nullptr); }

  [[nodiscard]] int remote_first() const noexcept { return remote_first_; }

 private:
  detail::matched_message* taken_;
  int remote_first_;
};

using message_table = handle_table<MPI_Message, message, handle_kind::message>;
[[nodiscard]] message_table& messages() noexcept;
[[nodiscard]] message& message_of(MPI_Message handle);
[[nodiscard]] MPI_Message hand_out_message(detail::matched_message* taken, int remote_first);

}  // namespace peal::mpi
