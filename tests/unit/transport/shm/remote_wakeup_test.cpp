#include "transport/shm/remote_wakeup.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace peal::shm::test {
namespace {

TEST(remote_wakeup, another_process_rings_by_the_address_and_only_the_right_pipe) {
  wakeup own;
  wakeup_address where = own.address();
  const pid_t child = fork();
  if (child == 0) {
    remote_wakeup rope;
    if (!rope.open(where)) _exit(1);
    rope.ring();
    ++where.inode;
    _exit(rope.open(where) ? 2 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  pollfd one{own.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&one, 1, 0), 1);
  own.clear();
  EXPECT_EQ(poll(&one, 1, 0), 0);
}

TEST(remote_wakeup, rings_for_a_pipe_that_is_gone_do_no_harm) {
  remote_wakeup rope;
  {
    wakeup own;
    ASSERT_TRUE(rope.open(own.address()));
  }
  for (int each = 0; each < 100'000; ++each) rope.ring();  // more than a pipe holds
}

}  // namespace
}  // namespace peal::shm::test
