#include "transport/shm/bulk/copy_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace {

using namespace peal;
using namespace peal::shm;

/// A machine on which each way takes so many nanoseconds a KiB, and a process that chooses.
struct modelled {
  copy_rates& rates;
  std::array<double, 3> cost;  // alone, together, staged
  buffers between = buffers::separate;
  span apart = span::cache;
  double large = 1.2;  // times what staged takes: in large pieces
  copy_choice choice{rates};
  std::array<int, copy_rates::ways> taken{};

  [[nodiscard]] double cost_of(way how) const {
    return how == way::staged_large ? large * cost[static_cast<std::size_t>(way::staged)]
                                    : cost[static_cast<std::size_t>(how)];
  }

  way one(std::size_t bytes, double factor = 1) {
    return one_beside(bytes, [=](way) { return factor; });
  }
  /// `factor_of(way)`: how many times as long it takes.
  template <class Factor>
  way one_beside(std::size_t bytes, Factor factor_of) {
    const copy_choice::answer how = choice.choose(between, apart, bytes);
    const auto which = static_cast<std::size_t>(how.how);
    ++taken[which];
    if (how.measure)
      choice.note(how.cell, how.how, bytes,
                  static_cast<std::uint64_t>(cost_of(how.how) * factor_of(how.how) *
                                             static_cast<double>(bytes) / 1024));
    if (how.trial) choice.trial_ended(how.cell);
    return how.how;
  }
  /// A window of receives: all are chosen before the first has arrived, and one behind another way
  /// is not measured, nor one of which `says_something(way)` is false.
  template <class Says>
  void window(std::size_t bytes, Says says_something) {
    std::array<copy_choice::answer, 64> chosen;
    for (auto& each : chosen) each = choice.choose(between, apart, bytes);
    const copy_choice::answer* before = nullptr;
    for (const auto& each : chosen) {
      const auto which = static_cast<std::size_t>(each.how);
      ++taken[which];
      if (each.measure && says_something(each.how) && before != nullptr && before->how == each.how)
        choice.note(
            each.cell, each.how, bytes,
            static_cast<std::uint64_t>(cost_of(each.how) * static_cast<double>(bytes) / 1024));
      if (each.trial) choice.trial_ended(each.cell);
      before = &each;
    }
  }
  /// How many of `count` payloads went that way.
  int many(int count, std::size_t bytes, way which) {
    taken = {};
    for (int each = 0; each < count; ++each) one(bytes);
    return taken[static_cast<std::size_t>(which)];
  }
};

constexpr std::size_t lengths[] = {copy_choice::longest_alone + 1,
                                   40'000,
                                   64 << 10,
                                   (64 << 10) + 1,
                                   256 << 10,
                                   1 << 20,
                                   4 << 20,
                                   16 << 20,
                                   100 << 20};

TEST(copy_choice, begins_with_the_usual_way) {
  for (const std::size_t bytes : lengths) {
    const auto rates = std::make_unique<copy_rates>();
    modelled own{*rates, {10, 10, 10}};
    EXPECT_EQ(own.many(10, bytes, way::staged), 10) << bytes;
  }
  const auto rates = std::make_unique<copy_rates>();
  modelled shared{*rates, {10, 10, 10}, buffers::source_shared};
  EXPECT_EQ(shared.many(10, 1 << 20, way::together), 10);
}

TEST(copy_choice, ends_with_the_fastest_way) {
  for (const std::size_t bytes : lengths)
    for (const way fastest : {way::alone, way::together, way::staged})
      for (const double slow : {30.0, 90.0, 500.0}) {
        const auto rates = std::make_unique<copy_rates>();
        modelled own{*rates, {slow, slow, slow}};
        own.cost[static_cast<std::size_t>(fastest)] = 20;
        own.many(100, bytes, fastest);
        EXPECT_GE(own.many(1000, bytes, fastest), 970) << bytes << ", slow " << slow;
      }
}

// What a program loses by trials, of which it knows nothing.
TEST(copy_choice, costs_little_where_the_usual_way_is_the_fastest) {
  for (const std::size_t bytes : lengths)
    for (const double slow : {25.0, 60.0, 150.0, 600.0}) {
      const auto rates = std::make_unique<copy_rates>();
      modelled own{*rates, {slow, slow, slow}};
      own.cost[static_cast<std::size_t>(way::staged)] = 20;
      double took = 0;
      for (int each = 0; each < 1000; ++each) took += own.cost_of(own.one(bytes));
      // The first trials of three ways, two payloads each, and a hundredth for each way later.
      EXPECT_LE(took, 20 * 1000 * 1.03 + 4 * (slow - 20)) << bytes << ", slow " << slow;
    }
}

