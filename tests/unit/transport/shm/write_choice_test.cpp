#include "transport/shm/write_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>

namespace {

using peal::shm::write_choice;

/// A writer whose payloads take as long as is said, in either way.
struct writer {
  write_choice choice;
  std::array<double, 2> rate{20, 5};  // bytes a nanosecond, through the caches and past them
  double nanoseconds = 1;
  std::size_t count[2] = {};

  void write(std::size_t bytes, int times) {
    for (; times > 0; --times) {
      const bool past = choice.past_caches(bytes, [this] {
        return write_choice::clock::time_point{
            std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)}};
      });
      ++count[past];
      nanoseconds += static_cast<double>(bytes) / rate[past];
    }
  }
  /// Of so many that are written now.
  double share_past(std::size_t bytes, int times) {
    count[0] = count[1] = 0;
    write(bytes, times);
    return static_cast<double>(count[1]) / times;
  }
};

TEST(write_choice, ends_with_the_way_that_is_faster) {
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{16384}, std::size_t{32768}}) {
    writer quick;
    quick.write(bytes, 20'000);
    EXPECT_LT(quick.share_past(bytes, 100'000), 0.02) << bytes;
    writer slow;
    slow.rate = {3, 9};
    slow.write(bytes, 20'000);
    EXPECT_GT(slow.share_past(bytes, 100'000), 0.97) << bytes;
  }
}

TEST(write_choice, follows_a_machine_that_changes) {
  writer of;
  of.write(4096, 20'000);
  for (int change = 0; change < 6; ++change) {
    of.rate = change % 2 == 0 ? std::array<double, 2>{3, 9} : std::array<double, 2>{20, 9};
    of.write(4096, 60'000);  // of some 25 microseconds for 256 KiB
    const double past = of.share_past(4096, 50'000);
    if (change % 2 == 0) EXPECT_GT(past, 0.95);
    else EXPECT_LT(past, 0.05);
  }
}

TEST(write_choice, a_turn_that_was_interrupted_changes_nothing) {
  writer of;
  of.write(4096, 20'000);
  std::size_t past = 0;
  for (int each = 0; each < 200; ++each) {
    of.nanoseconds += 1e6;
    of.count[1] = 0;
    of.write(4096, 500);
    past += of.count[1];
  }
  EXPECT_LT(past, 200 * 500 / 10);
}

TEST(write_choice, ways_that_are_alike_are_not_changed) {
  writer of;
  of.rate = {10, 11};
  of.write(4096, 20'000);
  EXPECT_LT(of.share_past(4096, 100'000), 0.13) << "a turn of nine";
}

TEST(write_choice, lengths_are_told_apart) {
  writer of;
  of.write(4096, 20'000);
  of.rate = {3, 9};
  of.write(32768, 20'000);
  of.rate = {20, 9};
  EXPECT_LT(of.share_past(4096, 1000), 0.3);
}

}  // namespace
