#include "comm/lane_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

#include "peal/error.hpp"
#include "progress/family.hpp"

namespace peal {

std::size_t lane_count_wanted(const config& settings, bool threads) {
  std::size_t wanted = 0;
  if (const std::string_view text = settings.text("PEAL_LANES"); text != "auto") {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    if (failed != std::errc{} || end != text.data() + text.size() || wanted < 1 || wanted > engine_family::most)
      throw error(errc::invalid_config, fmt::format("PEAL_LANES={}: allowed is auto, or a number in 1..{}", text, engine_family::most));
  }
  if (!threads || settings.text("PEAL_ASYNC") == "1") return 1;
  // The cores that this thread may use, of which glibc asks the scheduler; 0: it does not know.
  if (wanted == 0) wanted = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_lanes_by_itself);
  return wanted;
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
