// Boxes of pairs that fall silent.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "peal/counter.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

TEST(shm_transport, boxes_of_silent_pairs_give_their_memory_back_and_open_again) {
  node_options options;
  options.count = 3;
  options.settings.box_after = 2;
  options.settings.idle_after = std::chrono::milliseconds{1};
  shm_node node{options};
  const auto turn = [&] {
    for (int each = 0; each < 3; ++each) node[each].transport->poll();
  };
  const auto counter_of = [&](const char* name) {
    std::vector<counter> all;
    node[0].transport->report(all);
    for (const counter& each : all)
      if (each.name == name) return each.value;
    ADD_FAILURE() << "no counter " << name;
    return std::uint64_t{0};
  };
  std::uint32_t sent = 0;
  for (int burst = 0; burst < 3; ++burst) {
    // Bursts of long payloads, so that rings grow and go round.
    for (int each = 0; each < 300; ++each, ++sent)
      for (int target : {1, 2}) {
        const auto payload = pattern(1 + sent * 61 % 4096, sent);
        ASSERT_TRUE(until(turn, [&] {
          return node[0].transport->send(shm_node::peer(target), message(payload.size(), sent),
                                         payload.data());
        }));
      }
    EXPECT_GT(counter_of("shm.most_box_bytes"), 0u);
    ASSERT_TRUE(until(turn, [&] { return counter_of("shm.box_bytes") == 0; })) << "burst " << burst;
  }
  EXPECT_GE(node[0].transport->counters().boxes_idle, 6u);
  EXPECT_EQ(node[0].transport->counters().boxes_idle, node[0].transport->counters().boxes_opened);
  for (int target : {1, 2}) {
    const auto& got = node[target].arrivals.got;
    ASSERT_EQ(got.size(), sent);
    for (std::uint32_t each = 0; each < sent; ++each) {
      ASSERT_EQ(got[each].head.context(), each);
      ASSERT_EQ(got[each].payload, pattern(1 + each * 61 % 4096, each));
    }
  }
}

}  // namespace
