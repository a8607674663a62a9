#include "transport/verbs/bulk/pieces/block_places.hpp"

#include <gtest/gtest.h>

namespace {

using peal::verbs::block_places;

TEST(block_places, are_those_of_the_blocks) {
  const block_places of{1000, 16, 100};
  EXPECT_EQ(of.address_of(0), 1000u);
  EXPECT_EQ(of.address_of(15), 1015u);
  EXPECT_EQ(of.address_of(16), 1100u);
  EXPECT_EQ(of.address_of(16 * 7 + 3), 1703u);
}

TEST(block_places, parts_end_with_their_block_or_with_some_behind_it) {
  const block_places of{1000, 16, 100};
  EXPECT_EQ(of.end_at(0), 16u);
  EXPECT_EQ(of.end_at(15), 16u);
  EXPECT_EQ(of.end_at(16), 32u);
  EXPECT_EQ(of.end_at(17, 1), 32u);
  EXPECT_EQ(of.end_at(17, 4), 80u);
}

TEST(block_places, span_from_their_first_byte_to_their_last) {
  const block_places of{1000, 16, 100};
  EXPECT_EQ(of.span(1), 1u);
  EXPECT_EQ(of.span(16), 16u);
  EXPECT_EQ(of.span(17), 101u);
  EXPECT_EQ(of.span(160), 916u);
}

}  // namespace
