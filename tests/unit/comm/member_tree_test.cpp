#include "comm/member_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using peal::member_tree;

TEST(member_tree, every_member_but_the_first_is_below_the_one_that_is_above_it) {
  for (int members = 1; members <= 40; ++members) {
    std::vector<int> named(static_cast<std::size_t>(members));
    for (int place = 0; place != members; ++place)
      for (const int each : member_tree{place, members}.below) {
        ASSERT_LT(each, members);
        EXPECT_EQ((member_tree{each, members}.above), place);
        ++named[static_cast<std::size_t>(each)];
      }
    EXPECT_EQ((member_tree{0, members}.above), -1);
    EXPECT_EQ(named.front(), 0);
    EXPECT_TRUE(std::all_of(named.begin() + 1, named.end(), [](int times) { return times == 1; }))
        << members << " members";
  }
}

TEST(member_tree, no_way_is_longer_than_the_number_of_members_has_digits) {
  for (int members = 2; members <= 40; ++members)
    for (int place = 1; place != members; ++place) {
      int steps = 0;
      for (int at = place; at != 0; at = member_tree{at, members}.above) ++steps;
      EXPECT_LT(1 << (steps - 1), members);
    }
}

}  // namespace
