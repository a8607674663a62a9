#include "mpi/communicators/member_tags.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "peal/detail/core.hpp"

namespace {

using namespace peal::mpi;

bool may_be_used(int tag) { return tag != 0 && tag != peal::detail::any_tag_value; }

TEST(member_tags, every_tag_of_a_program_becomes_one_that_the_core_takes) {
  for (const int tag : {0, 1, 2, 1000, most - 5, most - 4, most - 3, most - 1, most}) {
    EXPECT_TRUE(may_be_used(tag_of_members(tag))) << tag;
    EXPECT_TRUE(may_be_used(tag_of_leaders(tag))) << tag;
  }
}

TEST(member_tags, tags_of_lists_of_members_differ_from_each_other_and_from_those_of_leaders) {
  std::set<int> all;
  for (const int tag : {0, 1, 2, 1000, most - 5}) {
    all.insert(tag_of_members(tag));
    all.insert(tag_of_leaders(tag));
  }
  all.insert(tag_of_members(most));
  EXPECT_EQ(all.size(), 11U);
}

TEST(member_tags, a_string_and_a_group_have_a_tag_that_changes_with_either) {
  std::set<int> all;
  for (int each = 0; each != 100; ++each) {
    all.insert(tag_of_text("thread " + std::to_string(each), group::first_ranks(4)));
    all.insert(tag_of_text("thread", group{{each, each + 1}}));
    all.insert(tag_of_text("thread", group{{each + 1, each}}));
  }
  EXPECT_EQ(all.size(), 300U);
  for (const int each : all) EXPECT_TRUE(may_be_used(each));
  EXPECT_EQ(tag_of_text("a", group::first_ranks(3)), tag_of_text("a", group{{0, 1, 2}}));
}

}  // namespace
