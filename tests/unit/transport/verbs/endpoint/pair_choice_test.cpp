// How many queue pairs are found best on cards that are modelled here: what a byte takes over 1, 2,
// 4 and 8 of them, and how much that varies.
#include "transport/verbs/endpoint/pair_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

namespace {

using peal::verbs::pair_choice;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/// Reads of 1 MiB one behind the other, of which some are always under way.
struct model {
  std::array<double, 4> of;  // nanoseconds a byte
  double noise = 0;          // up to so much more or less, as a part
  pair_choice choice{1, 8};
  std::uint64_t now = 0;
  std::uint64_t state = 1;
  std::array<std::uint64_t, 4> moved{};  // bytes, over so many

  double random() {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
  }
  void stream(std::uint64_t bytes) {
    choice.begin(now);
    for (; bytes >= mib; bytes -= mib) {
      const auto at = static_cast<std::size_t>(std::countr_zero(choice.count()));
      moved[at] += mib;
      now += static_cast<std::uint64_t>(of[at] * static_cast<double>(mib) * (1 + noise * random()));
      if (choice.moved(mib)) choice.look(now, 4 * mib);
    }
    choice.end(now);
  }
};

TEST(pair_choice, as_many_as_there_are_processing_units_are_found) {
  model card{{3, 1.5, 1, 1}};
  EXPECT_EQ(card.choice.count(), 1u);
  card.stream(300 * mib);
  EXPECT_EQ(card.choice.count(), 4u);
  EXPECT_EQ(card.choice.changes(), 2u);
}

TEST(pair_choice, more_than_help_are_not_taken) {
  model card{{1, 1, 1, 1}};
  card.stream(1000 * mib);
  EXPECT_EQ(card.choice.count(), 1u);
  model worse{{1, 1.2, 1.5, 3}};
  worse.stream(1000 * mib);
  EXPECT_EQ(worse.choice.count(), 1u);
  EXPECT_LT(worse.moved[3], 40 * mib) << "a trial that is far slower ends early";
}

/// Where two pairs share a unit, only four bring anything.
TEST(pair_choice, a_number_that_brings_nothing_does_not_hide_the_next_one) {
  model card{{3, 3, 1, 1}};
  card.stream(300 * mib);
  EXPECT_EQ(card.choice.count(), 4u);
}

TEST(pair_choice, a_card_that_changes_is_followed) {
  model card{{3, 1.5, 1, 1}};
  card.stream(1000 * mib);
  ASSERT_EQ(card.choice.count(), 4u);
  card.of = {1, 1.5, 2, 4};
  card.stream(20'000 * mib);
  EXPECT_EQ(card.choice.count(), 1u);
}

TEST(pair_choice, noise_alone_changes_it_seldom) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    model card{{1, 1, 1, 1}, 0.8};
    card.state = seed * 0x9e3779b97f4a7c15;
    card.stream(100'000 * mib);
    EXPECT_LE(card.choice.changes(), 8u) << "in 100 GiB, with seed " << seed;
  }
}

TEST(pair_choice, a_gain_is_found_in_spite_of_noise) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    model card{{3, 1.5, 1, 1}, 0.5};
    card.state = seed * 0x9e3779b97f4a7c15;
    card.stream(20'000 * mib);
    EXPECT_GE(card.choice.count(), 4u) << "with seed " << seed;
    EXPECT_LT(static_cast<double>(card.moved[0] + card.moved[1]), 0.1 * 20'000 * mib);
  }
}

/// Nothing is measured while nothing is under way.
TEST(pair_choice, pauses_do_not_count) {
  model card{{3, 1.5, 1, 1}};
  for (int turn = 0; turn < 300; ++turn) {
    card.stream(mib);
    card.now += static_cast<std::uint64_t>(turn % 7) * 1'000'000;
  }
  EXPECT_EQ(card.choice.count(), 4u);
}

TEST(pair_choice, a_number_that_cannot_be_had_is_given_up) {
  pair_choice choice{1, 8};
  choice.begin(0);
  ASSERT_TRUE(choice.moved(4 * mib));
  choice.look(1000, 0);
  for (int turn = 0; turn < 10 && choice.count() == 1; ++turn)
    if (choice.moved(4 * mib)) choice.look(2000, 0);
  ASSERT_EQ(choice.count(), 2u);
  for (int turn = 0; turn < 100; ++turn) choice.spoil();
  EXPECT_EQ(choice.count(), 1u);
  EXPECT_FALSE(choice.tries());
}

TEST(pair_choice, what_the_user_set_stays) {
  pair_choice choice{3, 3};
  choice.begin(0);
  for (int turn = 0; turn < 1000; ++turn) EXPECT_FALSE(choice.moved(64 * mib));
  EXPECT_EQ(choice.count(), 3u);
}

}  // namespace
