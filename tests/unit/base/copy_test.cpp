#include "base/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

std::vector<unsigned char> pattern(std::size_t bytes) {
  std::vector<unsigned char> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<unsigned char>(i * 7 + 1);
  return made;
}

TEST(copy, short_blocks_of_every_length_arrive_whole_and_touch_nothing_else) {
  for (std::size_t bytes = 0; bytes <= peal::short_copy; ++bytes) {
    const std::vector<unsigned char> source = pattern(bytes + 1);  // never null
    std::vector<unsigned char> target(bytes + 2, 0xee);
    peal::copy_short(target.data() + 1, source.data(), bytes);
    EXPECT_EQ(std::memcmp(target.data() + 1, source.data(), bytes), 0) << bytes;
    EXPECT_EQ(target.front(), 0xee) << bytes;
    EXPECT_EQ(target.back(), 0xee) << bytes;
  }
}

TEST(copy, wide_ones_of_every_length_and_alignment_arrive_whole) {
  const std::vector<unsigned char> source = pattern(5100);
  std::vector<unsigned char> target(5100);
  for (std::size_t bytes : {0u, 1u, 127u, 128u, 129u, 255u, 256u, 257u, 1000u, 5000u})
    for (std::size_t from : {0u, 1u, 8u, 16u, 33u})
      for (std::size_t to : {1u, 2u, 17u, 32u, 64u}) {
        std::ranges::fill(target, 0xee);
        peal::copy_wide(target.data() + to, source.data() + from, bytes);
        EXPECT_EQ(std::memcmp(target.data() + to, source.data() + from, bytes), 0)
            << bytes << " from " << from << " to " << to;
        EXPECT_EQ(target[to - 1], 0xee) << bytes;
        EXPECT_EQ(target[to + bytes], 0xee) << bytes;
      }
}

TEST(copy, past_the_caches_every_length_and_source_alignment_arrives_whole) {
  alignas(64) unsigned char target[5000];
  const std::vector<unsigned char> source = pattern(5000);
  for (std::size_t bytes : {0u, 1u, 31u, 32u, 33u, 512u, 1000u, 4096u})
    for (std::size_t from : {0u, 1u, 8u, 33u}) {
      std::memset(target, 0xee, sizeof target);
      peal::copy_past_caches(target, source.data() + from, bytes);
      EXPECT_EQ(std::memcmp(target, source.data() + from, bytes), 0) << bytes << " from " << from;
      EXPECT_EQ(target[bytes], 0xee) << bytes;
    }
}

}  // namespace
