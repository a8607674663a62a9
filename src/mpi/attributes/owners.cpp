#include "mpi/attributes/owners.hpp"

#include "mpi/communicators/communicator.hpp"
#include "mpi/datatypes/datatype.hpp"

namespace peal::mpi {

attributes& attributes_of(MPI_Comm comm) { return communicator_of(comm).attributes; }
attributes& attributes_of(MPI_Datatype type) { return datatype_of(type).attributes; }

}  // namespace peal::mpi
