// Nothing in a process's part of the segment overlaps.
#include "transport/shm/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace peal::shm;

TEST(parts, nothing_overlaps_and_everything_is_page_aligned) {
  for (const int processes : {2, 3, 16, 64, 65, 200, 1000}) {
    constexpr std::uint64_t begin = 8 << 20;
    const parts of = parts::at(begin, processes);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> areas{
        {of.boxes, of.box_count * sizeof(box)},
        {of.large_parcels, of.large_parcel_count * large_parcel},
        {of.transfers, of.transfer_count * sizeof(transfer)},
        {of.rings, std::size_t{staging_rings} * most_ring_bytes},
        {of.small_rings, static_cast<std::size_t>(processes) * small_ring_bytes},
        {of.blocks, parts::most_block_bytes}};
    std::ranges::sort(areas);
    std::uint64_t end = begin;
    for (const auto& [at, bytes] : areas) {
      EXPECT_GE(at, end);
      EXPECT_EQ(at % 4096, 0u);
      EXPECT_GT(bytes, 0u);
      end = at + bytes;
    }
    EXPECT_LE(end, begin + of.bytes);
    EXPECT_LE(of.box_count, parts::most_boxes);
    EXPECT_LT(of.box_count, static_cast<std::uint32_t>(processes));
  }
}

TEST(parts, a_process_without_peers_needs_no_memory) {
  EXPECT_EQ(parts::at(4096, 1).bytes, 0u);
  EXPECT_EQ(parts::slices(1), 0u);
}

TEST(parts, slices_hold_the_small_parcels_that_may_be_under_way) {
  for (const int processes : {2, 3, 16, 200, 1000}) {
    const std::size_t wanted = static_cast<std::size_t>(processes - 1) * parts::parcels_per_peer;
    EXPECT_GE(parts::slices(processes) * small_parcel_step, wanted);
    EXPECT_LT((parts::slices(processes) - 1) * small_parcel_step, wanted);
  }
}

}  // namespace
