#include "topology/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace {

namespace fs = std::filesystem;

std::set<int> affinity_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  std::set<int> threads;
  for (int at = 0; at < CPU_SETSIZE; ++at)
    if (CPU_ISSET(at, &set)) threads.insert(at);
  return threads;
}

std::set<int> threads_of(const peal::machine& node) {
  std::set<int> threads;
  for (const auto& core : node.cores()) {
    EXPECT_FALSE(core.empty());
    EXPECT_TRUE(std::is_sorted(core.begin(), core.end()));
    for (const int each : core)
      EXPECT_TRUE(threads.insert(each).second) << "thread " << each << " stands in two cores";
  }
  return threads;
}

TEST(machine, has_the_cores_that_this_thread_may_use) {
  const peal::machine node;
  EXPECT_EQ(threads_of(node), affinity_of_this_thread());
  EXPECT_GE(node.usable_cores(), 1);
  EXPECT_LE(node.usable_cores(), static_cast<int>(node.cores().size()));
  EXPECT_NE(node.handle(), nullptr);
}

TEST(machine, respects_a_smaller_cpuset) {
  const int only = *affinity_of_this_thread().rbegin();
  // A thread of its own, so that the affinity of the test stays.
  std::thread{[only] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(only, &set);
    ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
    const peal::machine node;
    EXPECT_EQ(threads_of(node), std::set<int>{only});
    EXPECT_EQ(node.usable_cores(), 1);
  }}.join();
}

// A tree of cgroups made of ordinary files.
class groups {
 public:
  groups() {
    std::string name = (fs::temp_directory_path() / "machine_test.XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~groups() { fs::remove_all(root_); }
  groups& put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream{root_ / file} << text << "\n";
    return *this;
  }
  [[nodiscard]] std::optional<int> quota(const std::string& membership) const {
    return peal::core_quota(membership, root_);
  }

 private:
  fs::path root_;
};

TEST(core_quota, is_the_smallest_on_the_way_up) {
  groups tree;
  tree.put("cpu.max", "max 100000")
      .put("a/cpu.max", "250000 100000")
      .put("a/b/cpu.max", "800000 100000")
      .put("c/cpu.max", "max 100000");
  EXPECT_EQ(tree.quota("0::/a/b\n"), 2);
  EXPECT_EQ(tree.quota("0::/a\n"), 2);
  EXPECT_EQ(tree.quota("0::/c\n"), std::nullopt);
  EXPECT_EQ(tree.quota("0::/\n"), std::nullopt);
}

TEST(core_quota, is_one_at_least) {
  groups tree;
  EXPECT_EQ(tree.put("cpu.max", "20000 100000").quota("0::/\n"), 1);
  EXPECT_EQ(tree.put("cpu.max", "199990 100000").quota("0::/\n"), 2) << "missed by rounding";
}

TEST(core_quota, in_a_container_is_that_of_the_mount) {
  groups tree;
  tree.put("cpu.max", "300000 100000");
  EXPECT_EQ(tree.quota("0::/system.slice/of/the/host\n"), 3);
}

TEST(core_quota, of_the_first_version_stands_with_the_cpu_controller) {
  groups tree;
  tree.put("cpu/job/cpu.cfs_quota_us", "400000").put("cpu/job/cpu.cfs_period_us", "100000");
  tree.put("cpu/free/cpu.cfs_quota_us", "-1").put("cpu/free/cpu.cfs_period_us", "100000");
  EXPECT_EQ(tree.quota("3:memory:/job\n2:cpu,cpuacct:/job\n0::/\n"), 4);
  EXPECT_EQ(tree.quota("2:cpuacct:/job\n"), std::nullopt);
  EXPECT_EQ(tree.quota("2:cpu:/free\n"), std::nullopt);
}

TEST(core_quota, is_none_where_nothing_can_be_read) {
  groups tree;
  for (const char* each : {"", "nonsense", "0::", "::::\n", "0:/a\n"})
    EXPECT_EQ(tree.quota(each), std::nullopt) << each;
  EXPECT_EQ(tree.put("cpu.max", "many").quota("0::/\n"), std::nullopt);
  EXPECT_EQ(tree.put("cpu.max", "").quota("0::/\n"), std::nullopt);
}

TEST(ranks_per_core, is_that_of_the_fullest_core) {
  EXPECT_EQ(peal::ranks_per_core(1, 4), 1);
  EXPECT_EQ(peal::ranks_per_core(4, 4), 1);
  EXPECT_EQ(peal::ranks_per_core(5, 4), 2);
  EXPECT_EQ(peal::ranks_per_core(64, 2), 32);
}

}  // namespace
