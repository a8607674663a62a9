#include "mpi/point_to_point/message.hpp"

#include "mpi/support/failure.hpp"

namespace peal::mpi {

message_table& messages() noexcept {
  static auto* const all = new message_table;
  return *all;
}

message& message_of(MPI_Message handle) {
  message* const found = messages().find(handle);
  if (found == nullptr)
    fail_handle(MPI_ERR_REQUEST, "message", handle, MPI_MESSAGE_NULL, "MPI_MESSAGE_NULL",
                "message that a probe took");
  return *found;
}

MPI_Message hand_out_message(detail::matched_message* taken, int remote_first) {
  return messages().add(std::make_unique<message>(taken, remote_first));
}

}  // namespace peal::mpi
