// Operations come as if new, last in first out, and are found by their place.
#include "p2p/operation_pool.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

TEST(operation_pool, the_last_given_back_comes_next_and_is_as_new) {
  fake_job job{1};
  operation_pool of{job[0]};
  EXPECT_FALSE(of.any());
  operation& first = of.take(operation_kind::send);
  operation& second = of.take(operation_kind::receive);
  EXPECT_NE(&first, &second);
  first.result.error = errc::truncated;
  first.finished.store(true);
  of.give_back(second);
  of.give_back(first);
  EXPECT_TRUE(of.any());
  operation& again = of.take(operation_kind::receive);
  EXPECT_EQ(&again, &first);
  EXPECT_FALSE(again.result.error);
  EXPECT_FALSE(again.finished.load());
  EXPECT_EQ(again.kind, operation_kind::receive);
  of.give_back(again);
}

TEST(operation_pool, every_operation_is_found_by_its_place) {
  fake_job job{1};
  operation_pool of{job[0]};
  EXPECT_EQ(of.find(0), nullptr);
  std::vector<operation*> held;
  std::set<operation*> all;
  for (int each = 0; each < 300; ++each) {
    held.push_back(&of.take(operation_kind::send));
    EXPECT_TRUE(all.insert(held.back()).second);
    EXPECT_EQ(of.find(held.back()->index), held.back());
  }
  EXPECT_EQ(of.find(100'000), nullptr);
  for (operation* each : held) of.give_back(*each);
}

}  // namespace
}  // namespace peal::test
