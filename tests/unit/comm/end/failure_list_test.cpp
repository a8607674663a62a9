// Every failure is news once, in the order heard of, for any thread.
#include "comm/end/failure_list.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

namespace {

using namespace peal;

TEST(failure_list, each_peer_is_news_once) {
  failure_list of;
  EXPECT_EQ(of.count(), 0u);
  EXPECT_TRUE(of.add({7}));
  EXPECT_TRUE(of.add({3, failure_cause::exit_code, 5}));
  EXPECT_FALSE(of.add({7}));
  ASSERT_EQ(of.count(), 2u);
  EXPECT_EQ(of.at(0).rank, 7);
  EXPECT_EQ(of.at(1).rank, 3);
  EXPECT_EQ(of.at(1).code, 5);
  EXPECT_TRUE(of.has(3));
  EXPECT_FALSE(of.has(5));
}

TEST(failure_list, what_is_counted_can_be_read) {
  failure_list of;
  constexpr int many = 2000;
  std::thread writer{[&] {
    for (int each = 0; each < many; ++each) (void)of.add({each});
  }};
  for (std::size_t known = 0; known < std::size_t{many};)
    for (const std::size_t now = of.count(); known < now; ++known)
      EXPECT_EQ(of.at(known).rank, static_cast<int>(known));
  writer.join();
}

}  // namespace
