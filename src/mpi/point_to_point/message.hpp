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
  explicit message(detail::matched_message* of) noexcept : taken_{of} {}
  message(const message&) = delete;
  message& operator=(const message&) = delete;
  ~message() {
    if (taken_ != nullptr) detail::discard(taken_);
  }
  /// For its receive.
  [[nodiscard]] detail::matched_message* take() noexcept { return std::exchange(taken_, nullptr); }

 private:
  detail::matched_message* taken_;
};

using message_table = handle_table<MPI_Message, message, handle_kind::message>;
[[nodiscard]] message_table& messages() noexcept;
[[nodiscard]] message& message_of(MPI_Message handle);
[[nodiscard]] MPI_Message hand_out_message(detail::matched_message* taken);

}  // namespace peal::mpi
