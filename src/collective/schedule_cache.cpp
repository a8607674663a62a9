#include "collective/schedule_cache.hpp"

#include <algorithm>

namespace peal {

plan& plan_cache::replace() {
  auto free = plans_.end();
  if (plans_.size() >= usual_plans)
    free = std::ranges::find_if(plans_, [](const auto& each) { return each->users == 0; });
  if (free == plans_.end()) {
    plans_.push_back(std::make_unique<plan>());
    return *plans_.back();
  }
  std::rotate(free, free + 1, plans_.end());
  plan& again = *plans_.back();
  again.keyed = false;
  if (last_ == &again) last_ = nullptr;
  return again;
}

}  // namespace peal
