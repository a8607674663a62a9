#include "shown/tool.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

TEST(tool, what_a_program_writes_is_returned) {
  const std::string shell = find_tool("sh");
  ASSERT_FALSE(shell.empty());
  EXPECT_EQ(run_tool({shell, "-c", "echo one; echo lost >&2; cat; echo two"}, 600), "one\ntwo\n");
}

TEST(tool, one_that_takes_too_long_is_killed) {
  EXPECT_EQ(run_tool({find_tool("sleep"), "1000"}, 0.05), std::nullopt);
}

TEST(tool, one_that_is_not_there_gives_nothing) {
  EXPECT_EQ(find_tool("no-such-tool-anywhere"), "");
  EXPECT_EQ(run_tool({"/no/such/tool"}, 600), std::nullopt);
}

}  // namespace
}  // namespace peal::launcher
