#include "collective/schedule_cache.hpp"

#include <algorithm>

namespace peal {

cached_schedule& schedule_cache::replace() {
  auto free = schedules_.end();
  if (schedules_.size() >= usual_plans)
    free = std::ranges::find_if(schedules_, [](const auto& each) { return each->users == 0; });
  if (free == schedules_.end()) {
    schedules_.push_back(std::make_unique<cached_schedule>());
    return *schedules_.back();
  }
  std::rotate(free, free + 1, schedules_.end());
  cached_schedule& again = *schedules_.back();
  again.keyed = false;
  if (last_ == &again) last_ = nullptr;
  return again;
}

}  // namespace peal
