#include "mpi/neighbors/fill.hpp"

#include <string>
#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

void refuse_in_place(const void* sent, const void* received) {
  for (const auto& [buffer, name] : {std::pair{sent, "sendbuf"}, std::pair{received, "recvbuf"}})
    if (buffer == MPI_IN_PLACE)
      fail(MPI_ERR_BUFFER,
           std::string{name} + " is MPI_IN_PLACE, which has no meaning between neighbours");
}

}  // namespace

void fill_neighbor_allgather(work& w, const block& from, const block& into) {
  refuse_in_place(from.buffer, into.buffer);
  w.exchange_with_neighbors(from, 1, into);
}

void fill_neighbor_allgatherv(work& w, const block& from, const block_array& into) {
  refuse_in_place(from.buffer, into.buffer);
  w.receive(into);
  w.send(from);
}

void fill_neighbor_alltoall(work& w, const block& from, const block& into) {
  refuse_in_place(from.buffer, into.buffer);
  w.exchange_with_neighbors(from, w.outgoing_blocks(), into);
}

void fill_neighbor_alltoallv(work& w, const block_array& from, const block_array& into) {
  refuse_in_place(from.buffer, into.buffer);
  w.send(from);
  w.receive(into);
}

}  // namespace peal::mpi
