// An ordered set of peers.
#include "p2p/team.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal;

TEST(team, one_like_another_has_its_peers_under_its_own_context) {
  const team of{8, 1, {7, 3, 9}};
  EXPECT_EQ(of.size(), 3);
  EXPECT_EQ(of.rank(), 1);
  EXPECT_EQ(of.peer(2), 9u);
  const team like{20, of};
  EXPECT_EQ(like.context(), 20u);
  EXPECT_EQ(like.collective_context(), 21u);
  EXPECT_EQ(like.rank(), 1);
  EXPECT_EQ(like.peer(0), 7u);
  EXPECT_EQ(&like.peers(), &of.peers()) << "there is one list in memory";
}

}  // namespace
