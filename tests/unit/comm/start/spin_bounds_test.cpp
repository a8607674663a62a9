#include "comm/start/spin_bounds.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace peal::test {
namespace {

using namespace std::chrono_literals;

TEST(measured_cost_of_waking, is_within_its_bounds) {
  const auto cost = measured_cost_of_waking({});
  EXPECT_GE(cost, 20us);
  EXPECT_LE(cost, 100us);
}

TEST(spin_bounds, are_what_was_set_and_otherwise_what_was_measured) {
  wait_settings set{};
  EXPECT_EQ(spin_bounds(set, false, {}).least, wait_policy::usual.least);
  EXPECT_EQ(spin_bounds(set, false, {}).most, 2 * wait_policy::usual.least);
  set.least = 3.5;
  EXPECT_EQ(spin_bounds(set, true, {}).least, 3500ns);
  EXPECT_GE(spin_bounds(set, true, {}).most, 40us) << "twice what was measured";
  set.most = 2;
  EXPECT_EQ(spin_bounds(set, true, {}).most, 3500ns) << "not less than the least";
}

}  // namespace
}  // namespace peal::test
