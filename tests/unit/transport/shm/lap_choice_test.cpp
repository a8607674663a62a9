// Whether messages go round all of a box's data ring or few lines of it, by a clock of the test.
#include "transport/shm/lap_choice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace peal::test {
namespace {

using shm::lap_choice;

/// A sender whose messages take so long, a unit, where they go round the whole ring and few lines.
struct answered_sender {
  std::chrono::nanoseconds whole{10}, few{10};
  lap_choice choice;
  lap_choice::clock::time_point now{};
  bool by_few = false;
  int changes = 0;
  std::uint64_t written = 0, written_by_few = 0;

  static constexpr std::uint32_t stretch = 128;

  void write_stretch() {
    now += stretch * (by_few ? few : whole);
    written += stretch;
    if (by_few) written_by_few += stretch;
    const bool ends = choice.ends_early(stretch, [this] { return now; });
    changes += ends != by_few;
    by_few = ends;
  }
  void write_periods(std::uint32_t periods) {
    for (std::uint32_t each = 0; each < periods * (lap_choice::period_units / stretch); ++each)
      write_stretch();
  }
  /// The part that went by few lines of what is written in so many periods.
  double part_by_few(std::uint32_t periods) {
    written = written_by_few = 0;
    write_periods(periods);
    return static_cast<double>(written_by_few) / static_cast<double>(written);
  }
};

/// Until the first trial has been judged.
constexpr std::uint32_t first_trial = lap_choice::least_between + lap_choice::compared + 2;

TEST(lap_choice, takes_the_faster_way) {
  answered_sender gains, loses;
  gains.few = std::chrono::nanoseconds{9};
  loses.few = std::chrono::nanoseconds{12};
  for (answered_sender* each : {&gains, &loses}) each->write_periods(first_trial);
  EXPECT_GT(gains.part_by_few(2000), 0.95);
  EXPECT_LT(loses.part_by_few(2000), 0.05);
}

TEST(lap_choice, goes_round_the_whole_ring_where_there_is_no_difference) {
  answered_sender one;
  EXPECT_LT(one.part_by_few(2000), 0.05);
  EXPECT_GT(one.changes, 0) << "never tried";
}

TEST(lap_choice, follows_a_change) {
  answered_sender one;
  one.few = std::chrono::nanoseconds{12};
  one.write_periods(500);
  one.few = std::chrono::nanoseconds{8};
  one.write_periods(lap_choice::most_between + lap_choice::compared + 2);
  EXPECT_GT(one.part_by_few(500), 0.9);
  one.few = std::chrono::nanoseconds{12};
  one.write_periods(lap_choice::most_between + lap_choice::compared + 2);
  EXPECT_LT(one.part_by_few(500), 0.1);
}

// The first one behind a change uses lines that lie where the other way has left them.
TEST(lap_choice, compares_the_best_of_some_periods) {
  answered_sender one;
  one.few = std::chrono::nanoseconds{9};
  for (int each = 0; each < 20'000; ++each) {
    const int changes = one.changes;
    one.write_stretch();
    if (one.changes != changes) one.now += std::chrono::milliseconds{1};
  }
  EXPECT_GT(one.part_by_few(500), 0.9);
}

TEST(lap_choice, leaves_out_what_is_disturbed) {
  answered_sender one;
  one.few = std::chrono::nanoseconds{12};
  // A pause and something else, a little later than each period by the whole ring is over.
  const std::uint32_t period = lap_choice::period_units / one.stretch;
  for (std::uint32_t each = 1; each < 20'000; ++each) {
    one.write_stretch();
    if (each % (period + 1) > 0) continue;
    if (!one.by_few) one.now += std::chrono::milliseconds{1};
    one.choice.disturb();
  }
  EXPECT_LT(one.part_by_few(500), 0.1);
}

}  // namespace
}  // namespace peal::test
