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
  int window = 1;     // payloads that are announced before the writer waits until all are there
  int questions = 3;  // for each payload, as a sender asks on its shortest way and on others
  int cold = 0;       // announcements behind others that take 30 us longer
  double nanoseconds = 1, announced = 0;
  std::uint32_t open = 0;
  int row = 0;  // of announcements
  std::array<std::size_t, write_choice::ways> count{};

  void write(std::size_t bytes, int times) {
    const auto now = [this] {
      return write_choice::clock::time_point{
          std::chrono::nanoseconds{static_cast<std::int64_t>(nanoseconds)}};
    };
    for (int each = 0; each < times; ++each) {
      bool announces = false;
      for (int question = 0; question < questions; ++question)
        announces = choice.is_to_announce(bytes, open, now);
      const way taken = announces ? way::announced : choice.take(bytes, now);
      EXPECT_EQ(announces, taken == way::announced);
      EXPECT_EQ(announces, choice.announces(bytes));
      ++count[static_cast<std::size_t>(taken)];
      const double takes = static_cast<double>(bytes) / rate[static_cast<std::size_t>(taken)];
      if (announces) {
        choice.take_announced(bytes);
        announced += takes;
        ++open;
        if (row++ < cold) announced += 30e3;
      } else {
        row = 0;
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

TEST(write_choice, the_first_announcements_behind_others_decide_nothing) {
  writer of;
  of.rate = {2.9, 2.4, 3.3};
  of.cold = 4;
  of.write(16384, 5'000);
  EXPECT_GT(of.share(way::announced, 16384, 5'000), 0.9);
}

// A sender asks up to three times for each payload. While each question counted as a payload, a
// turn of announcements looked three times as fast. Without the payloads that are still open it
// looked 40 times as fast.
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
  of.rate = {10, 10.3, 10.3};
  of.write(4096, 20'000);
  EXPECT_LT(of.share(way::past_caches, 4096, 100'000), 0.13) << "a turn of nine";
  of.write(16384, 20'000);
  EXPECT_GT(of.share(way::through_caches, 16384, 100'000), 0.75) << "two of ten";
}

TEST(write_choice, what_is_a_little_faster_again_and_again_is_taken) {
  writer of;
  of.rate = {10, 9, 10.8};
  of.write(16384, 20'000);
  EXPECT_GT(of.share(way::announced, 16384, 50'000), 0.9);
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
