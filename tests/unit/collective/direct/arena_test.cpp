#include "collective/direct/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/collective/direct/block_memory.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using peal::test::block_memory;

/// All it has.
std::vector<std::size_t> exhaust(arena& from, int ranks) {
  std::vector<std::size_t> taken;
  while (const std::size_t offset = from.take(ranks)) taken.push_back(offset);
  return taken;
}

TEST(direct_arena, blocks_lie_apart_and_inside) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  std::size_t end = in.begin();
  int count = 0;
  for (int ranks = 2;; ranks = ranks % 16 + 1, ++count) {
    const std::size_t offset = blocks.take(ranks);
    if (offset == 0) break;
    EXPECT_GE(offset, end);
    EXPECT_EQ(offset % alignof(block), 0u);
    end = offset + block_bytes(ranks, area_bytes);
    EXPECT_LE(end, in.begin() + block_memory::bytes);
    for (std::size_t byte = offset; byte < end; ++byte) *in.segment().at(byte) = std::byte{0xff};
  }
  EXPECT_GT(count, 5);
}

TEST(direct_arena, a_block_comes_back_when_all_ranks_have_left_it) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const auto all = exhaust(blocks, 3);
  ASSERT_GT(all.size(), 3u);
  block& shared = in.at(all[2]);
  shared.left.fetch_add(2);
  blocks.leave_to_others(all[2]);
  EXPECT_EQ(blocks.take(3), 0u) << "two of three have left";
  shared.left.fetch_add(1);
  EXPECT_EQ(blocks.take(3), all[2]);
  EXPECT_EQ(blocks.take(3), 0u);
}

TEST(direct_arena, those_who_leave_before_the_giver_do_not_give_back_its_block) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const auto all = exhaust(blocks, 2);
  in.at(all[0]).left.fetch_add(1);
  EXPECT_EQ(blocks.take(2), 0u);
  in.at(all[0]).left.fetch_add(1);
  blocks.leave_to_others(all[0]);
  EXPECT_EQ(blocks.take(2), all[0]);
}

TEST(direct_arena, a_block_used_again_has_no_stamps) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const std::size_t offset = blocks.take(2);
  for (int rank = 0; rank != 2; ++rank)
    for (line& each : slot_of(in.at(offset), rank, area_bytes).lines)
      each.stamp.store(77 * one_operation);
  in.at(offset).left.store(2);
  blocks.leave_to_others(offset);
  while (true) {
    const std::size_t again = blocks.take(2);
    ASSERT_NE(again, 0u);
    if (again != offset) continue;
    EXPECT_EQ(in.at(offset).left.load(), 0u);
    for (int rank = 0; rank != 2; ++rank)
      for (const line& each : slot_of(in.at(offset), rank, area_bytes).lines)
        EXPECT_EQ(each.stamp.load(), 0u);
    break;
  }
}

TEST(direct_arena, small_ones_that_came_back_make_a_large_one) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const auto all = exhaust(blocks, 2);
  ASSERT_EQ(blocks.take(16), 0u);
  for (std::size_t i = 0; i < all.size(); i += 2) blocks.put_back(all[i]);
  EXPECT_EQ(blocks.take(16), 0u) << "in pieces";
  for (std::size_t i = 1; i < all.size(); i += 2) blocks.put_back(all[i]);
  EXPECT_EQ(blocks.in_use(), 0u);
  EXPECT_NE(blocks.take(16), 0u);
}

TEST(direct_arena, what_is_used_for_a_moment_takes_no_more_and_more) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  std::size_t furthest = 0;
  for (int i = 0; i != 1000; ++i) {
    const std::size_t offset = blocks.take(4);
    ASSERT_NE(offset, 0u);
    furthest = std::max(furthest, offset - in.begin());
    in.at(offset).left.store(4);
    blocks.leave_to_others(offset);
  }
  EXPECT_LT(furthest, 3 * block_bytes(4, area_bytes));
}

TEST(direct_arena, no_room_in_the_file_system_is_an_answer) {
  block_memory in{100'000};
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const auto some = exhaust(blocks, 2);
  EXPECT_LT(some.size() * block_bytes(2, area_bytes), 100'000u);
  for (const std::size_t each : some) blocks.put_back(each);
  EXPECT_EQ(exhaust(blocks, 2).size(), some.size()) << "what was reserved stays so";
}

}  // namespace
