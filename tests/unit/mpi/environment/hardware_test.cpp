#include "mpi/environment/hardware.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace peal::mpi;
namespace fs = std::filesystem;

/// Four processors: two cores with two each, in one package and two nodes.
class hardware : public testing::Test {
 protected:
  hardware() {
    for (int each = 0; each != 4; ++each) {
      const fs::path own = folder_ / ("cpu" + std::to_string(each));
      fs::create_directories(own / "topology");
      fs::create_directories(own / ("node" + std::to_string(each / 2)));
      std::ofstream{own / "topology" / "physical_package_id"} << 0 << '\n';
      std::ofstream{own / "topology" / "core_id"} << each / 2 << '\n';
    }
  }
  ~hardware() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string told(const std::vector<int>& processors, const char* kind) const {
    const info made = hardware_info_of(processors, folder_.string());
    return made.find(kind) == nullptr ? "absent" : *made.find(kind);
  }

 private:
  const fs::path folder_ =
      fs::temp_directory_path() / ("peal_hardware_" + std::to_string(getpid()));
};

TEST_F(hardware, what_a_process_has_one_of_is_true) {
  EXPECT_EQ(told({0, 1, 2, 3}, "hwloc://Machine"), "true");
  EXPECT_EQ(told({0, 1, 2, 3}, "hwloc://Package"), "true");
  EXPECT_EQ(told({0, 1, 2, 3}, "hwloc://NUMANode"), "false");
  EXPECT_EQ(told({0, 1}, "hwloc://NUMANode"), "true");
  EXPECT_EQ(told({0, 1}, "hwloc://Core"), "true");
  EXPECT_EQ(told({1, 2}, "hwloc://Core"), "false");
  EXPECT_EQ(told({0, 1}, "hwloc://PU"), "false");
  EXPECT_EQ(told({3}, "hwloc://PU"), "true");
}

TEST_F(hardware, what_the_system_does_not_tell_is_absent) {
  EXPECT_EQ(told({17}, "hwloc://Package"), "absent");
  EXPECT_EQ(told({17}, "hwloc://Core"), "absent");
  EXPECT_EQ(told({17}, "hwloc://NUMANode"), "absent");
  EXPECT_EQ(told({17}, "hwloc://PU"), "true");
}

TEST_F(hardware, this_machine_is_one) {
  ASSERT_NE(hardware_info().find("hwloc://Machine"), nullptr);
  EXPECT_EQ(*hardware_info().find("hwloc://Machine"), "true");
  EXPECT_NE(hardware_info().find("hwloc://PU"), nullptr);
}

}  // namespace
