#include "comm/start/spin_bounds.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <thread>

#include "base/log.hpp"
#include "progress/wakeup.hpp"

namespace peal {

wait_policy::bounds spin_bounds(const wait_settings& set, bool measures, const cpu_mask& others) {
  const auto bound = [](std::optional<double> microseconds, std::chrono::nanoseconds measured) {
    return microseconds ? std::chrono::nanoseconds{static_cast<std::int64_t>(*microseconds * 1000)}
                        : measured;
  };
  measures = measures && (!set.least || !set.most);
  const auto cost = measures ? measured_cost_of_waking(others) : wait_policy::usual.least;
  const auto least = bound(set.least, cost);
  const auto most = std::max(least, bound(set.most, 2 * cost));
  log_debug("waits spin for {} to {} ns before they sleep", least.count(), most.count());
  return {least, most};
}

std::chrono::nanoseconds measured_cost_of_waking(const cpu_mask& others) noexcept {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds least = wait_policy::usual.least, most = 100us;
  wakeup here, there;
  if (!here.able() || !there.able()) return least;
  const auto await = [](wakeup& bell) {
    pollfd one{bell.descriptor(), POLLIN, 0};
    const bool rung = ::poll(&one, 1, 1000) == 1;
    bell.clear();
    return rung;
  };
  constexpr int rounds = 5;
  constexpr std::chrono::nanoseconds pause = 60us;  // about 110 with the timer's slack
  std::array<clock::duration, rounds> took{};
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread other{[&] {
      others.bind();
      for (int round = 0; round < rounds; ++round) {
        await(there);
        here.ring();
      }
    }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    for (clock::duration& each : took) {
      // Until the cores idle, as those of ranks that sleep do. Other ranks measure at this time.
      std::this_thread::sleep_for(pause);
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
  // A round trip is two wake-ups: about one wake-up, and as much for arming. Other processes make
  // a round longer, and shorter where they keep a core awake: hence the least.
  return std::clamp<std::chrono::nanoseconds>(took[rounds / 2], least, most);
}

}  // namespace peal
