#include "collective/node_map.hpp"

#include <algorithm>
#include <unordered_map>

namespace peal {

node_map::node_map(std::span<const std::uint32_t> by_rank)
    : at_(by_rank.size()), ranks_(by_rank.size()) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> counts;
  for (std::size_t rank = 0; rank != by_rank.size(); ++rank) {
    const auto [found, fresh] =
        numbers.try_emplace(by_rank[rank], static_cast<std::uint32_t>(counts.size()));
    if (fresh) counts.push_back(0);
    at_[rank] = {found->second, counts[found->second]++};
    // A node that goes on after another one has begun.
    if (!fresh && found->second + 1 != counts.size()) in_order_ = false;
  }
  first_.push_back(0);
  for (const std::uint32_t each : counts) first_.push_back(first_.back() + each);
  for (std::size_t rank = 0; rank != by_rank.size(); ++rank)
    ranks_[first_[at_[rank].node] + at_[rank].index] = static_cast<std::uint32_t>(rank);
  if (!counts.empty()) fewest_ = static_cast<int>(*std::ranges::min_element(counts));
}

}  // namespace peal
