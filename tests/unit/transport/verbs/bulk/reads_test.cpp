// Fetches from one peer, in the order in which they are read.
#include "transport/verbs/bulk/reads.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal::verbs;
using namespace peal;

TEST(reads, fetches_are_posted_in_order_and_end_in_any) {
  reads of;
  fetch first, second, third;
  EXPECT_FALSE(of.any_unposted());
  for (fetch* each : {&first, &second, &third}) {
    of.add(*each);
    of.ready(*each);
  }
  EXPECT_EQ(of.oldest_unposted(), &first);
  of.posted_one();
  of.posted_one();
  EXPECT_EQ(of.oldest_unposted(), &third);
  of.remove(second);
  EXPECT_EQ(of.oldest_unposted(), &third);
  of.posted_one();
  EXPECT_FALSE(of.any_unposted());
  of.ready(first);  // more of it is registered
  EXPECT_EQ(of.oldest_unposted(), &first);
  of.posted_one();
  of.read_again({&first, nullptr, 4096, 100});
  EXPECT_TRUE(of.any_unposted());
  EXPECT_EQ(of.take_again().at, 4096u);
  EXPECT_EQ(of.take(), (std::vector<fetch*>{&first, &third}));
  EXPECT_FALSE(of.any());
}

}  // namespace
