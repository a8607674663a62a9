// How much is read at a time, and whose turn it is.
#include "transport/verbs/bulk/fetch_pacing.hpp"

#include <gtest/gtest.h>

#include "transport/verbs/connection.hpp"

namespace {

using namespace peal::verbs;

constexpr std::uint64_t part = fetch_pacing::most / 2;

TEST(verbs_fetch_pacing, one_peer_may_have_as_much_under_way_as_its_queues_take) {
  fetch_pacing of;
  of.began();
  for (std::size_t each = 0; each < 20; ++each) {
    EXPECT_TRUE(of.admits(false, each));
    of.posted(part);
  }
  EXPECT_EQ(of.under_way(), 20 * part);
  for (int each = 0; each < 20; ++each) of.over(part);
  EXPECT_EQ(of.under_way(), 0u);
}

TEST(verbs_fetch_pacing, several_peers_take_turns_a_part_each) {
  fetch_pacing of;
  connection one{1}, two{2}, three{3};
  for (int each = 0; each < 3; ++each) of.began();
  of.posted(part);
  of.posted(part);
  EXPECT_FALSE(of.admits(false, 0)) << "enough is under way";
  for (connection* each : {&one, &two, &three}) of.wait(*each);
  EXPECT_EQ(of.next(), nullptr);
  of.over(part);
  EXPECT_FALSE(of.admits(false, 0)) << "others wait";
  EXPECT_EQ(of.next(), &one);
  EXPECT_TRUE(of.admits(true, 0));
  of.posted(part);
  EXPECT_FALSE(of.admits(true, 1));
  of.wait(one);
  of.over(part);
  EXPECT_EQ(of.next(), &two);
  EXPECT_TRUE(of.admits(true, 0));
  EXPECT_FALSE(of.admits(true, 1)) << "a part, as long as others wait";
  of.forget(three);
  EXPECT_EQ(of.next(), &one);
  EXPECT_TRUE(of.admits(true, 1)) << "nobody waits any more, and there is room";
}

TEST(verbs_fetch_pacing, the_last_peer_waits_for_nothing) {
  fetch_pacing of;
  connection one{1};
  of.began();
  of.began();
  of.posted(4 * fetch_pacing::most);
  of.wait(one);
  EXPECT_EQ(of.next(), nullptr);
  of.ended();
  EXPECT_EQ(of.next(), &one);
  EXPECT_TRUE(of.admits(true, 5));
}

}  // namespace
