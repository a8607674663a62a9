#include "mpi/environment/world.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "mpi/attributes/predefined_attributes.hpp"
#include "mpi/communicators/communicator.hpp"
#include "mpi/info/env_info.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"
#include "peal/detail/application.hpp"

namespace peal::mpi {

namespace {

struct job_state {
  std::mutex lock;  // of what is not atomic, but for main_thread
  std::atomic<detail::communicator_state*> all{nullptr};
  std::atomic<bool> started{false}, finished{false};  // by MPI_Init, by MPI_Finalize
  bool over = false;
  bool multiple = false;
  int sessions = 0;
  std::thread::id main_thread;
};

job_state& state() noexcept {
  static auto* const only = new job_state;
  return *only;
}

/// All levels below cost the same: only with several threads at a time there are locks.
int provided(const job_state& here) noexcept {
  return here.multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
}

// Below, the lock is held.

void start_job(job_state& here, int threads) {
  if (here.over)
    fail(MPI_ERR_OTHER, "the job of this process has ended, and it cannot be in another one");
  if (here.all.load(std::memory_order_relaxed) != nullptr) return;
  const bool multiple = threads >= MPI_THREAD_MULTIPLE;
  detail::communicator_state& all = detail::start_job({.threads = multiple}, place);
  here.multiple = multiple;
  if (!multiple) requests().expect_one_thread();
  if (const auto number = detail::application_number()) set_application_number(*number);
  env_info().set("maxprocs", std::to_string(detail::size_of(all)));
  env_info().set("thread_level", name_of_thread_level(provided(here)));
  // release: pairs with the acquire in all_ranks
  here.all.store(&all, std::memory_order_release);
}

bool is_needed(const job_state& here) noexcept {
  return here.sessions != 0 || (here.started && !here.finished);
}

void end_job(job_state& here) noexcept {
  here.over = true;
  here.all.store(nullptr, std::memory_order_relaxed);
  detail::end_job(false, place);
}

/// What a process with nothing but sessions leaves behind.
void end_at_exit() {
  job_state& here = state();
  // A process that was forked is in no job; one that has not closed what it opened is missed by the
  // others, as without MPI_Finalize.
  if (detail::job_running() && !is_needed(here)) end_job(here);
}

}  // namespace

void start_world(int threads) {
  job_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  if (here.started) fail(MPI_ERR_OTHER, "MPI was started before, and it starts once");
  start_job(here, threads);
  here.main_thread = std::this_thread::get_id();
  set_world(*here.all);
  here.started = true;
}

void finish_world() {
  need_world();
  forget_communicators();
  job_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  here.finished = true;
  if (!is_needed(here)) end_job(here);
}

int enter_session(int threads) {
  job_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  const bool first = here.all.load(std::memory_order_relaxed) == nullptr;
  start_job(here, threads);
  if (first) std::atexit(&end_at_exit);
  ++here.sessions;
  return provided(here);
}

void leave_session() {
  job_state& here = state();
  const std::lock_guard<std::mutex> guard{here.lock};
  --here.sessions;
  if (here.finished && !is_needed(here)) end_job(here);
}

bool world_started() noexcept { return state().started; }
bool world_finished() noexcept { return state().finished; }

void need_world() {
  if (!state().started) fail(MPI_ERR_OTHER, "MPI has not been started: MPI_Init comes first");
  if (state().finished) fail(MPI_ERR_OTHER, "MPI is over: nothing of it may follow MPI_Finalize");
}

int world_threads() {
  need_world();
  return provided(state());
}

bool in_main_thread() {
  need_world();
  return std::this_thread::get_id() == state().main_thread;
}

detail::communicator_state& all_ranks() {
  detail::communicator_state* const all = state().all.load(std::memory_order_acquire);
  if (all == nullptr) [[unlikely]] {
    need_world();
    fail(MPI_ERR_OTHER, "MPI is over, and so are all sessions");
  }
  return *all;
}

void need_job() { (void)all_ranks(); }

int world_size() { return detail::size_of(all_ranks()); }
int world_rank() { return detail::rank_of(all_ranks()); }

}  // namespace peal::mpi
