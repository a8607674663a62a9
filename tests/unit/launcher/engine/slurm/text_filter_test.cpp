#include "engine/slurm/text_filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using peal::launcher::text_filter;

const std::string cancelled =
    "slurmstepd-n1: error: *** STEP 2.0 ON n1 CANCELLED AT 2026-11-26T19:58:05 ***\n";

std::string byte_by_byte(text_filter filter, const std::string& text) {
  std::string shown;
  for (const char each : text) shown += filter.pass({&each, 1});
  return shown + filter.rest();
}

TEST(text_filter, shows_a_prompt_at_once) {
  text_filter filter{false};
  EXPECT_EQ(filter.pass("name? "), "name? ");
  EXPECT_EQ(filter.pass("x\nsl"), "x\n") << "it may become a daemon's line";
  EXPECT_EQ(filter.pass("eep"), "sleep");
}

TEST(text_filter, drops_that_a_step_was_cancelled) {
  EXPECT_EQ(byte_by_byte(text_filter{false}, "a\n" + cancelled + "b\n"), "a\nb\n");
  EXPECT_EQ(byte_by_byte(text_filter{true}, "0: a\n1: " + cancelled + "0: b\n"), "0: a\n0: b\n");
}

TEST(text_filter, shows_every_other_line) {
  const std::string reason =
      "slurmstepd-n1: error: *** STEP 2.0 ON n1 CANCELLED AT 2026-11-26T19:58:05 DUE TO TIME LIMIT "
      "***\n";
  for (const std::string& each :
       {reason, std::string{"slurmstepd: error: execve(): x: No such file or directory\n"},
        "x" + cancelled, "slurmstepd " + std::string(1000, 'x') + "\n", std::string{"slurm"},
        std::string{"\n\n"}})
    EXPECT_EQ(byte_by_byte(text_filter{false}, each), each);
}

}  // namespace
