#include "comm/start/spin_bounds.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <thread>

#include "progress/wakeup.hpp"

namespace peal {

wait_policy::bounds spin_bounds(const wait_settings& set, bool measures) {
  const auto bound = [](std::optional<double> microseconds, std::chrono::nanoseconds measured) {
    return microseconds ? std::chrono::nanoseconds{static_cast<std::int64_t>(*microseconds * 1000)}
                        : measured;
  };
  measures = measures && (!set.least || !set.most);
  const auto cost = measures ? measured_cost_of_waking() : wait_policy::usual.least;
  const auto least = bound(set.least, cost);
  return {least, std::max(least, bound(set.most, 2 * cost))};
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
