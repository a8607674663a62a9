#include "nodes/clock_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace peal::launcher {

clock_sample sample_of(std::int64_t asked, std::int64_t said, std::int64_t here) {
  const std::int64_t half = (here - asked) / 2;
  return {.at = said, .ahead = said - (asked + half), .error = half + 1};
}

void clock_of_node::add(const clock_sample& next) {
  all_.insert(std::ranges::upper_bound(all_, next.at, {}, &clock_sample::at), next);
}

std::int64_t clock_of_node::here(std::int64_t time) const {
  if (all_.empty()) return time;
  const auto after = std::ranges::upper_bound(all_, time, {}, &clock_sample::at);
  if (after == all_.begin()) return time - all_.front().ahead;
  if (after == all_.end()) return time - all_.back().ahead;
  const clock_sample& before = *std::prev(after);
  const double share =
      static_cast<double>(time - before.at) / static_cast<double>(after->at - before.at);
  return time - before.ahead -
         static_cast<std::int64_t>(share * static_cast<double>(after->ahead - before.ahead));
}

std::int64_t clock_of_node::error() const {
  std::int64_t most = 0;
  for (const clock_sample& each : all_) most = std::max(most, each.error);
  return most;
}

std::string text_of(const node_clocks& all) {
  std::string made;
  for (const auto& [node, clock] : all)
    for (const clock_sample& each : clock.samples())
      made += fmt::format("{} {} {} {}\n", node, each.at, each.ahead, each.error);
  return made;
}

node_clocks clocks_in(const std::string& text) {
  node_clocks made;
  std::istringstream lines{text};
  std::string node;
  for (clock_sample each; lines >> node >> each.at >> each.ahead >> each.error;)
    made[node].add(each);
  return made;
}

}  // namespace peal::launcher
