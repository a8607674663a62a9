#include "modelled_objects.hpp"

#include "mpi/datatypes/datatype.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {
modelled_objects* there = nullptr;
}

modelled_objects::modelled_objects()
    : other_handle{communicators().add(std::make_unique<communicator>())},
      other{*communicators().find(other_handle)},
      type_handle{add_datatype(datatype_of(MPI_INT).shared)} {
  self.errhandler = MPI_ERRORS_RETURN;
  // Nobody looks at it.
  for (communicator* each : {&world, &self, &other})
    each->state = reinterpret_cast<detail::communicator_state*>(this);
  communicators().set(MPI_COMM_WORLD, world);
  communicators().set(MPI_COMM_SELF, self);
  there = this;
}
modelled_objects::~modelled_objects() {
  there = nullptr;
  static communicator absent;
  for (const MPI_Comm each : {MPI_COMM_WORLD, MPI_COMM_SELF}) communicators().set(each, absent);
  communicators().remove(other_handle);
  datatypes().remove(type_handle);
}

// Weak: a program that has the real ones takes those.
[[gnu::weak]] void fail_no_communicator(MPI_Comm /*comm*/) {
  fail(MPI_ERR_COMM, "comm is no communicator");
}
[[gnu::weak]] communicator& communicator_to_be(MPI_Comm comm) { return communicator_of(comm); }
[[gnu::weak]] session& session_of(MPI_Session handle) {
  if (there != nullptr && handle == there->session_handle) return there->session;
  fail(MPI_ERR_SESSION, "session is no session");
}
[[gnu::weak]] void need_job() {}
[[gnu::weak]] int world_size() { return modelled_size; }
[[gnu::weak]] int world_rank() { return modelled_rank; }

}  // namespace peal::mpi
