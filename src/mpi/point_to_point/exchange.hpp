// mpi/point_to_point/exchange.hpp
// A send and a receive that go on at the same time, and are one request.
//
// Layer    mpi/point_to_point.
// Threads  as a request.
// Errors   what a receive and a send say. The status is that of the receive; where that has gone
//          well, the code is that of the send.
#pragma once

#include "mpi/point_to_point/sending.hpp"

namespace peal::mpi {

/// `replace`: what arrives is put where the message came from.
[[nodiscard]] MPI_Request start_exchange(const send_call& out, const receive_call& in,
                                         bool replace);

}  // namespace peal::mpi
