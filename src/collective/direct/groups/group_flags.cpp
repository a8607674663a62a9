#include "collective/direct/groups/group_flags.hpp"

#include <algorithm>
#include <utility>

namespace peal::direct {

namespace {

std::vector<rank_place> places_of(std::span<const rank_place> places, const team& members) {
  std::vector<rank_place> made;
  if (!places.empty())
    for (const peer_id each : members.peers()) made.push_back(places[each]);
  made.resize(static_cast<std::size_t>(members.size()));
  return made;
}

}  // namespace

group_flags::group_flags(std::span<const rank_place> places, const team& members,
                         std::vector<std::uint16_t> numas)
    : group_flags{rank_groups{places_of(places, members)}, members.rank(), members.size(),
                  std::move(numas)} {}

group_flags::group_flags(const rank_groups& groups, int rank, int size,
                         std::vector<std::uint16_t> numas)
    : rank_{rank},
      size_{size},
      in_order_{groups.in_order()},
      told_{static_cast<std::size_t>(groups.most_led())},
      numas_{std::move(numas)},
      sums_(3) {
  for (const rank_groups::group& each : groups.all()) {
    leaders_.emplace_back(each.members.front(), each.number);
    const auto own = std::ranges::find(each.members, rank);
    if (own == each.members.end()) continue;
    group_end& made = ends_.emplace_back();
    made.members = each.members;
    made.own = static_cast<int>(own - each.members.begin());
    made.top = &each == &groups.all().back();
    made.number = each.number;
    made.part_of.assign(static_cast<std::size_t>(size), -1);
    for (std::size_t part = 0; part != each.parts.size(); ++part) {
      made.ranks_in.push_back(static_cast<std::uint32_t>(each.parts[part].size()));
      for (const int in : each.parts[part])
        made.part_of[static_cast<std::size_t>(in)] = static_cast<std::int16_t>(part);
    }
  }
}

void* group_flags::tell(arena& from) {
  said_.assign(told_ * static_cast<std::size_t>(size_), 0);
  std::uint64_t* const mine = said_.data() + static_cast<std::size_t>(rank_) * told_;
  for (const group_end& each : ends_) {
    if (!each.leads()) continue;
    std::vector<std::uint16_t> of_members;
    if (!numas_.empty())
      for (const int member : each.members)
        of_members.push_back(numas_[static_cast<std::size_t>(member)]);
    const std::uint64_t made =
        from.take(static_cast<int>(each.members.size()), area_bytes, of_members);
    if (made != 0) taken_.push_back(made);
    mine[each.number] = made;
  }
  return said_.data();
}

bool group_flags::complete() const noexcept {
  return std::ranges::all_of(leaders_,
                             [&](const auto& each) { return said(each.first, each.second) != 0; });
}

void group_flags::put_back(arena& into) noexcept {
  for (const std::uint64_t each : taken_) into.put_back(each);
  taken_.clear();
}

void group_flags::leave(arena& own) noexcept {
  // Pairs with the acquire in arena::collect.
  for (const group_end& each : ends_) each.shared->left.fetch_add(1, std::memory_order_release);
  for (const std::uint64_t each : taken_) own.leave_to_others(each);
}

}  // namespace peal::direct
