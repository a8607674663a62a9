#include "collective/direct/groups/group_flags.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "memory/node_segment.hpp"

namespace {

using namespace peal;
using namespace peal::direct;

TEST(group_flags, a_rank_has_an_end_of_each_group_that_it_leads_and_of_one_more) {
  const std::vector<rank_place> places(64);
  const rank_groups groups{places};
  std::size_t ends = 0;
  for (int rank = 0; rank != 64; ++rank) {
    group_flags made{groups, rank, 64};
    EXPECT_TRUE(made.in_order());
    ends += made.ends().size();
    for (const group_end& each : made.ends()) {
      EXPECT_EQ(each.members[static_cast<std::size_t>(each.own)], rank);
      EXPECT_EQ(each.part_of[static_cast<std::size_t>(rank)], each.own);
      EXPECT_EQ(each.leads() || each.top, &each != &made.ends().back() || rank == 0 || each.top);
    }
  }
  std::size_t members = 0;
  for (const rank_groups::group& each : groups.all()) members += each.members.size();
  EXPECT_EQ(ends, members);
}

}  // namespace
