// The functions of peal/detail/core.hpp for programs that sleep in a loop of their own.
#include "comm/job.hpp"
#include "peal/error.hpp"
#include "progress/event_descriptor.hpp"

namespace peal::detail {

struct sleeper {
  engine& progress;  // is never destroyed
  event_descriptor end;
};

sleeper* make_sleeper(const location& where) {
  auto made = std::make_unique<sleeper>(job::require(where).first_lane().progress);
  if (!made->progress.open(made->end)) throw error(errc::no_space, "the system has no file descriptors left for an event loop", -1, where);
  return made.release();
}

void discard(sleeper* gone) noexcept {
  // In a forked child the engine's lock may be held by a thread that is not there.
  if (!forked_child()) gone->progress.close(gone->end);
  delete gone;
}

int descriptor_of(const sleeper& of, const location& where) {
  (void)job::require(where);
  return of.end.number();
}

bool arm(sleeper& at, const location& where) {
  (void)job::require(where);
  return at.progress.expose(at.end);
}

bool progress_after(sleeper& woken) { return job::running() != nullptr && woken.progress.surface(woken.end); }

}  // namespace peal::detail
