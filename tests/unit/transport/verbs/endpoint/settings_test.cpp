// What is decided once for all connections of an endpoint.
#include "transport/verbs/endpoint/settings.hpp"

#include <gtest/gtest.h>

namespace {

using peal::verbs::cpus_for_halves;

TEST(verbs_settings, both_ends_move_a_message_only_where_each_has_a_cpu) {
  const auto two_of_one_node = cpus_for_halves::of(true, 2, 2);
  EXPECT_TRUE(two_of_one_node.on_own_node);
  EXPECT_FALSE(two_of_one_node.on_other_nodes)
      << "each of the node's ranks has a CPU, and none is left";
  EXPECT_TRUE(cpus_for_halves::of(true, 2, 1).on_other_nodes);
  EXPECT_FALSE(cpus_for_halves::of(true, 1, 1).any());
  EXPECT_FALSE(cpus_for_halves::of(true, 1, 2).any());
  EXPECT_FALSE(cpus_for_halves::of(false, 64, 2).any()) << "an adapter moves both halves itself";
}

}  // namespace
