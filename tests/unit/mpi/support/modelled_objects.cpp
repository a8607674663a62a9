#include "modelled_objects.hpp"

#include "mpi/datatypes/datatype.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {
modelled_objects* there = nullptr;
}

modelled_objects::modelled_objects() : type_handle{add_datatype(datatype_of(MPI_INT).shared)} {
  self.errhandler = MPI_ERRORS_RETURN;
  there = this;
}
modelled_objects::~modelled_objects() {
  there = nullptr;
  datatypes().remove(type_handle);
}

// Weak: a program that has the real ones takes those.
[[gnu::weak]] communicator& communicator_of(MPI_Comm comm) {
  if (there != nullptr && comm == MPI_COMM_SELF) return there->self;
  if (there != nullptr && comm == MPI_COMM_WORLD) return there->world;
  if (there != nullptr && comm == there->other_handle) return there->other;
  fail(MPI_ERR_COMM, "comm is no communicator");
}
[[gnu::weak]] communicator& communicator_to_be(MPI_Comm comm) { return communicator_of(comm); }
[[gnu::weak]] session& session_of(MPI_Session handle) {
  if (there != nullptr && handle == there->session_handle) return there->session;
  fail(MPI_ERR_SESSION, "session is no session");
}
[[gnu::weak]] int world_size() { return modelled_size; }
[[gnu::weak]] int world_rank() { return modelled_rank; }

}  // namespace peal::mpi
