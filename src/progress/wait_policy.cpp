#include "progress/wait_policy.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "progress/wakeup.hpp"

namespace peal {

backoff::action backoff::decide() noexcept {
  if (!policy_.spins()) {
    misses_ = 0;
    if (yields_ >= policy_.yields()) return action::sleep;
    ++yields_;
    ++all_yields_;
    return action::yield;
  }
  spins_ += misses_;
  misses_ = 0;
  const auto now = clock::now();
  if (!timed_) {
    timed_ = true;
    since_ = looked_ = now;
    limit_ = history_.spin(policy_.spin());
    return action::spin;
  }
  looked_ = now;
  slept_ = now - since_ >= limit_;
  return slept_ ? action::sleep : action::spin;
}

void backoff::came() noexcept {
  timed_ = false;
  // A thread that has spun up to now takes no time to read the clock, since the message is there:
  // the time of its last look is near enough.
  const auto end = std::exchange(slept_, false) ? clock::now() : looked_;
  // A single long silence must not outweigh a hundred quick answers.
  history_.note(std::min<clock::duration>(end - since_, 8 * policy_.spin().most));
}

std::chrono::nanoseconds measured_cost_of_waking() noexcept {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds least = 5us, most = 100us;
  wakeup here, there;
  if (!here.able() || !there.able()) return least;
  const auto await = [](wakeup& bell) {
    pollfd one{bell.descriptor(), POLLIN, 0};
    const bool rung = ::poll(&one, 1, 1000) == 1;
    bell.clear();
    return rung;
  };
  constexpr int rounds = 9;
  std::array<clock::duration, rounds> took{};
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread other{[&] {
      for (int round = 0; round < rounds; ++round) {
        await(there);
        here.ring();
      }
    }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    for (clock::duration& each : took) {
      const auto start = clock::now();
      there.ring();
      await(here);
      each = clock::now() - start;
    }
    other.join();
  } catch (...) {  // no thread to be had
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return least;
  }
  std::sort(took.begin(), took.end());
  // A round trip is two wake-ups: about one wake-up, and as much for arming. The lower quartile is
  // taken, since other processes can only make a round longer.
  return std::clamp<std::chrono::nanoseconds>(took[rounds / 4], least, most);
}

}  // namespace peal
