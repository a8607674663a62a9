// How much is read at a time, and whose turn it is.
#include "transport/verbs/bulk/fetch_pacing.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "transport/verbs/connection.hpp"

namespace {

using namespace peal;
using namespace peal::verbs;

constexpr std::uint64_t part = fetch_pacing::longest_part;

struct verbs_fetch_pacing : testing::Test {
  fetch_pacing of;
  std::vector<std::unique_ptr<connection>> all;

  void begin(peer_id count) {
    for (peer_id each = 0; each < count; ++each) {
      all.push_back(std::make_unique<connection>(each));
      of.began();
    }
  }
  fetch_pacing::peer& pace(std::size_t which) { return all[which]->reads.pace; }
  void wait(std::size_t which) { of.wait(*all[which], pace(which)); }
};

TEST_F(verbs_fetch_pacing, one_peer_may_have_as_much_under_way_as_its_queues_take) {
  begin(1);
  EXPECT_GT(of.longest(), 1u << 30);
  for (std::size_t each = 0; each < 40; ++each) {
    EXPECT_TRUE(of.admits(pace(0), false, each));
    of.posted(pace(0), part);
  }
  EXPECT_EQ(of.under_way(), 40 * part);
  for (int each = 0; each < 40; ++each) of.over(pace(0), part);
  EXPECT_EQ(of.under_way(), 0u);
}

TEST_F(verbs_fetch_pacing, several_peers_take_turns_a_part_each) {
  begin(20);
  EXPECT_EQ(of.longest(), part);
  std::size_t served = 0;
  for (; of.admits(pace(served), false, 0); ++served) of.posted(pace(served), part);
  EXPECT_EQ(served, fetch_pacing::at_once);
  EXPECT_EQ(of.under_way(), fetch_pacing::most);
  for (std::size_t each = served; each < 20; ++each) wait(each);
  EXPECT_EQ(of.next(), nullptr);
  of.over(pace(0), part);
  EXPECT_FALSE(of.admits(pace(0), false, 0)) << "others wait";
  wait(0);
  EXPECT_EQ(of.next(), all[served].get());
  EXPECT_TRUE(of.admits(pace(served), true, 0));
  of.posted(pace(served), part);
  EXPECT_FALSE(of.admits(pace(served), true, 1));
  of.over(pace(1), part);
  of.forget(*all[served + 1], pace(served + 1));
  EXPECT_EQ(of.next(), all[served + 2].get());
  EXPECT_FALSE(pace(served + 2).waits);
}

TEST_F(verbs_fetch_pacing, several_peers_have_a_part_beside_one_that_began_alone) {
  begin(1);
  of.posted(pace(0), 8 * fetch_pacing::most);
  begin(10);
  std::size_t beside = 0;
  for (std::size_t each = 1; each < 11; ++each) {
    if (!of.admits(pace(each), false, 0)) break;
    of.posted(pace(each), part);
    EXPECT_FALSE(of.admits(pace(each), false, 1)) << "but no more than that";
    ++beside;
  }
  EXPECT_EQ(beside, fetch_pacing::at_once - 1);
}

TEST_F(verbs_fetch_pacing, who_waits_behind_one_that_may_not_is_not_kept) {
  begin(3);
  of.posted(pace(0), 2 * fetch_pacing::most);
  wait(0);
  wait(1);
  EXPECT_EQ(of.next(), all[1].get());
  EXPECT_EQ(of.next(), nullptr);
}

TEST_F(verbs_fetch_pacing, the_last_peer_waits_for_nothing) {
  begin(2);
  of.posted(pace(0), 4 * fetch_pacing::most);
  wait(0);
  EXPECT_EQ(of.next(), nullptr);
  of.ended();
  EXPECT_EQ(of.next(), all[0].get());
  EXPECT_TRUE(of.admits(pace(0), true, 5));
}

}  // namespace
