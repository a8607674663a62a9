// What is decided once for all connections of an endpoint.
#include "transport/verbs/endpoint/settings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;
using peal::rendezvous_mode;

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

TEST(verbs_settings, a_peer_is_asked_to_write_where_the_mode_has_writes) {
  settings of;
  of.halves = {true, false};
  for (const bool same_device : {false, true}) {
    of.rendezvous = rendezvous_mode::read;
    EXPECT_FALSE(of.asks_for_writes(same_device));
    of.rendezvous = rendezvous_mode::write;
    EXPECT_TRUE(of.asks_for_writes(same_device));
    of.rendezvous = rendezvous_mode::both;
    EXPECT_TRUE(of.asks_for_writes(same_device));
    of.rendezvous = rendezvous_mode::automatic;
    EXPECT_EQ(of.asks_for_writes(same_device), same_device) << "where there is a CPU for each half";
  }
}

}  // namespace
