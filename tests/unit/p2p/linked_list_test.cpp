// Lists whose links lie in the items.
#include "p2p/linked_list.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal;

struct listed : list_node, chain_node<0> {};

TEST(links, an_item_leaves_without_knowing_its_list) {
  linked_list<listed> of;
  EXPECT_TRUE(of.empty());
  EXPECT_EQ(of.front(), nullptr);
  EXPECT_EQ(of.pop_front(), nullptr);
  listed first, second, third;
  for (listed* each : {&first, &second, &third}) of.push_back(*each);
  EXPECT_EQ(of.front(), &first);
  EXPECT_EQ(of.next(first), &second);
  EXPECT_EQ(of.next(third), nullptr);
  of.erase(second);
  EXPECT_EQ(of.next(first), &third);
  of.erase(third);
  EXPECT_EQ(of.next(first), nullptr);
  of.push_back(second);
  EXPECT_EQ(of.pop_front(), &first);
  EXPECT_EQ(of.pop_front(), &second);
  EXPECT_TRUE(of.empty());
}

TEST(links, an_item_stands_in_two_lists_at_once) {
  linked_list<listed> all;
  linked_list<listed, chain_node<0>> some;
  listed first, second;
  all.push_back(first);
  all.push_back(second);
  some.push_back(second);
  some.push_back(first);
  EXPECT_EQ(all.front(), &first);
  EXPECT_EQ(some.front(), &second);
  all.erase(first);
  EXPECT_EQ(all.front(), &second);
  EXPECT_EQ(some.next(second), &first);
}

}  // namespace
