// Copies by the kernel, into and out of the memory of a process of this node.
#include "transport/shm/bulk/direct_copy.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

std::uint64_t address_of(const std::vector<int>& of) {
  return reinterpret_cast<std::uint64_t>(of.data());
}

TEST(shm_direct_copy, reads_and_writes_where_the_kernel_lets_it) {
  shm_node node{{}};
  shm::direct_copy of{*node[0].segment, true};
  if (!of.reaches(1))
    GTEST_SKIP() << "needs process_vm_readv: no container that forbids it (docker run "
                    "--cap-add=SYS_PTRACE)";
  const std::vector<int> source{1, 2, 3, 4};
  std::vector<int> target(4);
  EXPECT_EQ(of.read(1, address_of(source), target.data(), sizeof(int) * 4), 0);
  EXPECT_EQ(target, source);
  std::vector<int> other(4);
  EXPECT_EQ(of.write(1, address_of(other), source.data(), sizeof(int) * 3), 0);
  EXPECT_EQ(other, (std::vector<int>{1, 2, 3, 0}));
  EXPECT_EQ(of.read(1, 0, target.data(), sizeof(int)), EFAULT);
}

TEST(shm_direct_copy, is_not_used_where_it_is_not_wanted_or_was_given_up) {
  shm_node node{{}};
  shm::direct_copy unwanted{*node[0].segment, false};
  EXPECT_FALSE(unwanted.reaches(1));
  shm::direct_copy of{*node[0].segment, true};
  of.give_up(1);
  EXPECT_FALSE(of.reaches(1));
}

}  // namespace
}  // namespace peal::test
