#include "comm/start/fork_guard.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace peal::test {
namespace {

TEST(fork_guard, a_child_knows_that_it_is_one) {
  watch_forks([] {});
  watch_forks([] {});
  EXPECT_FALSE(forked_child());
  const pid_t child = fork();
  if (child == 0) _exit(forked_child() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_FALSE(forked_child());
}

}  // namespace
}  // namespace peal::test
