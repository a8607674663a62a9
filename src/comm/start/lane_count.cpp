#include "comm/start/lane_count.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

#include "progress/sleepers/family.hpp"

namespace peal {

std::size_t lane_count_wanted(const job_settings& settings, bool threads) {
  if (!threads || settings.async) return 1;
  // The cores that this thread may use, of which glibc asks the scheduler; 0: it does not know.
  const std::size_t by_itself =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_lanes_by_itself);
  return settings.lanes.value_or(by_itself);
}

std::size_t take_lane_count(std::vector<std::optional<std::string>>& told) {
  std::size_t smallest = engine_family::most;
  for (auto& each : told) {
    if (!each) continue;
    const std::size_t bar = each->find('|');
    std::size_t count = 1;
    std::from_chars(each->data(), each->data() + std::min(bar, each->size()), count);
    smallest = std::min(smallest, count);
    each->erase(0, bar == std::string::npos ? bar : bar + 1);
  }
  return std::max<std::size_t>(smallest, 1);
}

}  // namespace peal
