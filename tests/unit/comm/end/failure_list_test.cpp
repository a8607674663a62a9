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
  EXPECT_TRUE(of.add(7));
  EXPECT_TRUE(of.add(3));
  EXPECT_FALSE(of.add(7));
  ASSERT_EQ(of.count(), 2u);
  EXPECT_EQ(of.at(0), 7u);
  EXPECT_EQ(of.at(1), 3u);
}

TEST(failure_list, what_is_counted_can_be_read) {
  failure_list of;
  constexpr peer_id many = 2000;
  std::thread writer{[&] {
    for (peer_id each = 0; each < many; ++each) (void)of.add(each);
  }};
  for (std::size_t known = 0; known < many;)
    for (const std::size_t now = of.count(); known < now; ++known) EXPECT_EQ(of.at(known), known);
  writer.join();
}

}  // namespace
