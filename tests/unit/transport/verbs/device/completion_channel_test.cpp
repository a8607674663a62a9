// Completion queues without locks, where a device has such. On a card of this process's own.
#include "transport/verbs/device/completion_channel.hpp"

#include <gtest/gtest.h>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_completions = verbs_on_cards;

TEST_F(verbs_completions, are_polled_without_locks_where_the_device_can_do_without) {
  begin(2);
  EXPECT_EQ(cards[0]->unlocked_queues(), 1u);
  EXPECT_EQ(count(0, "verbs.queues_without_locks"), 1u);
  meet(0, 1);
}

TEST_F(verbs_completions, are_ordinary_ones_where_it_cannot) {
  cards.push_back(&verbs_double::add_card(1, 3));
  cards.back()->leaves_locks_out = false;
  verbs_options options;
  options.set.device = cards.back()->device.name;
  recorder into;
  const verbs_transport made{into, here, 0, 2, options};
  EXPECT_EQ(cards.back()->unlocked_queues(), 0u);
  std::vector<counter> all;
  made.report(all);
  const auto found = std::ranges::find(all, "verbs.queues_without_locks", &counter::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->value, 0u);
}

}  // namespace
