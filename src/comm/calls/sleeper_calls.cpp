// The functions of peal/detail/core.hpp for programs that sleep in a loop of their own.
#include <sys/epoll.h>
#include <unistd.h>

#include <deque>
#include <exception>

#include "comm/start/job.hpp"
#include "peal/error.hpp"
#include "progress/sleepers/event_descriptor.hpp"

namespace peal::detail {

/// On every lane, since whatever ends in any of them may be what the program sleeps for.
struct sleeper {
  struct part {
    engine& progress;  // is never destroyed
    event_descriptor end;
  };
  std::deque<part> parts;
  int all = -1;  // where there are several: an epoll set of them

  ~sleeper() {
    // In a forked child the engine's lock may be held by a thread that is not there.
    if (!forked_child())
      for (part& each : parts) each.progress.close(each.end);
    if (all >= 0) ::close(all);
  }

  [[nodiscard]] bool open() {
    for (part& each : parts)
      if (!each.progress.open(each.end)) return false;
    if (parts.size() == 1) return true;
    all = ::epoll_create1(EPOLL_CLOEXEC);
    for (part& each : parts) {
      epoll_event wanted{};
      wanted.events = EPOLLIN;
      if (::epoll_ctl(all, EPOLL_CTL_ADD, each.end.number(), &wanted) != 0) return false;
    }
    return true;
  }
};

sleeper* make_sleeper(const location& where) {
  auto made = std::make_unique<sleeper>();
  for (const auto& each : job::require(where).lanes()) made->parts.emplace_back(each->progress);
  if (!made->open())
    throw error(errc::no_space, "the system has no file descriptors left for an event loop", -1,
                where);
  return made.release();
}

void discard(sleeper* gone) noexcept { delete gone; }

int descriptor_of(const sleeper& of, const location& where) {
  (void)job::require(where);
  return of.all >= 0 ? of.all : of.parts.front().end.number();
}

// A part that stays exposed although another has something ends with the next call.
bool arm(sleeper& at, const location& where) {
  (void)job::require(where);
  for (sleeper::part& each : at.parts)
    if (!each.progress.arm(each.end)) return false;
  return true;
}

bool progress_after(sleeper& woken) {
  if (job::running() == nullptr) return false;
  bool moved = false;
  std::exception_ptr thrown;
  for (sleeper::part& each : woken.parts) {
    try {
      moved |= each.progress.disarm(each.end);
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
      else each.progress.defer_throw(std::current_exception());
    }
  }
  if (thrown) std::rethrow_exception(thrown);
  return moved;
}

}  // namespace peal::detail
