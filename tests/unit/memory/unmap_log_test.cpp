// The log of memory that went away: nothing is missed, whoever writes and however fast.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "memory/unmap_log.hpp"

namespace {

using namespace peal;

struct range {
  std::uintptr_t begin, end;
  bool operator==(const range&) const = default;
};
std::vector<range> taken(unmap_log::reader& from) {
  std::vector<range> all;
  from.take([&](std::uintptr_t begin, std::uintptr_t end) { all.push_back({begin, end}); });
  return all;
}
constexpr range everything{0, unmap_log::end_of_memory};

TEST(unmap_log, ranges_come_in_order_as_whole_pages_and_once) {
  unmap_log log;
  log.record(0x1000, 1);
  unmap_log::reader reader{log};
  log.record(0x2000, 0x1000);
  log.record(0x3fff, 2);
  log.record(0x9000, 0);
  EXPECT_EQ(taken(reader), (std::vector<range>{{0x2000, 0x3000}, {0x3000, 0x5000}}));
  EXPECT_TRUE(taken(reader).empty());
}

TEST(unmap_log, a_range_that_ends_nowhere_reaches_to_the_end) {
  unmap_log log;
  unmap_log::reader reader{log};
  log.record(0x5000, std::numeric_limits<std::size_t>::max() - 0x100);
  EXPECT_EQ(taken(reader), (std::vector<range>{{0x5000, unmap_log::end_of_memory}}));
}

TEST(unmap_log, each_reader_reads_everything) {
  unmap_log log;
  unmap_log::reader one{log}, other{log};
  log.record(0x1000, 1);
  EXPECT_EQ(taken(one).size(), 1u);
  log.record(0x2000, 1);
  EXPECT_EQ(taken(one).size(), 1u);
  EXPECT_EQ(taken(other).size(), 2u);
}

TEST(unmap_log, a_reader_that_was_outrun_forgets_everything) {
  unmap_log log;
  unmap_log::reader reader{log};
  for (std::uintptr_t each = 1; each <= 1024; ++each) log.record(each << 12, 1);
  EXPECT_EQ(taken(reader).size(), 1024u);
  for (std::uintptr_t each = 1; each <= 1025; ++each) log.record(each << 12, 1);
  EXPECT_EQ(taken(reader), (std::vector<range>{everything}));
  log.record(0x1000, 1);
  EXPECT_EQ(taken(reader), (std::vector<range>{{0x1000, 0x2000}}));
}

TEST(unmap_log, ranges_that_go_while_others_are_dropped_come_next) {
  unmap_log log;
  unmap_log::reader reader{log};
  log.record(0x1000, 1);
  reader.take([&](std::uintptr_t, std::uintptr_t) { log.record(0x7000, 1); });
  EXPECT_EQ(taken(reader), (std::vector<range>{{0x7000, 0x8000}}));
}

TEST(unmap_log, who_gives_up_says_so) {
  unmap_log log;
  unmap_log::reader reader{log};
  EXPECT_TRUE(reader.complete());
  log.give_up();
  EXPECT_EQ(taken(reader), (std::vector<range>{everything}));
  EXPECT_FALSE(reader.complete());
}

/// Whatever was recorded before a thread said so is seen by who hears that, while other threads
/// write, slowly and fast.
TEST(unmap_log, many_writers_lose_nothing) {
  unmap_log log;
  constexpr std::uint64_t writers = 4, rounds = 20'000;
  std::array<std::atomic<std::uint64_t>, writers> said{};
  std::vector<std::thread> threads;
  unmap_log::reader reader{log};
  for (std::uint64_t which = 0; which < writers; ++which) {
    threads.emplace_back([&, which] {
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        log.record((which << 32) + (round << 12), 1);
        said[which].store(round, std::memory_order_release);
      }
    });
  }
  std::array<std::uint64_t, writers> heard{}, read{};
  std::uint64_t wrong = 0;
  do {
    for (std::uint64_t which = 0; which < writers; ++which)
      heard[which] = said[which].load(std::memory_order_acquire);
    bool all = false;
    reader.take([&](std::uintptr_t begin, std::uintptr_t end) {
      if (range{begin, end} == everything) all = true;
      else if (end - begin != 0x1000 || begin >> 32 >= writers) ++wrong;
      else
        read[begin >> 32] = std::max<std::uint64_t>(read[begin >> 32], (begin & 0xffffffff) >> 12);
    });
    // That may have told of one of each that its writer has not said yet.
    for (std::uint64_t which = 0; which < writers && all; ++which)
      read[which] = said[which].load(std::memory_order_acquire) + 1;
    for (std::uint64_t which = 0; which < writers; ++which) wrong += read[which] < heard[which];
  } while (wrong == 0 &&
           heard != std::array<std::uint64_t, writers>{rounds, rounds, rounds, rounds});
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
