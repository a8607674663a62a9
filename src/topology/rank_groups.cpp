#include "topology/rank_groups.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace peal {

/// As few levels as there may be, of groups that are alike.
rank_groups::extent rank_groups::of_list(std::size_t count, std::size_t most) noexcept {
  std::size_t levels = 1;
  for (std::size_t held = most; held < count; held *= most) ++levels;
  std::size_t members = 2;
  const auto holds = [&](std::size_t each) {
    std::size_t all = 1;
    for (std::size_t level = 0; level != levels; ++level) all *= each;
    return all >= count;
  };
  while (!holds(members)) ++members;
  return {levels, members};
}

rank_groups::rank_groups(std::span<const rank_place> ranks, std::size_t most)
    : most_{most}, led_(ranks.size()) {
  // By socket and cache, in the order of their lowest ranks.
  struct socket {
    std::map<std::uint16_t, std::size_t> number;
    std::vector<std::vector<unit>> caches;
  };
  std::map<std::uint16_t, std::size_t> number;
  std::vector<socket> sockets;
  const auto at = [](auto& numbers, std::uint16_t key, auto& list) -> auto& {
    const auto [found, is_new] = numbers.try_emplace(key, list.size());
    if (is_new) list.emplace_back();
    return list[found->second];
  };
  for (std::size_t rank = 0; rank != ranks.size(); ++rank) {
    socket& in = at(number, ranks[rank].socket, sockets);
    at(in.number, ranks[rank].cache, in.caches)
        .push_back({static_cast<int>(rank), {static_cast<int>(rank)}});
  }
  std::vector<unit> top;
  for (socket& in : sockets) {
    std::vector<unit> leaders;
    for (std::vector<unit>& cache : in.caches) leaders.push_back(join(std::move(cache)));
    top.push_back(join(std::move(leaders)));
  }
  if (top.empty()) return;
  in_order_ = std::ranges::is_sorted(join(std::move(top)).ranks);
}

/// Into one.
rank_groups::unit rank_groups::join(std::vector<unit> units) {
  if (units.size() == 1) return std::move(units.front());
  if (units.size() > most_) {
    const std::size_t members = of_list(units.size(), most_).members,
                      parts = (units.size() + members - 1) / members;
    std::vector<unit> leaders;
    for (std::size_t part = 0; part != parts; ++part) {
      const auto begin = units.begin() + static_cast<std::ptrdiff_t>(units.size() * part / parts),
                 end =
                     units.begin() + static_cast<std::ptrdiff_t>(units.size() * (part + 1) / parts);
      leaders.push_back(join({std::make_move_iterator(begin), std::make_move_iterator(end)}));
    }
    return join(std::move(leaders));
  }
  unit joined{units.front().leader, {}};
  group made;
  made.number = led_[static_cast<std::size_t>(joined.leader)]++;
  for (unit& each : units) {
    made.members.push_back(each.leader);
    joined.ranks.insert(joined.ranks.end(), each.ranks.begin(), each.ranks.end());
    made.parts.push_back(std::move(each.ranks));
  }
  groups_.push_back(std::move(made));
  return joined;
}

int rank_groups::most_led() const noexcept {
  return led_.empty() ? 0 : *std::ranges::max_element(led_);
}

}  // namespace peal
