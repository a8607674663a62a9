// What any process pushes the owner takes, each item once, in order.
#include "transport/shm/inbox.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

/// Notes in memory of the node, and an inbox.
struct notes {
  explicit notes(std::size_t count) {
    for (std::size_t each = 0; each < count; ++each)
      all.push_back(new (node[0].heap->allocate(sizeof(shm::inbox_entry))) shm::inbox_entry{});
  }
  node_segment& segment() { return *node[0].segment; }
  shm::inbox_entry& at(std::uint64_t offset) { return *segment().at<shm::inbox_entry>(offset); }

  shm_node node{{}};
  std::vector<shm::inbox_entry*> all;
  std::atomic<std::uint64_t> inbox{0};
};

TEST(shm_inbox, items_are_taken_as_a_whole_in_order) {
  notes of{10};
  EXPECT_EQ(shm::take(of.segment(), of.inbox), 0u);
  for (std::size_t each = 0; each < of.all.size(); ++each) {
    of.all[each]->from = static_cast<std::uint32_t>(each);
    shm::push(of.segment(), of.inbox, *of.all[each]);
  }
  std::uint32_t expected = 0;
  for (std::uint64_t next = shm::take(of.segment(), of.inbox); next != 0; next = of.at(next).next)
    EXPECT_EQ(of.at(next).from, expected++);
  EXPECT_EQ(expected, 10u);
  EXPECT_EQ(shm::take(of.segment(), of.inbox), 0u);
}

TEST(shm_inbox, two_push_while_one_takes) {
  constexpr std::uint32_t each_pushes = 5000;
  notes of{2 * each_pushes};
  const auto push_all = [&](std::uint32_t who) {
    for (std::uint32_t each = 0; each < each_pushes; ++each) {
      shm::inbox_entry& item = *of.all[who * each_pushes + each];
      item.from = who << 16 | each;
      shm::push(of.segment(), of.inbox, item);
    }
  };
  std::thread first{push_all, 0}, second{push_all, 1};
  std::uint32_t next_of[2] = {0, 0};
  while (next_of[0] + next_of[1] < 2 * each_pushes) {
    for (std::uint64_t at = shm::take(of.segment(), of.inbox); at != 0; at = of.at(at).next) {
      const std::uint32_t said = of.at(at).from;
      EXPECT_EQ(said & 0xffff, next_of[said >> 16]++);
    }
    std::this_thread::yield();
  }
  first.join();
  second.join();
}

}  // namespace
}  // namespace peal::test
