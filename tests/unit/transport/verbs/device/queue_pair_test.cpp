// Queue pairs and shared receive queues without locks, where a device has such. On cards of this
// process's own, which end the program where two threads post at the same time all the same.
#include "transport/verbs/device/queue_pair.hpp"

#include <gtest/gtest.h>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_queue_pairs = verbs_on_cards;

TEST_F(verbs_queue_pairs, are_posted_to_without_locks_where_the_device_has_thread_domains) {
  begin(2);
  meet(0, 1);
  for (int each = 0; each < 2; ++each) {
    EXPECT_EQ(count(each, "verbs.thread_domains"), 1u);
    EXPECT_EQ(cards[static_cast<std::size_t>(each)]->unlocked_shared_queues(), 1u);
    EXPECT_EQ(cards[static_cast<std::size_t>(each)]->unlocked_pairs(),
              cards[static_cast<std::size_t>(each)]->pairs.size());
  }
}

TEST_F(verbs_queue_pairs, are_ordinary_ones_where_it_has_none) {
  cards.push_back(&verbs_double::add_card(1, 3));
  cards.back()->leaves_locks_out = false;
  verbs_options options;
  options.set.device = cards.back()->device.name;
  recorder into;
  const verbs_transport made{into, here, 0, 2, options};
  EXPECT_GE(cards.back()->pairs.size(), 1u) << "the one of its handshakes";
  EXPECT_EQ(cards.back()->unlocked_pairs(), 0u);
  EXPECT_EQ(cards.back()->unlocked_shared_queues(), 0u);
  std::vector<counter> all;
  made.report(all);
  const auto found = std::ranges::find(all, "verbs.thread_domains", &counter::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->value, 0u);
}

}  // namespace
