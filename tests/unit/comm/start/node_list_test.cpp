#include "comm/start/node_list.hpp"

#include <gtest/gtest.h>

namespace peal {
namespace {

TEST(node_list, tells_which_ranks_share_a_node) {
  std::vector<std::optional<std::string>> told{"0|A=1;", "1|", "0|A=1;", "1|B=2;"};
  EXPECT_EQ(take_nodes(told), (std::vector<peer_id>{0, 1, 0, 1}));
  EXPECT_EQ(told[0], "A=1;");
  EXPECT_EQ(told[1], "");
  EXPECT_EQ(told[3], "B=2;");
}

TEST(node_list, one_node_is_no_list) {
  std::vector<std::optional<std::string>> told{"0|", "0|", "0|"};
  EXPECT_TRUE(take_nodes(told).empty());
}

TEST(node_list, the_dead_are_by_themselves) {
  std::vector<std::optional<std::string>> told{"0|", std::nullopt, "0|"};
  EXPECT_EQ(take_nodes(told), (std::vector<peer_id>{0, 1, 0}));
  EXPECT_FALSE(told[1].has_value());
}

TEST(node_list, tells_where_ranks_run) {
  const rank_place here{3, 2, 1}, nowhere{};
  std::vector<std::optional<std::string>> told{place_note(here) + "|rest", std::nullopt,
                                               place_note(nowhere) + "|"};
  EXPECT_EQ(take_places(told), (std::vector<rank_place>{here, nowhere, nowhere}));
  EXPECT_EQ(told[0], "rest");
  EXPECT_EQ(told[2], "");
}

}  // namespace
}  // namespace peal
