// Queue pairs that are gone count as long as completions of theirs may stand in a queue.
#include "transport/verbs/endpoint/bulk_pairs.hpp"

#include <gtest/gtest.h>

namespace {

using peal::verbs::bulk_pairs;

TEST(bulk_pairs, those_that_are_gone_need_room_for_a_while) {
  std::uint32_t turn = 5;
  bulk_pairs of{turn};
  of.add(0);
  of.add(0);
  of.add(1);
  of.remove(0);
  EXPECT_EQ(of.on(0), 1u);
  EXPECT_EQ(of.seen(0), 2u);
  EXPECT_EQ(of.on(1), 1u);
  turn += 1'000'000;
  EXPECT_EQ(of.seen(0), 1u);
  EXPECT_EQ(of.seen(1), 1u);
}

}  // namespace
