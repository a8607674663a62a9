#include "mpi/partitioned/partition_setup.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace peal::mpi;

TEST(partition_setup, tags_of_requests_do_not_meet) {
  constexpr int threads = 4, each_takes = 500;
  std::vector<std::vector<std::int32_t>> taken(threads);
  std::vector<std::thread> running;
  for (auto& mine : taken)
    running.emplace_back([&mine] {
      for (int each = 0; each != each_takes; ++each) mine.push_back(take_tags(each % 7));
    });
  for (std::thread& each : running) each.join();
  std::set<std::int32_t> seen;
  for (const auto& of_thread : taken)
    for (int each = 0; each != each_takes; ++each)
      for (int tag = 0; tag != each % 7; ++tag)
        EXPECT_TRUE(seen.insert(of_thread[static_cast<std::size_t>(each)] + tag).second);
}

TEST(partition_setup, tags_begin_anew_before_they_would_be_negative) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_GE(take_tags(most - 100'000), 0);
  const std::int32_t first = take_tags(200'000);
  EXPECT_GE(first, 0);
  EXPECT_LE(first, most - 200'000);
}

}  // namespace
