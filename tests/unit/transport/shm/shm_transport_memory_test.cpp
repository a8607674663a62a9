// What becomes of messages while there is no memory for what a peer needs besides.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "transport/shm/bells.hpp"
#include "transport/shm/bulk/staging.hpp"
#include "transport/shm/parcels.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/failing_memory.hpp"

namespace peal::test {
namespace {

constexpr std::size_t large_payload = std::size_t{1} << 20;

/// Sends the messages [from, end) of 8 bytes from process 1 to process 0, each with or without
/// memory.
void send(shm_node& node, std::uint32_t from, std::uint32_t end, bool fails) {
  const std::uint64_t payload = 7;
  for (std::uint32_t each = from; each != end; ++each) {
    const envelope head = message(sizeof payload, each);
    failing_memory::fails = fails;
    const bool sent = node[1].transport->send(shm_node::peer(0), head, &payload);
    failing_memory::fails = false;
    ASSERT_TRUE(sent) << each;
  }
}
void expect_all(shm_node& node, std::uint32_t count) {
  const auto turn = [&] { node[0].transport->poll(), node[1].transport->poll(); };
  ASSERT_TRUE(until(turn, [&] { return node[0].arrivals.got.size() == count; }));
  for (std::uint32_t each = 0; each != count; ++each)
    EXPECT_EQ(node[0].arrivals.got[each].head.context(), each);
}

TEST(shm_without_memory, messages_are_parcels_until_a_box_can_be_opened) {
  shm_node node{node_options{}};
  send(node, 0, 12, true);
  EXPECT_EQ(node[1].transport->counters().boxes_opened, 0U);
  expect_all(node, 12);
  send(node, 12, 24, false);
  EXPECT_EQ(node[1].transport->counters().boxes_opened, 1U);
  expect_all(node, 24);
}

TEST(shm_without_memory, a_box_that_was_opened_is_read_later) {
  shm_node node{node_options{}};
  send(node, 0, 7, false);
  expect_all(node, 7);
  send(node, 7, 10, false);
  ASSERT_EQ(node[1].transport->counters().boxes_opened, 1U);
  {
    const failing_memory none;
    for (int turn = 0; turn != 1000; ++turn) node[0].transport->poll();
  }
  EXPECT_EQ(node[0].arrivals.got.size(), 7U);
  send(node, 10, 100, false);
  expect_all(node, 100);
}

TEST(shm_without_memory, parcels_that_are_there_are_all) {
  node_options options{.count = 4, .settings = {.box_after = 1000}};
  shm_node node{options};
  const std::uint64_t payload = 7;
  std::uint32_t sent = 0;
  const auto send_to_all = [&] {
    for (int to = 1; to != 4; ++to)
      for (int each = 0; each != 16; ++each)
        sent += node[0].transport->send(shm_node::peer(to), message(sizeof payload, sent), &payload)
                    ? 1
                    : 0;
  };
  {
    const failing_memory none;
    send_to_all();
  }
  EXPECT_EQ(sent, shm::front_small_parcels) << "those in the front";
  send_to_all();
  EXPECT_EQ(sent, 48U);
}

TEST(shm_without_memory, a_first_large_payload_ends_with_an_error_and_the_next_one_arrives) {
  shm_node node{node_options{}};
  const auto source = pattern(large_payload, 1);
  std::vector<std::byte> target(large_payload);
  const auto region = node[1].transport->expose(shm_node::peer(0), source.data(), large_payload);
  tracked_fetch first{shm_node::peer(1), region, target.data(), large_payload};
  {
    const failing_memory none;
    node[0].transport->start_fetch(first);
  }
  EXPECT_EQ(first.calls, 1);
  EXPECT_EQ(first.error, errc::no_space);
  tracked_fetch second{shm_node::peer(1), region, target.data(), large_payload};
  node[0].transport->start_fetch(second);
  const auto turn = [&] { node[0].transport->poll(), node[1].transport->poll(); };
  EXPECT_TRUE(until(turn, [&] { return second.calls == 1; }));
  EXPECT_FALSE(second.error);
  EXPECT_EQ(target, source);
}

TEST(shm_without_memory, a_large_payload_waits_for_the_side_that_fills_the_ring) {
  node_options options;
  options.settings.copy = shm_copy::pipeline;
  shm_node node{options};
  const auto source = pattern(large_payload, 1);
  std::vector<std::byte> target(large_payload);
  tracked_fetch fetching{shm_node::peer(1),
                         node[1].transport->expose(shm_node::peer(0), source.data(), large_payload),
                         target.data(), large_payload};
  node[0].transport->start_fetch(fetching);
  for (int each = 0; each != 100; ++each) {
    node[0].transport->poll();
    const failing_memory none;
    node[1].transport->poll();
  }
  EXPECT_EQ(fetching.calls, 0);
  const auto turn = [&] { node[0].transport->poll(), node[1].transport->poll(); };
  EXPECT_TRUE(until(turn, [&] { return fetching.calls == 1; }));
  EXPECT_EQ(target, source);
}

TEST(shm_without_memory, there_are_no_small_rings) {
  constexpr int peers = shm::staging_rings + 2;  // one more than the large ones and the front's
  shm_node node{{.count = peers + 1, .settings = {}}};
  shm::staging of{*node[0].segment};
  for (int peer = 1; peer != peers; ++peer) ASSERT_NE(of.of(peer), nullptr);
  {
    const failing_memory none;
    EXPECT_EQ(of.of(peers), nullptr);
  }
  EXPECT_NE(of.of(peers), nullptr);
}

TEST(shm_without_memory, a_sleeper_is_told_that_it_is_not_woken) {
  shm_node node{node_options{}};
  shm::bells of{*node[0].segment, nullptr, true};
  of.says(1).asks.store(for_messages);
  {
    const failing_memory none;
    of.ring(1);
  }
  EXPECT_EQ(of.says(1).deaf.load(), 1U);
}

}  // namespace
}  // namespace peal::test
