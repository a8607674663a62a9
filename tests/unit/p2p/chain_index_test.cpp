// Items by key, in the order in which they were added, beside a map that is asked the same.
#include "p2p/chain_index.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace peal;

struct item : chain_node<0> {
  std::uint64_t key = 0;
};

TEST(chain_index, says_what_a_map_of_lists_says) {
  chain_index<item, 0> of;
  std::map<std::uint64_t, std::deque<item*>> model;
  std::vector<std::unique_ptr<item>> made;
  std::mt19937_64 random{1};
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t key = random() % 300 << (random() % 2 ? 32 : 0);
    std::deque<item*>& expected = model[key];
    item* const first = expected.empty() ? nullptr : expected.front();
    ASSERT_EQ(of.first(key), first);
    if (random() % 2 != 0) {
      made.push_back(std::make_unique<item>());
      made.back()->key = key;
      of.add(key, *made.back());
      expected.push_back(made.back().get());
    } else if (!expected.empty()) {
      const std::size_t which = random() % expected.size();  // from the middle of the chain, too
      of.remove(*expected[which]);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  for (auto& [key, expected] : model) {
    for (item* const each : expected) {
      EXPECT_EQ(of.first(key), each);
      of.remove(*each);
    }
    EXPECT_EQ(of.first(key), nullptr);
  }
}

TEST(chain_index, chains_that_became_empty_are_used_again) {
  chain_index<item, 0> of;
  item one;
  for (std::uint64_t key = 0; key < 100'000; ++key) {
    of.add(key, one);
    ASSERT_EQ(of.first(key), &one);
    of.remove(one);
    ASSERT_EQ(of.first(key), nullptr);
  }
}

}  // namespace