TEST(copy_choice, takes_no_way_that_the_buffers_do_not_have) {
  for (const buffers between : {buffers::source_shared, buffers::destination_shared}) {
    const auto rates = std::make_unique<copy_rates>();
    modelled own{*rates, {20, 10, 1}, between};
    own.many(3000, 1 << 20, way::staged);
    EXPECT_EQ(own.taken[static_cast<std::size_t>(way::staged)], 0);
    EXPECT_GT(own.taken[static_cast<std::size_t>(way::together)], 2700);
  }
  const auto rates = std::make_unique<copy_rates>();
  modelled joined{*rates, {10, 1, 20}, buffers::absorbed};
  joined.many(3000, 1 << 20, way::alone);
  EXPECT_EQ(joined.taken[static_cast<std::size_t>(way::together)], 0);
  EXPECT_GT(joined.taken[static_cast<std::size_t>(way::alone)], 2700);
}

TEST(copy_choice, takes_large_pieces_where_they_are_faster) {
  const auto of = [](std::size_t bytes, double large, buffers between) {
    const auto rates = std::make_unique<copy_rates>();
    modelled own{*rates, {40, 60, 20}, between};
    own.large = large;
    own.many(300, bytes, way::staged_large);
    return own.many(1000, bytes, way::staged_large);
  };
  for (const buffers between : {buffers::separate, buffers::absorbed}) {
    EXPECT_GT(of(1 << 20, .9, between), 960);
    EXPECT_GT(of(100 << 20, .9, between), 960);
    EXPECT_LT(of(1 << 20, 1.1, between), 40);
    EXPECT_EQ(of(512 << 10, .5, between), 0) << "it has none";
  }
  EXPECT_EQ(of(1 << 20, .5, buffers::source_shared), 0);
}

TEST(copy_choice, follows_a_change) {
  constexpr std::size_t bytes = 1 << 20;
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {40, 60, 30}};
  EXPECT_GT(own.many(3000, bytes, way::staged), 2800);
  own.cost = {40, 60, 300};  // the way that it takes gets slow
  own.many(100, bytes, way::alone);
  EXPECT_GT(own.many(1000, bytes, way::alone), 930);
  own.cost = {40, 10, 300};  // another one gets fast
  own.many(1000, bytes, way::together);
  EXPECT_GT(own.many(1000, bytes, way::together), 930);
  own.cost = {5, 10, 300};
  own.many(1000, bytes, way::alone);
  EXPECT_GT(own.many(1000, bytes, way::alone), 930);
}

// A process that lost its core in the middle of one payload in eight, for a hundred times as long.
TEST(copy_choice, is_not_turned_by_interruptions) {
  constexpr std::size_t bytes = 1 << 20;
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {40, 60, 20}};
  own.many(500, bytes, way::staged);
  own.taken = {};
  for (int each = 0; each < 2000; ++each) own.one(bytes, each % 8 == 0 ? 100 : 1);
  EXPECT_GT(own.taken[static_cast<std::size_t>(way::staged)], 1800);
}

TEST(copy_choice, tries_a_far_slower_way_rarely) {
  constexpr std::size_t bytes = 1 << 20;
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {2000, 20, 20}};
  own.many(1000, bytes, way::together);
  EXPECT_LE(own.many(20'000, bytes, way::alone), 12);
}

TEST(copy_choice, of_one_process_serves_the_others) {
  constexpr std::size_t bytes = 1 << 20;
  const auto rates = std::make_unique<copy_rates>();
  modelled first{*rates, {20, 40, 60}}, second{*rates, {20, 40, 60}};
  first.many(300, bytes, way::alone);
  EXPECT_EQ(second.one(bytes), way::alone) << "at once";
  // Both learn at a time.
  const auto others = std::make_unique<copy_rates>();
  modelled third{*others, {40, 20, 60}}, fourth{*others, {40, 20, 60}};
  for (int each = 0; each < 300; ++each) third.one(bytes), fourth.one(bytes);
  EXPECT_GT(third.many(300, bytes, way::together), 270);
  EXPECT_GT(fourth.many(300, bytes, way::together), 270);
}

// The first payloads of a way find nothing in the caches.
TEST(copy_choice, goes_on_with_a_trial_that_gets_quicker) {
  constexpr std::size_t bytes = 1 << 20;
  constexpr std::array<double, 4> cold{4, 3, 2, 1};
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {200, 15, 20}};
  std::size_t in_a_row = 0;
  for (int each = 0; each < 2000; ++each) {
    const way went = own.one_beside(bytes, [&](way how) {
      return how == way::together ? cold[std::min(in_a_row, cold.size() - 1)] : 1;
    });
    in_a_row = went == way::together ? in_a_row + 1 : 0;
    if (each == 1000) own.taken = {};
  }
  EXPECT_GT(own.taken[static_cast<std::size_t>(way::together)], 950);
}

