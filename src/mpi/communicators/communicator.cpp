#include "mpi/communicators/communicator.hpp"

#include "mpi/environment/world.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

communicator named(const char* name) {
  communicator made;
  made.name = name;
  return made;
}

// Neither has a handle that could be removed.
communicator& world() noexcept {
  static communicator only = named("MPI_COMM_WORLD");
  return only;
}
communicator& self() noexcept {
  static communicator only = named("MPI_COMM_SELF");
  return only;
}

}  // namespace

// Never destroyed: a program may ask for MPI_Finalized while static objects go.
communicator_table& communicators() noexcept {
  static auto* const all = new communicator_table;
  return *all;
}

communicator& communicator_of(MPI_Comm comm) {
  communicator* const found = communicators().find(comm);
  if (found == nullptr || found->state == nullptr) [[unlikely]] {
    need_world();
    fail(MPI_ERR_COMM, comm == MPI_COMM_NULL ? "comm is MPI_COMM_NULL" : "comm is no communicator");
  }
  return *found;
}

void set_world(detail::communicator_state& all) {
  world().state = &all;
  self().state = detail::split(all, true, detail::rank_of(all), 0, place);
  communicators().set(MPI_COMM_WORLD, world());
  communicators().set(MPI_COMM_SELF, self());
}

void forget_communicators() {
  self().attributes.erase_all(MPI_COMM_SELF);  // first of all, while everything still works
  world().attributes.erase_all(MPI_COMM_WORLD);
  for (communicator* each : {&self(), &world()}) each->buffer.reset();
  detail::release(*self().state);
  self().state = world().state = nullptr;
}

MPI_Comm hand_out(detail::communicator_state& made, const communicator& from) {
  auto own = std::make_unique<communicator>();
  own->state = &made;
  own->errhandler = share_errhandler(from.errhandler);
  own->session_buffer = from.session_buffer;
  return communicators().add(std::move(own));
}

}  // namespace peal::mpi
