// What adapters do that Soft-RoCE does not, or not on demand, on cards of this process's own: receives that vanish with their queue pair.
#include <gtest/gtest.h>

#include "unit/transport/verbs_double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_device = verbs_on_cards;

/// What a shared queue has less than before is lost to all connections that come later.
TEST_F(verbs_device, receives_that_nobody_polled_come_back_when_their_peer_has_failed) {
  for (const bool told : {true, false}) {
    begin(5);
    for (verbs_double::card* each : cards) each->tells_last_wqe = told;
    meet(0, 1);
    const std::size_t slots = count(0, "verbs.slots");
    for (peer_id gone = 1; gone < 4; ++gone) {
      if (gone > 1) meet(0, gone);
      for (std::uint32_t each = 0; each < 40; ++each)
        ASSERT_TRUE(until([&] { at(gone).poll(); }, [&] { return at(gone).send(0, message(5000, each), pattern(5000, each).data()); }));
      at(gone).poll();  // all of them are there, in completions that nobody has read
      at(0).peer_failed(gone);
      ends[gone]->transport.reset();
      // Nothing is under way: every slot is free, or posted, but for those few that are posted in chains.
      ASSERT_TRUE(wait([&] { return count(0, "verbs.slots_free") + cards[0]->shared_receives() + 16 >= count(0, "verbs.slots"); }))
          << count(0, "verbs.slots") - count(0, "verbs.slots_free") - cards[0]->shared_receives() << " slots have gone";
      EXPECT_TRUE(wait([&] { return cards[0]->count(IBV_QPT_RC) == 0; })) << "its queue pairs are gone";
      EXPECT_GE(cards[0]->shared_receives() + 16, 66u + 32u);
    }
    EXPECT_LE(count(0, "verbs.slots"), slots + 128);
    meet(0, 4);
    got(0).clear();
    for (std::uint32_t each = 0; each < 100; ++each) ASSERT_TRUE(send(4, 0, message(5000, each), pattern(5000, each).data()));
    EXPECT_TRUE(wait([&] { return got(0).size() == 100; }));
  }
}

}  // namespace
