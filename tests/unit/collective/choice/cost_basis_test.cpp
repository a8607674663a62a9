#include "collective/choice/cost_basis.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace peal;

using notes = std::vector<std::optional<std::string>>;
using peers = std::vector<peer_id>;

TEST(cost_basis, every_rank_has_rank_zeros_costs) {
  cost_parameters tuned, others;
  tuned.local_send_ns = 1.0 / 3;
  notes told{cost_note(4, tuned) + "|rest", cost_note(4, others) + "|"};
  EXPECT_EQ(take_cost_notes(told).costs, tuned);
  EXPECT_EQ(told, (notes{"rest", ""}));
}

TEST(cost_basis, without_a_tuning_file_there_are_none) {
  notes told{cost_note(4, std::nullopt) + "|", cost_note(4, std::nullopt) + "|"};
  EXPECT_EQ(take_cost_notes(told).costs, std::nullopt);
}

TEST(cost_basis, the_node_with_fewest_cores_counts) {
  notes told{cost_note(8, cost_parameters{}) + "|", cost_note(2, std::nullopt) + "|",
             cost_note(0, std::nullopt) + "|"};
  EXPECT_EQ(take_cost_notes(told).cores, 2);
  notes silent{cost_note(0, cost_parameters{}) + "|", cost_note(0, std::nullopt) + "|"};
  EXPECT_EQ(take_cost_notes(silent).of(peers{0, 1}, {}), spread{})
      << "nobody knows, so each has its own";
}

TEST(cost_basis, a_team_lies_on_nodes_in_its_own_way) {
  const cost_basis two{.costs = {}, .cores = 2};
  constexpr std::array<peer_id, 6> nodes{0, 0, 0, 3, 3, 5};
  EXPECT_EQ(two.of(peers{0, 1, 2, 3, 4, 5}, nodes), (spread{.ranks_per_node = 3, .cores = 2}));
  EXPECT_EQ(two.of(peers{5, 3, 0}, nodes).ranks_per_node, 1);
  EXPECT_EQ(two.of(peers{2, 4, 3}, nodes).ranks_per_node, 2);
  EXPECT_EQ(two.of(peers{0, 2}, nodes), (spread{.cores = 2})) << "one node";
}

TEST(cost_basis, who_died_changes_nothing_for_the_others) {
  cost_parameters tuned;
  tuned.switch_ns = 5;
  notes told{cost_note(2, tuned) + "|a", std::nullopt, cost_note(2, std::nullopt) + "|b"};
  EXPECT_EQ(take_cost_notes(told).costs, tuned);
  EXPECT_EQ(told, (notes{"a", std::nullopt, "b"}));
  notes headless{std::nullopt, cost_note(2, std::nullopt) + "|b"};
  EXPECT_EQ(take_cost_notes(headless).costs, std::nullopt);
}

}  // namespace
