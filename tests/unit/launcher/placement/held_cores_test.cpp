#include "placement/held_cores.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using peal::launcher::held_cores;

// Hardware threads that no machine has, so that jobs that run meanwhile are not disturbed.
const int none = (1 << 24) + static_cast<int>(::getpid()) * 4;

TEST(held_cores, are_held_by_one_only) {
  held_cores one, other;
  EXPECT_TRUE(one.hold({none, none + 1}));
  EXPECT_FALSE(other.hold({none + 2, none + 1}));
  EXPECT_TRUE(one.hold({none + 2})) << "what was taken of a core that could not be had is free";
  EXPECT_TRUE(other.hold({none + 3}));
  EXPECT_FALSE(other.blind());
}

TEST(held_cores, are_free_after_their_release) {
  held_cores one, other;
  {
    held_cores ended;
    EXPECT_TRUE(ended.hold({none}));
  }
  EXPECT_TRUE(one.hold({none}));
  one.release();
  EXPECT_TRUE(other.hold({none}));
}

}  // namespace
