// Queue pairs of a connection, link by link.
#include "transport/verbs/bulk/links.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal;
using namespace peal::verbs;

links made(std::size_t of_each) {
  links of;
  of.lay({{0, 1}, {1, 0}, {2, 3}}, of_each, 4, false);
  return of;
}

TEST(links, queue_pairs_stand_link_by_link) {
  const links of = made(2);
  ASSERT_EQ(of.size(), 6u);
  EXPECT_EQ(of.in_use(), 3);
  for (std::size_t each = 0; each < of.size(); ++each) EXPECT_EQ(of[each].link, each / 2);
  EXPECT_EQ(of[5].rail, 2);
  EXPECT_EQ(of[5].remote_rail, 3);
  EXPECT_EQ(of.number_of(of[3]), 3u);
  EXPECT_TRUE(of.has_one_for_writes());
  EXPECT_EQ(of.for_writes(), 1u);
}

TEST(links, the_side_with_fewer_queue_pairs_decides) {
  links of = made(3);
  of.narrow(4);
  EXPECT_EQ(of.size(), 9u);
  of.narrow(1);
  ASSERT_EQ(of.size(), 3u);
  EXPECT_EQ(of.of_each(), 1);
  EXPECT_FALSE(of.has_one_for_writes());
  for (std::size_t each = 0; each < of.size(); ++each) EXPECT_EQ(of[each].link, each);
  EXPECT_EQ(of.in_use(), 3);
}

TEST(links, those_left_out_are_told_one_by_one) {
  links of = made(1);
  of.leave_out(2);
  EXPECT_EQ(of.in_use(), 2);
  EXPECT_FALSE(of.any_untold());
  of.tell(2);
  of.tell(1);
  EXPECT_TRUE(of.is_untold(1));
  EXPECT_FALSE(of.is_untold(0));
  EXPECT_EQ(of.first_untold(), 1u);
  of.told_first();
  EXPECT_EQ(of.first_untold(), 2u);
  of.told_first();
  EXPECT_FALSE(of.any_untold());
}

}  // namespace
