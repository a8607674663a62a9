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

struct algorithm;
struct tuned_algorithm;

/// All that a schedule depends on besides the team, for a call with equal blocks.
struct schedule_key {
  detail::collective kind = detail::collective::barrier;
  bool in_place = false;
  bool commutative = false;
  int root = 0;
  std::size_t bytes = 0;
  std::size_t element = 1;
  const tuned_algorithm* by = nullptr;  // of `kept`; null: the choice's

  friend constexpr bool operator==(const schedule_key&, const schedule_key&) = default;
};

struct cached_schedule {
  schedule_key key;
  schedule steps;
  const algorithm* how = nullptr;  // null: that of neighbours
  std::uint32_t users = 0;         // runs that execute it; it stays as it is while there are any
  bool keyed = false;              // false: holds the schedule of one run only, whose blocks differ
};

class schedule_cache {
 public:
  /// The plan of this key, or null.
  [[nodiscard]] cached_schedule* find(const schedule_key& key) noexcept {
    if (last_ && last_->keyed && last_->key == key) return last_;
    for (const auto& each : schedules_)
      if (each->keyed && each->key == key) return last_ = each.get();
    return nullptr;
  }
  /// A plan to build anew: one without users, the longest unused; its memory is used again.
  [[nodiscard]] cached_schedule& replace();

 private:
  // More only while so many collectives are under way at once.
  static constexpr std::size_t usual_plans = 16;

  // In the order in which they were built.
  std::vector<std::unique_ptr<cached_schedule>> schedules_;
  cached_schedule* last_ = nullptr;
};

}  // namespace peal
