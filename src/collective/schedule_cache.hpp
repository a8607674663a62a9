// collective/schedule_cache.hpp
// The schedules that a communicator used last, so that the same call again builds nothing.
//
// Layer    collective.
// Threads  one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/schedule.hpp"
#include "peal/detail/core.hpp"

namespace peal {

/// All that a schedule depends on besides the team, for a call with equal blocks.
struct plan_key {
  detail::collective kind = detail::collective::barrier;
  bool in_place = false;
  bool commutative = false;
  int root = 0;
  std::size_t bytes = 0;
  std::size_t element = 1;

  friend constexpr bool operator==(const plan_key&, const plan_key&) = default;
};

struct plan {
  plan_key key;
  schedule steps;
  std::uint32_t users = 0;  // runs that play it; it stays as it is while there are any
  bool keyed = false;       // false: holds the schedule of one run only, whose blocks differ
};

class plan_cache {
 public:
  /// The plan of this key, or null.
  [[nodiscard]] plan* find(const plan_key& key) noexcept {
    if (last_ && last_->keyed && last_->key == key) return last_;
    for (const auto& each : plans_)
      if (each->keyed && each->key == key) return last_ = each.get();
    return nullptr;
  }
  /// A plan to build anew: one without users, the longest unused; its memory is used again.
  [[nodiscard]] plan& replace();

 private:
  // more only while so many collectives are under way at once
  static constexpr std::size_t usual_plans = 16;

  std::vector<std::unique_ptr<plan>> plans_;  // in the order in which they were built
  plan* last_ = nullptr;
};

}  // namespace peal
