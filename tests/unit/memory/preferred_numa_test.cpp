#include "memory/preferred_numa.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace {

using peal::preferred_numa;

/// The calling thread's policy: its mode, and the first nodes that it names.
struct policy {
  int mode = -1;
  unsigned long nodes = 0;
};
policy current() {
  policy found;
  unsigned long mask[1024 / 64] = {};
  if (::syscall(SYS_get_mempolicy, &found.mode, mask, 1025UL, nullptr, 0UL) != 0) return {};
  found.nodes = mask[0];
  return found;
}
bool choose(int mode, unsigned long nodes) {
  return ::syscall(SYS_set_mempolicy, mode, mode == MPOL_DEFAULT ? nullptr : &nodes,
                   mode == MPOL_DEFAULT ? 0UL : 65UL) == 0;
}
int own_node() {
  unsigned cpu = 0, node = 0;
  return ::getcpu(&cpu, &node) == 0 ? static_cast<int>(node) : 0;
}

/// In a thread, whose policy is its own.
template <class Body>
void in_thread(Body body) {
  std::thread{body}.join();
}

class numa_policy : public testing::Test {
 protected:
  void SetUp() override {
    bool allowed = false;
    in_thread([&] { allowed = current().mode >= 0 && choose(MPOL_PREFERRED, 1UL << own_node()); });
    if (!allowed)
      GTEST_SKIP() << "needs set_mempolicy: no container that forbids it (docker run "
                      "--cap-add=SYS_NICE)";
  }
};

TEST_F(numa_policy, holds_while_it_lives) {
  in_thread([] {
    const int node = own_node();
    {
      const preferred_numa here{node};
      EXPECT_EQ(current().mode, MPOL_PREFERRED);
      EXPECT_EQ(current().nodes, 1UL << node);
    }
    EXPECT_EQ(current().mode, MPOL_DEFAULT);
    const preferred_numa none{preferred_numa::nearest};
    EXPECT_EQ(current().mode, MPOL_DEFAULT);
  });
}

TEST_F(numa_policy, of_a_node_that_is_not_there_is_none) {
  in_thread([] {
    for (const int each : {1000, 1023, 1024, 0xffff, -7}) {
      const preferred_numa nowhere{each};
      EXPECT_EQ(current().mode, MPOL_DEFAULT) << each;
    }
    EXPECT_EQ(current().mode, MPOL_DEFAULT);
  });
}

TEST_F(numa_policy, leaves_what_the_user_has_chosen) {
  in_thread([] {
    const unsigned long here = 1UL << own_node();
    ASSERT_TRUE(choose(MPOL_BIND, here));
    {
      const preferred_numa other{own_node()};
      EXPECT_EQ(current().mode, MPOL_BIND);
    }
    EXPECT_EQ(current().mode, MPOL_BIND);
    EXPECT_EQ(current().nodes, here);
  });
}

}  // namespace
