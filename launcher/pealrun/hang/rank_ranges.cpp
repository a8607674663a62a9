#include "hang/rank_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace peal::launcher {

std::string ranges_of(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  std::string text;
  for (std::size_t from = 0; from != ranks.size();) {
    std::size_t to = from;
    while (to + 1 != ranks.size() && ranks[to + 1] == ranks[to] + 1) ++to;
    if (!text.empty()) text += ',';
    text += to == from ? fmt::format("{}", ranks[from])
                       : fmt::format("{}{}{}", ranks[from], to == from + 1 ? "," : "-", ranks[to]);
    from = to + 1;
  }
  return text;
}

std::string words_of(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", ranges_of(ranks));
}

}  // namespace peal::launcher
