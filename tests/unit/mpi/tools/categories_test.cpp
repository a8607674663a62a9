#include "mpi/tools/categories.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mpi/tools/control_variables.hpp"

namespace {

using namespace peal::mpi;

TEST(categories, are_named_by_the_first_word_of_a_variable) {
  EXPECT_EQ(category_of("PEAL_SHM_DIR"), "shm");
  EXPECT_EQ(category_of("PEAL_LOG"), "log");
  EXPECT_EQ(category_of("shm.boxes_opened"), "shm");
  EXPECT_EQ(category_of("verbs.rail_bytes.mlx5_0"), "verbs");
  EXPECT_EQ(category_of("lanes"), "lanes");
}

TEST(categories, have_each_setting_once) {
  std::set<int> seen;
  std::set<std::string> names;
  const auto settings = control_variables();
  for (const category& each : categories()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name << " is there twice";
    for (const int index : each.control_variables) {
      EXPECT_TRUE(seen.insert(index).second);
      EXPECT_EQ(category_of(settings.at(static_cast<std::size_t>(index)).name), each.name);
    }
  }
  EXPECT_EQ(seen.size(), settings.size());
}

}  // namespace
