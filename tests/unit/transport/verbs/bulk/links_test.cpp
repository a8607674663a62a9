// Queue pairs of a connection, link by link.
#include "transport/verbs/bulk/links.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal;
using namespace peal::verbs;

struct laid {
  std::uint32_t turn = 0;
  bulk_pairs made{turn};
  links of;
  laid() { of.lay({{0, 1}, {1, 0}, {2, 3}}, false, made); }
};

TEST(links, queue_pairs_stand_link_by_link) {
  laid all;
  const links& of = all.of;
  EXPECT_TRUE(of.are_laid());
  ASSERT_EQ(of.size(), 3 * most_bulk);
  EXPECT_EQ(of.in_use(), 3);
  for (std::size_t each = 0; each < of.size(); ++each) EXPECT_EQ(of[each].link, each / most_bulk);
  EXPECT_EQ(of[2 * most_bulk].rail, 2);
  EXPECT_EQ(of[2 * most_bulk].remote_rail, 3);
  EXPECT_EQ(of.number_of(of[3]), 3u);
}

TEST(links, there_are_none_until_both_sides_have_agreed) {
  laid all;
  EXPECT_EQ(all.of.readers(), 0);
  EXPECT_FALSE(all.of.has_one_for_writes());
  all.of.agree(2, true);
  EXPECT_EQ(all.of.readers(), 2);
  EXPECT_TRUE(all.of.has_one_for_writes());
}

TEST(links, the_oldest_part_of_a_queue_is_taken_first) {
  bulk_queue of;
  of.under_way.reserve(4);
  of.add({nullptr, nullptr, 0, 100});
  of.add({nullptr, nullptr, 100, 50});
  EXPECT_EQ(of.bytes, 150u);
  EXPECT_EQ(of.take().at, 0u);
  EXPECT_EQ(of.bytes, 50u);
}

TEST(links, those_left_out_are_told_one_by_one) {
  laid all;
  links& of = all.of;
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
