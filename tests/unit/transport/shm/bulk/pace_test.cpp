// Which way to a reader is faster, from what pieces took.
#include "transport/shm/bulk/pace.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::shm;

TEST(pace, the_way_past_the_caches_is_taken_where_it_is_clearly_faster) {
  pace of;
  EXPECT_FALSE(of.past_caches());
  of.note(false, 64 << 10, 1 << 16);
  of.note(true, 64 << 10, 1 << 16);
  EXPECT_FALSE(of.past_caches()) << "equally fast";
  for (int each = 0; each < 8; ++each) of.note(true, 64 << 10, 1 << 14);
  EXPECT_TRUE(of.past_caches());
  for (int each = 0; each < 8; ++each) of.note(false, 64 << 10, 1 << 12);
  EXPECT_FALSE(of.past_caches());
}

TEST(pace, one_interruption_decides_nothing) {
  pace of;
  for (int each = 0; each < 8; ++each) {
    of.note(false, 64 << 10, 1 << 13);
    of.note(true, 64 << 10, 1 << 13);
  }
  of.note(false, 64 << 10, 1 << 14);  // half as fast, once
  EXPECT_FALSE(of.past_caches());
}

}  // namespace
