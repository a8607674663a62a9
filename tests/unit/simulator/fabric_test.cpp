// Adapters and links: times that can be added up by hand, and what makes them longer.
#include "simulator/fabric.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::simulator;

// Round numbers: a byte takes a nanosecond, a packet of 100 bytes has no header.
machine simple() {
  machine made;
  made.nic = {.name = "simple",
              .link_rate = 1,
              .units = 2,
              .pairs_per_unit = 1,
              .unit_ns = 10,
              .pcie_ns = 200,
              .context_bytes = 100,
              .cache_bytes = 1000,
              .inline_bytes = 50,
              .packet_bytes = 100,
              .header_bytes = 0};
  made.net = {.leaf_nodes = 2, .oversubscription = 1, .switch_ns = 20, .cable_ns = 5};
  return made;
}

picoseconds whole(fabric& over, picoseconds now, way path, parcel what) {
  const picoseconds head = over.leave(now, path, what);
  return over.arrive(head, path, what);
}

TEST(fabric, a_message_under_one_switch) {
  fabric over{simple(), 4, {1, 1, 1, 1}};
  // Half the bus 100, a packet 10, a cable 5, a switch 20, a cable 5, 40 bytes 40, half the bus
  // 100.
  EXPECT_EQ(whole(over, 0, {0, 1, true}, {.bytes = 40}), from_ns(280));
}

TEST(fabric, a_message_through_the_spine) {
  fabric over{simple(), 4, {1, 1, 1, 1}};
  EXPECT_EQ(whole(over, 0, {0, 2, false}, {.bytes = 40}), from_ns(280 + 2 * 25))
      << "two switches and two cables more";
}

TEST(fabric, payload_that_is_fetched_crosses_the_bus_once_more_each_way) {
  fabric over{simple(), 4, {1, 1, 1, 1}};
  EXPECT_EQ(whole(over, 0, {0, 1, true}, {.bytes = 40, .crossings = 3}), from_ns(480));
}

TEST(fabric, two_senders_share_the_receivers_link) {
  fabric over{simple(), 4, {1, 1, 1, 1}};
  parcel first{.bytes = 1000}, second{.bytes = 1000};
  const picoseconds a = over.leave(0, {0, 2, true}, first);
  const picoseconds b = over.leave(0, {1, 2, true}, second);
  EXPECT_EQ(a, b);
  const picoseconds one = over.arrive(a, {0, 2, true}, first);
  EXPECT_EQ(over.arrive(b, {1, 2, true}, second) - one, from_ns(1000));
}

TEST(fabric, a_leaf_switch_with_few_links_up_is_a_narrow_place) {
  machine narrow = simple();
  narrow.net.oversubscription = 4;  // half a byte/ns for both nodes of a leaf
  fabric over{narrow, 4, {1, 1, 1, 1}};
  fabric wide{simple(), 4, {1, 1, 1, 1}};
  const picoseconds fast = whole(wide, 0, {0, 2, false}, {.bytes = 10000});
  EXPECT_EQ(whole(over, 0, {0, 2, false}, {.bytes = 10000}) - fast, from_ns(10000));
  EXPECT_EQ(whole(over, 0, {0, 1, true}, {.bytes = 10}),
            whole(wide, 0, {0, 1, true}, {.bytes = 10}))
      << "not on the way inside a leaf";
}

TEST(fabric, contexts_that_do_not_fit_cost_a_way_to_memory) {
  fabric fits{simple(), 4, {10, 10, 10, 10}};
  fabric misses{simple(), 4, {40, 10, 10, 10}};  // three of four are not there
  EXPECT_EQ(fits.misses(), 0);
  EXPECT_DOUBLE_EQ(misses.misses(), 0.75);
  const picoseconds there = whole(fits, 0, {0, 1, true}, {.bytes = 40});
  EXPECT_EQ(whole(misses, 0, {0, 1, true}, {.bytes = 40}) - there, from_ns(150));
  EXPECT_EQ(whole(misses, from_ns(10000), {2, 3, true}, {.bytes = 40}) - from_ns(10000), there)
      << "on another node";
}

TEST(fabric, more_queue_pairs_use_more_units) {
  machine slow = simple();
  slow.nic.unit_ns = 400;  // four times what the packet takes on the link
  fabric one{slow, 4, {1, 1, 1, 1}}, two{slow, 4, {1, 1, 1, 1}};
  const picoseconds alone = whole(one, 0, {0, 1, true}, {.bytes = 10000, .pairs = 1});
  const picoseconds shared = whole(two, 0, {0, 1, true}, {.bytes = 10000, .pairs = 2});
  EXPECT_EQ(alone - shared, from_ns(50 * 400)) << "fifty packets less for a unit";
  slow.nic.pairs_per_unit = 2;
  fabric same{slow, 4, {1, 1, 1, 1}};
  EXPECT_EQ(whole(same, 0, {0, 1, true}, {.bytes = 10000, .pairs = 2}), alone)
      << "both pairs have the same unit";
}

}  // namespace
