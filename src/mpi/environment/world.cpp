#include "mpi/environment/world.hpp"

#include <string>
#include <thread>

#include "mpi/attributes/predefined_attributes.hpp"
#include "mpi/communicators/communicator.hpp"
#include "mpi/info/env_info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/place.hpp"
#include "peal/detail/application.hpp"

namespace peal::mpi {

namespace {

struct world_state {
  bool started = false;
  bool finished = false;
  int threads = MPI_THREAD_SINGLE;
  std::thread::id main_thread;
};

world_state& state() noexcept {
  static world_state only;
  return only;
}

}  // namespace

void start_world(int threads) {
  world_state& here = state();
  if (here.started) fail(MPI_ERR_OTHER, "MPI was started before, and it starts once");
  const bool multiple = threads >= MPI_THREAD_MULTIPLE;
  detail::communicator_state& all = detail::start_job({.threads = multiple}, place);
  here.started = true;
  // All levels below cost the same: only with several threads at a time there are locks.
  here.threads = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  here.main_thread = std::this_thread::get_id();
  set_world(all);
  if (const auto number = detail::application_number()) set_application_number(*number);
  env_info().set("maxprocs", std::to_string(detail::size_of(all)));
  env_info().set("thread_level", name_of_thread_level(here.threads));
}

void finish_world() {
  need_world();
  forget_communicators();
  state().finished = true;
  detail::end_job(false, place);
}

bool world_started() noexcept { return state().started; }
bool world_finished() noexcept { return state().finished; }

void need_world() {
  if (!state().started) fail(MPI_ERR_OTHER, "MPI has not been started: MPI_Init comes first");
  if (state().finished) fail(MPI_ERR_OTHER, "MPI is over: nothing of it may follow MPI_Finalize");
}

int world_threads() {
  need_world();
  return state().threads;
}

bool in_main_thread() {
  need_world();
  return std::this_thread::get_id() == state().main_thread;
}

int world_size() { return detail::size_of(*communicator_of(MPI_COMM_WORLD).state); }
int world_rank() { return detail::rank_of(*communicator_of(MPI_COMM_WORLD).state); }

}  // namespace peal::mpi
