#include "collective/direct/block_pages.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collective/direct/arena.hpp"
#include "unit/collective/direct/block_memory.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using peal::test::block_memory;

int node_of(const std::vector<placed_pages>& placed, std::size_t byte) {
  const auto found = std::ranges::find_if(
      placed, [&](const placed_pages& each) { return byte >= each.begin && byte < each.end; });
  return found == placed.end() ? -2 : found->numa;
}

TEST(block_pages, hold_the_lines_of_ranks_of_their_node) {
  for (const std::size_t area : {area_bytes, long_area_bytes})
    for (const std::size_t offset : {0U, 128U, 8192U - 128U, 8192U - 640U, 1'000'064U}) {
      std::vector<std::uint16_t> numas;
      for (int rank = 0; rank != 16; ++rank)
        numas.push_back(static_cast<std::uint16_t>(rank * 5 % 16));
      const auto placed = pages_of_block(offset, area, numas);
      ASSERT_EQ(placed.size(), 16U);
      EXPECT_LE(placed.front().begin, offset);
      EXPECT_GE(placed.back().end, offset + block_bytes(16, area));
      EXPECT_LT(placed.back().end - placed.front().begin, block_bytes(16, area) + 2 * page);
      for (std::size_t rank = 0; rank != 16; ++rank) {
        const std::size_t slot = offset + offsetof(block, first) + rank * slot_bytes(area);
        EXPECT_EQ(placed[rank].begin % page, 0U);
        if (rank > 0) {
          EXPECT_EQ(placed[rank].begin, placed[rank - 1].end) << "nothing left out";
        }
        // All lines, and the areas but for the end of the second one.
        std::size_t elsewhere = 0;
        for (std::size_t at = slot; at != slot + slot_bytes(area); at += cache_line)
          if (node_of(placed, at) != numas[rank]) {
            EXPECT_GE(at, slot + sizeof(slot) + area);
            elsewhere += cache_line;
          }
        EXPECT_LT(elsewhere, page);
      }
    }
}

TEST(block_pages, of_neighbours_on_one_node_are_reserved_together) {
  const std::vector<std::uint16_t> numas{3, 3, 1, rank_place::unknown, rank_place::unknown, 1};
  const auto placed = pages_of_block(page, area_bytes, numas);
  ASSERT_EQ(placed.size(), 4U);
  EXPECT_EQ(placed[0].numa, 3);
  EXPECT_EQ(placed[1].numa, 1);
  EXPECT_EQ(placed[2].numa, preferred_numa::nearest) << "where the giver runs";
  EXPECT_EQ(placed[3].numa, 1);
  EXPECT_TRUE(pages_of_block(page, area_bytes, {}).empty());
}

// The nodes need not be there: memory comes from elsewhere then.
TEST(block_pages, are_reserved_once_and_no_others) {
  block_memory in;
  arena blocks{in.segment(), in.begin(), block_memory::bytes};
  const std::vector<std::uint16_t> numas{0, 900, 0, rank_place::unknown, 900};
  const auto taken = [&] { return in.taken(); };
  const std::size_t before = taken(), first = blocks.take(5, area_bytes, numas);
  ASSERT_NE(first, 0U);
  const std::size_t end = round_up(first + block_bytes(5, area_bytes), page);
  EXPECT_EQ(taken() - before, end - first);
  const std::size_t second = blocks.take(5, area_bytes, numas);
  const std::size_t both = round_up(second + block_bytes(5, area_bytes), page) - first;
  EXPECT_EQ(taken() - before, both);
  for (std::size_t byte = first; byte != first + both; ++byte)
    *in.segment().at(byte) = std::byte{1};
  EXPECT_EQ(taken() - before, both) << "all of it was there";
  blocks.put_back(second);
  EXPECT_EQ(blocks.take(5, area_bytes, numas), second);
  EXPECT_EQ(taken() - before, both) << "what was reserved is used again";
}

TEST(block_pages, that_do_not_fit_are_no_room) {
  block_memory in;
  const std::vector<std::uint16_t> numas{0, 900};
  arena blocks{in.segment(), in.begin(), 8 * page};
  EXPECT_NE(blocks.take(2, area_bytes, numas), 0U);
  EXPECT_EQ(blocks.take(2, area_bytes, numas), 0U);
}

}  // namespace
