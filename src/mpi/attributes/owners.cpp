#include "mpi/attributes/owners.hpp"

#include "mpi/communicators/communicator.hpp"

namespace peal::mpi {

attributes& attributes_of(MPI_Comm comm) { return communicator_of(comm).attributes; }

}  // namespace peal::mpi
