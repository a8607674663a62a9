// mpi/support/modelled_objects.hpp
// A job of modelled_size ranks as the functions of MPI see it, without a job: MPI_COMM_SELF, a
// communicator, a session and a datatype that live as long as this does. The datatype is a real
// one.
//
// Layer    tests.
// Threads  one.
// Errors   none.
#pragma once

#include <mpi.h>

#include "mpi/communicators/communicator.hpp"
#include "mpi/environment/session.hpp"

namespace peal::mpi {

inline constexpr int modelled_size = 12, modelled_rank = 5;

struct modelled_objects {
  modelled_objects();
  ~modelled_objects();
  modelled_objects(const modelled_objects&) = delete;
  modelled_objects& operator=(const modelled_objects&) = delete;

  communicator world;
  communicator self;  // gives error codes
  const MPI_Comm other_handle;
  communicator& other;
  mpi::session session;

  // A handle as large as no other.
  const MPI_Session session_handle = reinterpret_cast<MPI_Session>(0x7002);
  const MPI_Datatype type_handle;
};

}  // namespace peal::mpi
