#include "placement/place.hpp"

#include <gtest/gtest.h>

#include "placement/topologies.hpp"

namespace {

using peal::launcher::place;
using namespace peal::launcher::test;

TEST(place, has_the_hardware_threads_of_its_cores) {
  const place made = place::at(cores_of("pack:2 core:2 pu:2(indexes=pack:core:pu)"), {0, 3});
  EXPECT_TRUE(made.bound);
  EXPECT_EQ(made.cores, (std::vector{0, 3}));
  EXPECT_EQ(made.all_threads().size(), 4U);
}

TEST(place, lists_its_cores_for_openmp_one_after_the_other) {
  EXPECT_EQ(place::at(cores_of("core:4 pu:2"), {1, 2}).openmp_places(), "{2,3},{4,5}");
}

TEST(place, says_nothing_to_openmp_where_that_would_harm) {
  const auto node = cores_of("core:4 pu:2");
  EXPECT_EQ(place::at(node, {1}).openmp_places(), "") << "one core";
  place made = place::at(node, {1, 2});
  made.shared = true;
  EXPECT_EQ(made.openmp_places(), "") << "others run there too";
  made.shared = false;
  made.bound = false;
  EXPECT_EQ(made.openmp_places(), "") << "all ranks may run there";
  EXPECT_EQ(place{}.openmp_places(), "");
}

}  // namespace
