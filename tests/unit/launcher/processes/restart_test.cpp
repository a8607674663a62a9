#include "processes/restart.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using peal::launcher::restart;
using words = std::vector<std::string>;

TEST(restart, a_first_start_has_all_words_and_counts_from_0) {
  ::setenv("PEAL_RESTART", "7", 1);  // of a pealrun around this one
  ::setenv("PEALRUN_APPNUM", "7", 1);
  const restart first{words{"pealrun", "--restart", "3", "./program"}};
  EXPECT_EQ(first.count(), 0);
  EXPECT_EQ(first.arguments(), (words{"--restart", "3", "./program"}));
  EXPECT_STREQ(std::getenv("PEAL_RESTART"), "0");
  EXPECT_EQ(std::getenv("PEALRUN_APPNUM"), nullptr);
  EXPECT_EQ(first.name_of("peal-1-2-3-4"), "peal-1-2-3-4");
}

TEST(restart, a_later_start_has_its_number_and_a_name_of_its_own) {
  const restart later{words{"pealrun", "--started-again", "2", "--restart", "3", "./program"}};
  EXPECT_EQ(later.count(), 2);
  EXPECT_EQ(later.arguments(), (words{"--restart", "3", "./program"}));
  EXPECT_STREQ(std::getenv("PEAL_RESTART"), "2");
  EXPECT_EQ(later.name_of("peal-1-2-3-4"), "peal-1-2-3-4.2");
}

TEST(restart, takes_a_call_without_any_word) {
  const restart none{words{}};
  EXPECT_EQ(none.count(), 0);
  EXPECT_TRUE(none.arguments().empty());
}

}  // namespace
