#include "transport/shm/write_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace {

using peal::shm::write_choice;
using way = write_choice::way;

/// A writer whose payloads take as long as is said, in each way.
struct writer {
  explicit writer(bool has_past = true) : choice{has_past} {}

  write_choice choice;
  std::array<double, write_choice::ways> rate{20, 5, 2};  // bytes a nanosecond
  int window = 1;         // payloads that are announced before the writer waits until all are there
  int ring_made_at = -1;  // announcements before the one that takes 5 ms longer
  double nanoseconds = 1, announced = 0;
  std::uint32_t open = 0;
  std::array<std::size_t, write_choice::ways> count{};

  void write(std::size_t bytes, int times) {
    const auto now = [this] {
      return write_choice::clock::time_point{
          std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)}};
    };
    for (int each = 0; each < times; ++each) {
      const bool announces = choice.take_if_announced(bytes, open, now);
      const way taken = announces ? way::announced : choice.take(bytes, now);
      EXPECT_EQ(announces, taken == way::announced);
      EXPECT_EQ(announces, choice.announces(bytes));
      ++count[static_cast<std::size_t>(taken)];
      const double takes = static_cast<double>(bytes) / rate[static_cast<std::size_t>(taken)];
      if (announces) {
        announced += takes;
        ++open;
        if (ring_made_at-- == 0) announced += 5e6;
      } else {
        nanoseconds += takes;
      }
      if (each % window < window - 1) continue;
      nanoseconds += announced;
      announced = 0;
      open = 0;
    }
  }
  /// Of so many that are written now, those that go in that way.
  double share(way which, std::size_t bytes, int times) {
    count = {};
    write(bytes, times);
    return static_cast<double>(count[static_cast<std::size_t>(which)]) / times;
  }
};

constexpr std::array<std::size_t, 3> all_lengths{4096, 8192, 32768};

TEST(write_choice, ends_with_the_way_that_is_the_fastest) {
  for (const std::size_t bytes : all_lengths) {
    writer through;
    through.write(bytes, 40'000);
    EXPECT_GT(through.share(way::through_caches, bytes, 200'000), 0.97) << bytes;
    writer past;
    past.rate = {3, 9, 2};
    past.write(bytes, 40'000);
    EXPECT_GT(past.share(way::past_caches, bytes, 200'000), 0.95) << bytes;
  }
}

TEST(write_choice, announces_long_payloads_where_that_is_faster) {
  for (const std::size_t bytes : {std::size_t{8193}, std::size_t{16384}, std::size_t{32768}}) {
    writer of;
    of.rate = {3, 5, 9};
    of.write(bytes, 40'000);
    EXPECT_GT(of.share(way::announced, bytes, 200'000), 0.95) << bytes;
  }
  writer of;
  of.rate = {3, 5, 9};
  EXPECT_EQ(of.share(way::announced, 8192, 200'000), 0);
}

// Without the payloads that are still open a turn of announcements looked 40 times as fast.
TEST(write_choice, the_trial_in_which_a_ring_is_made_decides_nothing) {
  for (const int announcements_before : {-1, 5, 20, 40}) {
    writer of;
    of.rate = {2.9, 2.4, 4.5};
    of.ring_made_at = announcements_before;
    of.write(16384, 5'000);
    EXPECT_GT(of.share(way::announced, 16384, 5'000), 0.9) << announcements_before;
  }
}

TEST(write_choice, a_turn_of_announcements_counts_until_the_payloads_are_there) {
  for (const int window : {1, 16, 64, 200}) {
    writer of;
    of.rate = {20, 5, 10};
    of.window = window;
    of.write(16384, 40'000);
    EXPECT_LT(of.share(way::announced, 16384, 200'000), 0.1) << window;
    of.rate = {5, 4, 10};
    of.write(16384, 40'000);
    EXPECT_GT(of.share(way::announced, 16384, 200'000), 0.9) << window;
  }
}

TEST(write_choice, a_turn_ends_although_some_payload_is_always_open) {
  writer of;
  of.rate = {5, 4, 10};
  of.window = 1'000'000;
  of.write(16384, 100'000);
  EXPECT_GT(of.count[0], 100U) << "other ways are tried";
}

TEST(write_choice, follows_a_machine_that_changes) {
  writer of;
  of.write(4096, 20'000);
  for (int change = 0; change < 6; ++change) {
    if (change % 2 == 0) of.rate = {3, 9, 2};
    else of.rate = {20, 9, 2};
    of.write(4096, 60'000);  // of some 25 microseconds for 256 KiB
    const double past = of.share(way::past_caches, 4096, 50'000);
    if (change % 2 == 0) EXPECT_GT(past, 0.95);
    else EXPECT_LT(past, 0.05);
  }
}

// The known rate followed the slow turns at once, so that no turn but the first looked slow.
TEST(write_choice, a_sudden_change_is_found_within_some_turns) {
  writer of;
  of.rate = {20, 9, 8};
  of.write(32768, 20'000);
  of.rate = {2, 9, 8};
  of.write(32768, 10 * 32);
  EXPECT_GT(of.share(way::past_caches, 32768, 2 * 32), 0.4);
}

TEST(write_choice, a_turn_that_was_interrupted_changes_nothing) {
  writer of;
  of.write(4096, 20'000);
  std::size_t past = 0;
  for (int each = 0; each < 200; ++each) {
    of.nanoseconds += 1e6;
    of.count = {};
    of.write(4096, 500);
    past += of.count[1];
  }
  EXPECT_LT(past, 200 * 500 / 10);
}

TEST(write_choice, ways_that_are_alike_are_not_changed) {
  writer of;
  of.rate = {10, 11, 11};
  of.write(4096, 20'000);
  EXPECT_LT(of.share(way::past_caches, 4096, 100'000), 0.13) << "a turn of nine";
  of.write(16384, 20'000);
  EXPECT_GT(of.share(way::through_caches, 16384, 100'000), 0.75) << "two of ten";
}

TEST(write_choice, lengths_are_told_apart) {
  writer of;
  of.write(4096, 20'000);
  of.rate = {3, 9, 2};
  of.write(32768, 20'000);
  of.rate = {20, 9, 2};
  EXPECT_LT(of.share(way::past_caches, 4096, 1000), 0.3);
}

TEST(write_choice, a_processor_that_cannot_does_not) {
  writer of{false};
  of.rate = {3, 9, 5};
  EXPECT_EQ(of.share(way::past_caches, 16384, 100'000), 0);
  EXPECT_EQ(of.share(way::past_caches, 4096, 100'000), 0);
  EXPECT_GT(of.share(way::announced, 16384, 100'000), 0.9);
}

}  // namespace
