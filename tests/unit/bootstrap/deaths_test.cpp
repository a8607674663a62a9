#include "bootstrap/deaths.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(deaths, are_kept_once_each_and_only_those_of_the_job) {
  peal::begin_to_hear("mine");
  int told = 0;
  peal::deaths().tell = [&] { ++told; };
  EXPECT_FALSE(peal::somebody_died());
  peal::note_death("another", 4);
  EXPECT_FALSE(peal::somebody_died());
  peal::note_death("mine", 4);
  peal::note_death("mine", 4);
  peal::note_death("mine", 2);
  EXPECT_TRUE(peal::somebody_died());
  EXPECT_EQ(told, 2);
  EXPECT_EQ(peal::deaths().not_fetched, (std::vector<int>{4, 2}));
  peal::begin_to_hear("the next");
  EXPECT_FALSE(peal::somebody_died());
  peal::deaths().tell = nullptr;
}

}  // namespace
