#include "bootstrap/deaths.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(deaths, are_kept_once_each_and_only_those_of_the_job) {
  peal::begin_to_hear("mine");
  int told = 0;
  peal::deaths().tell = [&] { ++told; };
  EXPECT_FALSE(peal::somebody_died());
  peal::note_death("another", {4});
  EXPECT_FALSE(peal::somebody_died());
  peal::note_death("mine", {4});
  peal::note_death("mine", {4});
  peal::note_death("mine", {2, peal::failure_cause::left});
  EXPECT_TRUE(peal::somebody_died());
  EXPECT_EQ(told, 2);
  const auto& told_of = peal::deaths().not_fetched;
  ASSERT_EQ(told_of.size(), 2u);
  EXPECT_EQ((std::vector<int>{told_of[0].rank, told_of[1].rank}), (std::vector<int>{4, 2}));
  EXPECT_EQ(told_of[1].why, peal::failure_cause::left);
  peal::begin_to_hear("the next");
  EXPECT_FALSE(peal::somebody_died());
  peal::deaths().tell = nullptr;
}

TEST(deaths, reports_are_no_deaths_and_only_those_of_the_job) {
  peal::begin_to_hear("mine");
  int told = 0;
  peal::deaths().tell = [&] { ++told; };
  peal::note_report("another", {1, 4});
  EXPECT_FALSE(peal::deaths().reported);
  peal::note_report("mine", {1, 4});
  EXPECT_EQ(told, 1) << "somebody may sleep";
  EXPECT_TRUE(peal::deaths().reported);
  ASSERT_EQ(peal::deaths().reports.size(), 1u);
  EXPECT_EQ(peal::deaths().reports[0].by, 1);
  EXPECT_EQ(peal::deaths().reports[0].peer, 4);
  EXPECT_FALSE(peal::somebody_died());
  EXPECT_FALSE(peal::deaths().filled);
  peal::begin_to_hear("the next");
  EXPECT_TRUE(peal::deaths().reports.empty());
  EXPECT_FALSE(peal::deaths().reported);
  peal::deaths().tell = nullptr;
}

}  // namespace
