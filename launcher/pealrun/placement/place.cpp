#include "placement/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace peal::launcher {

place place::at(const node_cores& node, std::vector<int> cores) {
  place made;
  for (const int each : cores)
    made.threads.push_back(node.cores[static_cast<std::size_t>(each)].threads);
  made.cores = std::move(cores);
  made.bound = true;
  return made;
}

std::vector<int> place::all_threads() const {
  std::vector<int> found;
  for (const std::vector<int>& core : threads) found.insert(found.end(), core.begin(), core.end());
  std::sort(found.begin(), found.end());
  return found;
}

std::string place::openmp_places() const {
  std::string text;
  if (!bound || shared || threads.size() < 2) return text;
  for (const std::vector<int>& core : threads)
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", fmt::join(core, ","));
  return text;
}

}  // namespace peal::launcher
