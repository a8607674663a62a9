// Whose word is kept, and when there is no need to say a thing again.
#include "comm/end/report_list.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

namespace {

using namespace peal;

TEST(report_list, each_rank_tells_of_each_peer_once) {
  report_list of{0, 8};
  EXPECT_TRUE(of.add({3, 5}));
  EXPECT_FALSE(of.add({3, 5}));
  EXPECT_TRUE(of.add({3, 6}));
  EXPECT_TRUE(of.add({4, 5}));
  ASSERT_EQ(of.count(), 3u);
  EXPECT_EQ(of.at(2).by, 4);
  EXPECT_EQ(of.at(2).peer, 5);
  EXPECT_TRUE(of.is_first(0));
  EXPECT_TRUE(of.is_first(1));
  EXPECT_FALSE(of.is_first(2));
}

TEST(report_list, what_makes_no_sense_is_no_news) {
  report_list of{2, 4};
  for (const unreachable_report each :
       {unreachable_report{2, 1}, {1, 2}, {1, 1}, {1, 4}, {4, 1}, {-1, 1}, {1, -1}})
    EXPECT_FALSE(of.add(each)) << each.by << " of " << each.peer;
  EXPECT_EQ(of.count(), 0u);
}

TEST(report_list, what_others_have_told_is_not_told_again) {
  report_list of{0, 8};
  failure_list failed;
  EXPECT_TRUE(of.is_to_be_told(5, failed));
  of.add({3, 5});
  EXPECT_FALSE(of.is_to_be_told(5, failed));
  EXPECT_TRUE(of.is_to_be_told(6, failed));
}

/// A rank whose adapter is broken names all others, and all others name it. What it has said before
/// is no reason to be silent of one that is gone later.
TEST(report_list, the_word_of_one_that_has_failed_does_not_count) {
  report_list of{0, 8};
  failure_list failed;
  of.add({3, 5});
  failed.add({3});
  EXPECT_TRUE(of.is_to_be_told(5, failed));
  of.add({4, 5});
  EXPECT_FALSE(of.is_to_be_told(5, failed));
}

TEST(report_list, one_that_loses_all_others_tells_of_some) {
  report_list of{0, 10'000};
  const failure_list failed;
  std::size_t told = 0;
  for (int peer = 1; peer < 10'000; ++peer)
    if (of.is_to_be_told(peer, failed)) ++told;
  EXPECT_EQ(told, report_list::most_told);
}

TEST(report_list, what_is_counted_can_be_read) {
  constexpr int many = 300;
  report_list of{0, many + 1};
  std::thread writer{[&] {
    for (int each = 2; each <= many; ++each) (void)of.add({1, each});
  }};
  for (std::size_t known = 0; known < std::size_t{many - 1};)
    for (const std::size_t now = of.count(); known < now; ++known)
      EXPECT_EQ(of.at(known).peer, static_cast<int>(known) + 2);
  writer.join();
}

}  // namespace
