// When a connection carries messages, and when it is over.
#include "transport/verbs/connect/lifetime.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

TEST(lifetime, a_connection_is_over_when_both_have_said_their_last) {
  for (const bool we_first : {true, false}) {
    lifetime of;
    EXPECT_FALSE(of.carries());
    of.opened(7);
    EXPECT_EQ(of.heard_epoch(), 7u);
    EXPECT_FALSE(of.carries()) << "datagrams may be unacknowledged";
    of.carry();
    EXPECT_TRUE(of.carries());
    of.begin_to_end();
    EXPECT_TRUE(of.is_ending());
    EXPECT_FALSE(of.carries());
    EXPECT_FALSE(of.is_over());
    if (we_first) of.said_last();
    else of.heard_last();
    EXPECT_FALSE(of.is_over());
    of.said_last();
    of.heard_last();
    EXPECT_TRUE(of.is_over());
  }
}

TEST(lifetime, knows_when_it_heard_something) {
  lifetime of;
  of.opened(1);
  of.heard(5);
  EXPECT_EQ(of.heard_epoch(), 5u);
}

}  // namespace
