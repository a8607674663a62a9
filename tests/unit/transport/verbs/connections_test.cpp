// Connections are found by peer and by what a completion names, and those that are gone are not.
#include "transport/verbs/connections.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace peal;
using namespace peal::verbs;

TEST(verbs_connections, are_found_by_peer_and_by_completion) {
  connections of{10};
  EXPECT_EQ(of.of(peer_id{3}), nullptr);
  connection& three = of.add(std::make_unique<connection>(3));
  connection& seven = of.add(std::make_unique<connection>(7));
  EXPECT_EQ(of.count(), 2u);
  EXPECT_EQ(of.of(peer_id{3}), &three);
  EXPECT_EQ(of.of(peer_id{7}), &seven);
  EXPECT_EQ(of.of(three.id(work::send, 1)), &three);
  EXPECT_EQ(of.of(seven.id(work::read, 0)), &seven);
  EXPECT_EQ(of.of(work_id::make(work::send, 99, 0, 0)), nullptr);
  EXPECT_EQ(of.of_queue(0), nullptr) << "none has a queue pair";
}

TEST(verbs_connections, a_late_completion_does_not_mean_the_next_in_its_place) {
  connections of{10};
  connection* made = &of.add(std::make_unique<connection>(1));
  for (peer_id peer = 2; peer < 10; ++peer) {
    const work_id late = made->id(work::send, 5);
    of.remove(*made);
    EXPECT_EQ(of.of(late), nullptr);
    EXPECT_EQ(of.of(peer_id{peer - 1}), nullptr);
    made = &of.add(std::make_unique<connection>(peer));
    EXPECT_EQ(of.of(late), nullptr);
    EXPECT_EQ(of.of(made->id(work::send, 5)), made);
    int count = 0;
    of.for_each([&](connection& each) {
      EXPECT_EQ(&each, made);
      ++count;
    });
    EXPECT_EQ(count, 1);
  }
}

TEST(verbs_connections, completions_of_queue_pairs_before_the_present_ones_are_of_none) {
  connections of{10};
  connection& made = of.add(std::make_unique<connection>(1));
  const work_id late = made.id(work::send, 5);
  of.renew(made);
  EXPECT_EQ(of.of(late), nullptr);
  EXPECT_EQ(of.of(made.id(work::send, 5)), &made);
  EXPECT_EQ(of.of(peer_id{1}), &made);
  EXPECT_EQ(of.count(), 1u);
}

}  // namespace
