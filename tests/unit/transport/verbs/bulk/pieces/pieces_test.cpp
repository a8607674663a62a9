// How a buffer is divided into pieces.
#include "transport/verbs/bulk/pieces/pieces.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using peal::verbs::pieces;

constexpr std::uint64_t piece = pieces::length;

TEST(pieces, end_at_the_same_addresses_wherever_a_buffer_begins) {
  for (const std::uint64_t before :
       {std::uint64_t{1} << 20, peal::page, std::uint64_t{5 * peal::page + 8}}) {
    const std::uint64_t address = 7 * piece - before;
    const pieces of{address};
    const std::uint64_t end = of.end_at(0);
    EXPECT_EQ(end % peal::page, 0u);
    EXPECT_LE(address + end, 7 * piece);
    EXPECT_GT(address + end, 7 * piece - peal::page);
    EXPECT_EQ(of.end_at(end), end + piece);
    EXPECT_EQ(of.of(end - peal::page), 0u);
    EXPECT_EQ(of.of(end), 1u);
    EXPECT_EQ(of.begin_of(1), end);
    EXPECT_EQ(of.begin_of(0), 0u);
    EXPECT_EQ(of.registered_from(1), 7 * piece - peal::page);
    EXPECT_LE(of.registered_from(1), address + end) << "each part lies in what is registered";
  }
}

TEST(pieces, the_page_in_which_a_buffer_begins_is_in_its_first_piece) {
  const pieces of{7 * piece - 8};
  EXPECT_EQ(of.of(0), 0u);
  EXPECT_EQ(of.end_at(0), piece);
}

TEST(pieces, an_address_near_the_end_gives_numbers_all_the_same) {
  const pieces of{~std::uint64_t{0} - piece / 2};  // a peer may tell any
  EXPECT_EQ(of.of(0), 0u);
  EXPECT_EQ(of.of(piece), 1u);
  EXPECT_EQ(of.of(2 * piece), 2u);
  for (std::uint64_t at = 0; at < 4 * piece; at = of.end_at(at)) {
    EXPECT_GT(of.end_at(at), at);
    EXPECT_EQ(of.begin_of(of.of(at)), at);
  }
}

TEST(pieces, only_long_buffers_are_divided) {
  EXPECT_FALSE(pieces::divide(4 << 20));
  EXPECT_TRUE(pieces::divide((4 << 20) + 1));
}

}  // namespace
