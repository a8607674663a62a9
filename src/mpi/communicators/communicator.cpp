#include "mpi/communicators/communicator.hpp"

#include <utility>
#include <vector>

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

group members_of(const communicator& of, int first, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int each = 0; each != count; ++each)
    ranks[static_cast<std::size_t>(each)] = detail::world_rank_of(*of.state, first + each);
  group made{std::move(ranks)};
  made.session_buffer = of.session_buffer;
  return made;
}

}  // namespace

void fail_no_communicator(MPI_Comm comm) {
  (void)all_ranks();  // the cause, where no job runs
  // One of these two, or one that MPI_Comm_idup has not made yet.
  if (communicators().find(comm) != nullptr && communicator_table::is_predefined(comm))
    need_world();
  fail_handle(MPI_ERR_COMM, "comm", comm, MPI_COMM_NULL, "MPI_COMM_NULL", "communicator");
}

communicator& communicator_of(MPI_Comm comm, const char* argument) {
  return with_names({{"comm", argument}}, [=]() -> communicator& { return communicator_of(comm); });
}

communicator& communicator_to_be(MPI_Comm comm) {
  if (!communicator_table::is_predefined(comm))
    if (communicator* const found = communicators().find(comm)) return *found;
  return communicator_of(comm);
}

communicator& intracommunicator_of(MPI_Comm comm, const char* argument) {
  communicator& found = communicator_of(comm, argument);
  if (found.is_inter()) [[unlikely]]
    fail(MPI_ERR_COMM,
         std::string{argument} + " is an intercommunicator, for which this has no meaning");
  return found;
}

communicator& intercommunicator_of(MPI_Comm comm, const char* argument) {
  communicator& found = communicator_of(comm, argument);
  if (!found.is_inter()) fail(MPI_ERR_COMM, std::string{argument} + " is no intercommunicator");
  return found;
}

void take_no_part(const communicator& on, detail::call_form form) {
  if (form == detail::call_form::blocking && ends_job(on.errhandler)) return;
  detail::take_no_part(*on.state, form, place);
}

void set_world(detail::communicator_state& all) {
  world().state = &all;
  self().state = detail::split(all, true, detail::rank_of(all), 0, place);
  detail::name_communicator(*world().state, world().name.c_str());
  detail::name_communicator(*self().state, self().name.c_str());
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

group group_of_communicator(const communicator& of) {
  return members_of(of, of.local_first(), of.size());
}
group remote_group_of(const communicator& of) {
  return members_of(of, of.remote_first, of.remote_size);
}

MPI_Comm hand_out(detail::communicator_state& made, MPI_Errhandler errhandler,
                  std::shared_ptr<send_buffer> session_buffer) {
  auto own = std::make_unique<communicator>();
  own->state = &made;
  own->errhandler = share_errhandler(errhandler);
  own->session_buffer = std::move(session_buffer);
  return communicators().add(std::move(own));
}
MPI_Comm hand_out(detail::communicator_state& made, const communicator& from) {
  return hand_out(made, from.errhandler, from.session_buffer);
}

void free_communicator(MPI_Comm& comm) {
  communicator& gone = communicator_of(comm);
  if (communicator_table::is_predefined(comm))
    fail(MPI_ERR_COMM, "comm is " + gone.name + ", which is never freed");
  gone.attributes.erase_all(comm);
  release_errhandler(gone.errhandler);
  detail::release(*gone.state);
  communicators().remove(comm);
  comm = MPI_COMM_NULL;
}

}  // namespace peal::mpi
