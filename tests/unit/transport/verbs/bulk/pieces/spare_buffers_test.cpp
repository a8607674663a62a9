// Buffers that stay for the next payload.
#include "transport/verbs/bulk/pieces/spare_buffers.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace {

using namespace peal::verbs;

TEST(spare_buffers, begin_at_pages_and_long_ones_where_a_piece_does) {
  spare_buffers all;
  for (const std::size_t bytes : {1u, 4096u, 5000u, 256u << 10, (256u << 10) + 1, 5u << 20}) {
    std::byte* const made = all.take(bytes);
    ASSERT_NE(made, nullptr);
    const std::size_t unit = bytes > pieces::packed ? pieces::packed : 4096;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % unit, 0u) << bytes;
    std::memset(made, 1, bytes);
    all.give_back(made);
  }
}

TEST(spare_buffers, one_that_was_given_back_is_taken_again_and_two_never_the_same) {
  spare_buffers all;
  std::byte* const first = all.take(1 << 20);
  std::byte* const second = all.take(1 << 20);
  EXPECT_NE(first, second);
  EXPECT_EQ(all.idle_bytes(), 0u);
  all.give_back(first);
  EXPECT_EQ(all.idle_bytes(), std::size_t{1} << 20);
  EXPECT_EQ(all.take((1 << 20) - 5000), first);
  EXPECT_NE(all.take(1 << 20), first);
  all.give_back(first);
  std::byte* const small = all.take(100'000);
  EXPECT_NE(small, first) << "it is far longer";
  EXPECT_EQ(all.idle_bytes(), std::size_t{1} << 20);
}

TEST(spare_buffers, no_more_than_so_much_stays) {
  spare_buffers all;
  std::vector<std::byte*> taken;
  for (int left = 9; left > 0; --left) taken.push_back(all.take(5 << 20));
  EXPECT_EQ(std::set<std::byte*>(taken.begin(), taken.end()).size(), taken.size());
  for (std::byte* each : taken) {
    all.give_back(each);
    EXPECT_LE(all.idle_bytes(), spare_buffers::most);
  }
  EXPECT_EQ(all.idle_bytes(), std::size_t{30} << 20);
  std::byte* const longer = all.take(spare_buffers::most + 1);
  all.give_back(longer);
  EXPECT_EQ(all.idle_bytes(), std::size_t{30} << 20);
}

}  // namespace
