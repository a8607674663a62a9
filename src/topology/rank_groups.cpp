#include "topology/rank_groups.hpp"

#include <algorithm>
#include <array>
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

namespace {

/// Whether a place of the level is known to hold several places of the other.
bool holds_several(std::uint16_t rank_place::* one, std::uint16_t rank_place::* other,
                   std::span<const rank_place> ranks) {
  std::map<std::uint16_t, std::uint16_t> held;
  return std::ranges::any_of(ranks, [&](const rank_place& each) {
    return each.*one != rank_place::unknown &&
           held.try_emplace(each.*one, each.*other).first->second != each.*other;
  });
}

}  // namespace

rank_groups::rank_groups(std::span<const rank_place> ranks, std::size_t most)
    : most_{most}, led_(ranks.size()) {
  if (ranks.empty()) return;
  // From the widest to the narrowest, as on most machines. A level that holds several places of the
  // one before it, which holds only one of its own, is wider on this one.
  std::array<level, 3> levels{&rank_place::socket, &rank_place::numa, &rank_place::cache};
  for (const std::size_t at : {0U, 1U, 0U})
    if (holds_several(levels[at + 1], levels[at], ranks) &&
        !holds_several(levels[at], levels[at + 1], ranks))
      std::swap(levels[at], levels[at + 1]);
  std::vector<unit> all;
  for (int rank = 0; rank != static_cast<int>(ranks.size()); ++rank) all.push_back({rank, {rank}});
  in_order_ = std::ranges::is_sorted(join_by(levels, ranks, std::move(all)).ranks);
}

/// Into one: those of each place of the first level by the other levels, and then these. They stand
/// in the order of their lowest ranks.
rank_groups::unit rank_groups::join_by(std::span<const level> levels,
                                       std::span<const rank_place> ranks, std::vector<unit> units) {
  if (levels.empty()) return join(std::move(units));
  std::map<std::uint16_t, std::size_t> number;
  std::vector<std::vector<unit>> places;
  for (unit& each : units) {
    const std::uint16_t place = ranks[static_cast<std::size_t>(each.leader)].*levels.front();
    const auto [found, is_new] = number.try_emplace(place, places.size());
    if (is_new) places.emplace_back();
    places[found->second].push_back(std::move(each));
  }
  std::vector<unit> joined;
  for (std::vector<unit>& each : places)
    joined.push_back(join_by(levels.subspan(1), ranks, std::move(each)));
  return join(std::move(joined));
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
