// Sender and receiver divide a payload between them: every page goes to one of them, once.
#include "transport/shm/bulk/claim.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using namespace peal::shm;

TEST(claim, every_page_is_taken_once_from_either_side) {
  for (const std::uint32_t all : {1u, 7u, 8u, 24u, 100u, 1000u, 4097u}) {
    std::atomic<std::uint64_t> word{0};
    std::vector<int> taken(all);
    for (int turn = 0; !all_taken(word, all); ++turn) {
      const piece got = take(word, all, turn % 3 == 0 ? from::back : from::front);
      ASSERT_GT(got.pages, 0u);
      EXPECT_LE(got.pages, largest_piece);
      ASSERT_LE(got.first + got.pages, all);
      for (std::uint32_t each = 0; each < got.pages; ++each) ++taken[got.first + each];
    }
    EXPECT_EQ(taken, std::vector<int>(all, 1)) << all << " pages";
    EXPECT_EQ(take(word, all, from::front).pages, 0u);
    EXPECT_EQ(take(word, all, from::back).pages, 0u);
  }
}

TEST(claim, the_front_goes_forward_and_the_back_goes_backward) {
  std::atomic<std::uint64_t> word{0};
  EXPECT_EQ(take(word, 100, from::front, 10).first, 0u);
  EXPECT_EQ(take(word, 100, from::back, 10).first, 90u);
  EXPECT_EQ(take(word, 100, from::front, 10).first, 10u);
  EXPECT_EQ(take(word, 100, from::back, 10).first, 80u);
  EXPECT_EQ(take(word, 100, from::back, 1000).pages, 60u) << "no more than there are";
  EXPECT_TRUE(all_taken(word, 100));
}

TEST(claim, what_the_back_has_stays_with_it_when_the_front_takes_all) {
  std::atomic<std::uint64_t> word{0};
  EXPECT_EQ(take(word, 50, from::back, 20).first, 30u);
  take_all(word, 50);
  EXPECT_TRUE(all_taken(word, 50));
  EXPECT_EQ(take(word, 50, from::front).pages, 0u);
  EXPECT_EQ(word.load() >> 32, 20u);
}

TEST(claim, two_threads_share_all_pages) {
  constexpr std::uint32_t all = 20'000;
  std::atomic<std::uint64_t> word{0};
  std::vector<std::atomic<int>> taken(all);
  const auto work = [&](from side) {
    for (piece got = take(word, all, side); got.pages != 0; got = take(word, all, side))
      for (std::uint32_t each = 0; each < got.pages; ++each) ++taken[got.first + each];
  };
  std::thread other{[&] { work(from::back); }};
  work(from::front);
  other.join();
  for (const std::atomic<int>& each : taken) ASSERT_EQ(each.load(), 1);
}

TEST(claim, pages_are_rounded_up) {
  EXPECT_EQ(pages_of(0), 0u);
  EXPECT_EQ(pages_of(1), 1u);
  EXPECT_EQ(pages_of(claim_page), 1u);
  EXPECT_EQ(pages_of(claim_page + 1), 2u);
}

}  // namespace
