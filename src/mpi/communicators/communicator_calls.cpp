// Communicators: who is in them, and new ones.
#include "mpi/communicators/communicator.hpp"

#include <cstring>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

PEAL_MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int* size) {
  return run("MPI_Comm_size", comm, [&] {
    need_place(size, "size");
    *size = detail::size_of(*communicator_of(comm).state);
  });
}

PEAL_MPI_FUNCTION(int, Comm_rank, MPI_Comm comm, int* rank) {
  return run("MPI_Comm_rank", comm, [&] {
    need_place(rank, "rank");
    *rank = detail::rank_of(*communicator_of(comm).state);
  });
}

PEAL_MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) {
  return run("MPI_Comm_dup", comm, [&] {
    need_place(newcomm, "newcomm");
    const communicator& from = communicator_of(comm);
    *newcomm = hand_out(detail::duplicate(*from.state, place), from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return run("MPI_Comm_split", comm, [&] {
    need_place(newcomm, "newcomm");
    need(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, "color", color,
         "it must not be negative, unless it is MPI_UNDEFINED");
    const communicator& from = communicator_of(comm);
    detail::communicator_state* const made =
        detail::split(*from.state, color != MPI_UNDEFINED, color, key, place);
    *newcomm = made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_free, MPI_Comm* comm) {
  return run("MPI_Comm_free", comm == nullptr ? MPI_COMM_NULL : *comm, [&] {
    need_place(comm, "comm");
    communicator& gone = communicator_of(*comm);
    if (communicator_table::is_predefined(*comm))
      fail(MPI_ERR_COMM, "comm is " + gone.name + ", which is never freed");
    detail::release(*gone.state);
    communicators().remove(*comm);
    *comm = MPI_COMM_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Comm_set_name, MPI_Comm comm, const char* comm_name) {
  return run("MPI_Comm_set_name", comm, [&] {
    need_place(comm_name, "comm_name");
    communicator_of(comm).name.assign(comm_name, ::strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  });
}

PEAL_MPI_FUNCTION(int, Comm_get_name, MPI_Comm comm, char* comm_name, int* resultlen) {
  return run("MPI_Comm_get_name", comm, [&] {
    need_place(comm_name, "comm_name");
    need_place(resultlen, "resultlen");
    // The null handle has a name, too.
    const std::string name = comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : communicator_of(comm).name;
    std::memcpy(comm_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}
