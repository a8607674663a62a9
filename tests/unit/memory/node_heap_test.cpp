#include "memory/node_heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace peal;

segment_plan plan(int index, std::size_t heap, const char* name) {
  const char* set = std::getenv("PEAL_SHM_DIR");
  segment_plan made;
  made.directory = set != nullptr ? set : "/dev/shm";
  made.job_name = "peal-test-" + std::to_string(getpid()) + name;
  made.index = index;
  made.count = 2;
  made.heap_bytes = heap;
  return made;
}

struct one_heap {
  explicit one_heap(std::size_t bytes, std::size_t most = std::size_t{1} << 40)
      : segment{with(bytes, most)}, heap{segment} {}
  static segment_plan with(std::size_t bytes, std::size_t most) {
    segment_plan made = plan(0, bytes, "-heap");
    made.most_committed = most;
    return made;
  }
  node_segment segment;
  node_heap heap;
};

constexpr std::size_t mega = std::size_t{1} << 20;

TEST(node_heap, blocks_are_aligned_apart_and_writable) {
  one_heap here{64 * mega};
  std::vector<std::pair<std::byte*, std::size_t>> blocks;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
        std::size_t{4095}, std::size_t{4096}, std::size_t{5000}, 3 * mega, mega}) {
    auto* const block = static_cast<std::byte*>(here.heap.allocate(bytes));
    ASSERT_NE(block, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (bytes >= 4096 ? 4096 : 64), 0u);
    EXPECT_TRUE(here.heap.contains(block));
    EXPECT_TRUE(here.segment.contains(block, bytes));
    std::memset(block, static_cast<int>(blocks.size()) + 1, bytes);
    blocks.emplace_back(block, bytes);
  }
  for (std::size_t each = 0; each < blocks.size(); ++each)
    EXPECT_TRUE(
        std::all_of(blocks[each].first, blocks[each].first + blocks[each].second,
                    [&](std::byte byte) { return byte == static_cast<std::byte>(each + 1); }))
        << "another block was written over this one";
  for (const auto& [block, bytes] : blocks) here.heap.deallocate(block);
  int local = 0;
  EXPECT_FALSE(here.heap.contains(&local));
  EXPECT_FALSE(here.heap.contains(nullptr));
}

TEST(node_heap, the_whole_share_can_be_had_again_and_again) {
  one_heap here{16 * mega};
  std::mt19937 random{1};
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    while (void* block = here.heap.allocate(1 + random() % (mega / 2))) blocks.push_back(block);
    EXPECT_GT(blocks.size(), 16u);
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (void* each : blocks) here.heap.deallocate(each);
    void* const all = here.heap.allocate(16 * mega);
    ASSERT_NE(all, nullptr) << "what was freed did not join";
    EXPECT_EQ(here.heap.allocate(1), nullptr);
    here.heap.deallocate(all);
  }
}

TEST(node_heap, more_than_there_is_gives_null) {
  one_heap here{4 * mega};
  EXPECT_EQ(here.heap.allocate(4 * mega + 1), nullptr);
  EXPECT_EQ(here.heap.allocate(SIZE_MAX), nullptr);
  one_heap none{0};
  EXPECT_EQ(none.heap.allocate(1), nullptr);
}

TEST(node_heap, a_full_file_system_gives_null_and_one_warning) {
  one_heap here{64 * mega, 4 * mega};
  testing::internal::CaptureStderr();
  void* const fits = here.heap.allocate(mega);
  EXPECT_NE(fits, nullptr);
  EXPECT_EQ(here.heap.allocate(8 * mega), nullptr);
  EXPECT_EQ(here.heap.allocate(8 * mega), nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("ordinary memory"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  here.heap.deallocate(fits);
}

TEST(node_heap, what_lies_idle_is_given_back) {
  constexpr std::size_t size = 48 * mega;
  one_heap here{1024 * mega, 210 * mega};
  std::vector<void*> blocks;
  for (int each = 0; each < 4; ++each) blocks.push_back(here.heap.allocate(size));
  ASSERT_EQ(std::count(blocks.begin(), blocks.end(), nullptr), 0);
  for (int each = 0; each < 3; ++each) here.heap.deallocate(blocks[static_cast<std::size_t>(each)]);
  // Too large for the gap, so it lies where nothing was committed before; together with the gap it
  // would be more than there is.
  void* const whole = here.heap.allocate(150 * mega);
  EXPECT_NE(whole, nullptr);
  here.heap.deallocate(whole);
  here.heap.deallocate(blocks[3]);
}

TEST(node_heap, a_peer_reads_what_lies_at_the_offset) {
  node_segment first{plan(0, 8 * mega, "-two")}, second{plan(1, 8 * mega, "-two")};
  node_heap mine{first}, theirs{second};
  auto* const block = static_cast<char*>(mine.allocate(100));
  std::strcpy(block, "seen by all");
  EXPECT_STREQ(reinterpret_cast<char*>(second.at(first.offset_of(block))), "seen by all");
  EXPECT_FALSE(theirs.contains(second.at(first.offset_of(block))))
      << "a block of the other's share";
}

TEST(node_heap, threads_may_allocate_at_once) {
  one_heap here{64 * mega};
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t self = 0; self < wrong.size(); ++self)
    threads.emplace_back([&, self] {
      std::mt19937 random{static_cast<unsigned>(self)};
      std::vector<std::pair<unsigned char*, std::size_t>> mine;
      const auto drop = [&](std::size_t place) {
        const auto [block, bytes] = mine[place];
        if (!std::all_of(block, block + bytes,
                         [&](unsigned char each) { return each == self + 1; }))
          ++wrong[self];
        here.heap.deallocate(block);
        mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(place));
      };
      for (int turn = 0; turn < 500; ++turn) {
        const std::size_t bytes = 1 + random() % 10'000;
        if (auto* const block = static_cast<unsigned char*>(here.heap.allocate(bytes))) {
          std::memset(block, static_cast<int>(self) + 1, bytes);
          mine.emplace_back(block, bytes);
        }
        if (mine.size() > 20) drop(random() % mine.size());
      }
      while (!mine.empty()) drop(0);
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