// Caches make a way slow for a process that goes it alone: what the others do is not in them.
TEST(copy_choice, says_when_it_has_tried_all_ways) {
  for (const std::size_t bytes : lengths) {
    const auto rates = std::make_unique<copy_rates>();
    modelled own{*rates, {20, 60, 50}};
    EXPECT_FALSE(own.choice.choose(own.between, own.apart, bytes).settled) << bytes;
    own.many(300, bytes, way::alone);
    int settled = 0;
    for (int each = 0; each < 1000; ++each) {
      const copy_choice::answer made = own.choice.choose(own.between, own.apart, bytes);
      EXPECT_FALSE(made.settled && made.trial);
      settled += made.settled ? 1 : 0;
      if (made.trial) own.choice.trial_ended(made.cell);
    }
    EXPECT_GT(settled, 900) << bytes;
  }
}

TEST(copy_choice, finds_a_way_that_is_fast_where_all_go_it) {
  constexpr std::size_t bytes = 1 << 20;
  const auto rates = std::make_unique<copy_rates>();
  modelled first{*rates, {130, 70, 50}}, second{*rates, {130, 70, 50}};
  std::array<way, 2> went{};
  const auto exchange = [&](int count) {
    int both_staged = 0;
    for (int each = 0; each < count; ++each) {
      // A way that the other one did not go takes twice as long, but for both sides' pieces.
      const auto slower = [&](way own, way other) {
        return own == other || own == way::together ? 1.0 : 2.0;
      };
      went[0] = first.one_beside(bytes, [&](way own) { return slower(own, went[1]); });
      went[1] = second.one_beside(bytes, [&](way own) { return slower(own, went[0]); });
      both_staged += went[0] == way::staged && went[1] == way::staged ? 1 : 0;
    }
    return both_staged;
  };
  exchange(1000);
  EXPECT_GT(exchange(1000), 950);
  first.cost[2] = second.cost[2] = 90;  // for some time
  exchange(1000);
  EXPECT_LT(exchange(1000), 50);
  first.cost[2] = second.cost[2] = 50;
  exchange(2000);
  EXPECT_GT(exchange(1000), 950);
}

TEST(copy_choice, learns_for_each_distance_and_each_length) {
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {20, 40, 60}};
  own.many(300, 1 << 20, way::alone);
  EXPECT_EQ(own.one(1 << 20), way::alone);
  EXPECT_EQ(own.one(64 << 10), way::staged) << "another length";
  for (const span other : {span::numa, span::socket, span::machine}) {
    own.apart = other;
    EXPECT_EQ(own.one(1 << 20), way::staged) << "another distance";
  }
}

TEST(copy_choice, tries_a_few_payloads_of_a_window_only) {
  for (const std::size_t bytes : lengths) {
    const auto rates = std::make_unique<copy_rates>();
    modelled own{*rates, {90, 90, 90}};
    own.cost[static_cast<std::size_t>(way::staged)] = 20;
    own.large = 4.5;
    for (int round = 0; round < 30; ++round) own.window(bytes, [](way) { return true; });
    const int others = 30 * 64 - own.taken[static_cast<std::size_t>(way::staged)];
    const bool has_large = bytes > copy_choice::longest_in_usual_pieces;
    EXPECT_LE(others, has_large ? 36 : 24) << bytes << ", 12 of each way";
    EXPECT_GE(others, 4) << bytes;
  }
}

// Payloads of a first lap say nothing, and a window has few that are tried.
TEST(copy_choice, makes_a_ring_within_some_windows) {
  constexpr int lap = 256;
  const auto rates = std::make_unique<copy_rates>();
  modelled own{*rates, {20, 20, 5}};
  const int& staged = own.taken[static_cast<std::size_t>(way::staged)];
  for (int round = 0; round < 30; ++round)
    own.window(8192, [&](way how) { return how != way::staged || staged > lap; });
  EXPECT_GT(staged, 10 * 64 + lap);
}

TEST(copy_choice, goes_on_where_nothing_can_be_measured) {
  const auto rates = std::make_unique<copy_rates>();
  copy_choice choice{*rates};
  int usual = 0;
  for (int each = 0; each < 4000; ++each)
    usual += choice.choose(buffers::separate, span::cache, 1 << 20).how == way::staged;
  EXPECT_GT(usual, 3000);
}

}  // namespace
