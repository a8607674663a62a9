// A source that another thread gives things to, for the tests of sleeping.
//
// Threads  post: any; the rest under the engine's lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "progress/engine.hpp"
#include "progress/wakeup.hpp"

namespace peal::test {

inline const wait_policy block{wait_mode::block};

/// Things that come from another thread. `rings` false: it forgets to wake the engine.
struct mailbox final : progress_source {
  explicit mailbox(engine& owner) : bell{owner.waking()} { owner.add(*this); }
  bool poll() noexcept override {
    const int there = posted.load();
    const bool moved = there != taken.load();
    taken = there;
    return moved;
  }
  bool arm() noexcept override {
    asleep = true;
    ++armed;
    return can_arm;
  }
  void disarm() noexcept override {
    if (asleep.exchange(false) && comes_then) ++posted;
  }
  deadline wakes_at() const noexcept override { return alarm; }
  void post() {
    ++posted;
    if (asleep.exchange(false) && rings) bell.ring();
  }

  wakeup& bell;
  std::atomic<int> posted{0}, taken{0}, armed{0};
  std::atomic<bool> asleep{false};
  bool rings = true, can_arm = true;
  // something comes whenever it has just been disarmed, so nobody has to ring
  bool comes_then = false;
  deadline alarm = deadline::max();
};

/// Something was stored just before it was armed, and is not visible at the poll behind that, as if
/// the barrier of the arming had done nothing. Nobody rings.
struct late_store final : progress_source {
  explicit late_store(engine& owner) { owner.add(*this); }
  bool poll() noexcept override {
    if (!armed || ++polls < 2) return false;
    found = true;
    return true;
  }
  bool arm() noexcept override {
    if (!armed) polls = 0;
    return armed = true;
  }
  void disarm() noexcept override { armed = false; }

  bool armed = false;
  int polls = 0;
  std::atomic<bool> found{false};
};

inline std::uint64_t counted(engine& of, const std::string& name) {
  std::vector<counter> all;
  const std::lock_guard<engine> guard{of};
  of.report(all);
  return std::find_if(all.begin(), all.end(),
                      [&](const counter& each) { return each.name == name; })
      ->value;
}

/// A device whose descriptor stays readable until its source reads it.
struct readable_device final : progress_source {
  wakeup line;
  int told = 0, reads = 0;
  bool arm() noexcept override { return true; }
  bool poll() noexcept override { return false; }
  void rang(int descriptor) noexcept override {
    ++told;
    if (descriptor != line.descriptor()) return;
    ++reads;
    line.clear();
  }
};

}  // namespace peal::test
