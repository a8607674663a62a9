#include "hang/stacks.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

TEST(stacks, frames_are_taken_from_what_a_debugger_writes) {
  const auto lines = read_stack(
      "[New LWP 12]\n#0  compute () at loop.c:12\n#1  0x1 in main () at loop.c:20\nwarning: x\n");
  EXPECT_EQ(lines, (std::vector<std::string>{"#0  compute () at loop.c:12",
                                             "#1  0x1 in main () at loop.c:20"}));
  EXPECT_TRUE(read_stack("ptrace: Operation not permitted.\n").empty());
}

}  // namespace
}  // namespace peal::launcher
