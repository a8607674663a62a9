// The two queues of matching against a list that is searched from its head, and with more entries
// than a search from the head could bear.
#include "p2p/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <random>
#include <vector>

namespace peal::test {
namespace {

using detail::matched_message;
using detail::operation;

constexpr int any_source = detail::any_source_value, any_tag = detail::any_tag_value;

TEST(match_pattern, wildcards_take_what_mpi_says) {
  const auto takes = [](int source, int tag, int message_source, int message_tag) {
    return match_pattern::of(source, tag)
        .takes(match_key(static_cast<std::uint32_t>(message_source), message_tag));
  };
  EXPECT_TRUE(takes(3, 5, 3, 5));
  EXPECT_FALSE(takes(3, 5, 3, 6));
  EXPECT_FALSE(takes(3, 5, 4, 5));
  EXPECT_TRUE(takes(any_source, 5, 4, 5));
  EXPECT_FALSE(takes(any_source, 5, 4, 6));
  EXPECT_TRUE(takes(3, any_tag, 3, 0));
  EXPECT_TRUE(takes(3, any_tag, 3, 0x7fffffff));
  EXPECT_FALSE(takes(3, any_tag, 3, -1));
  EXPECT_FALSE(takes(3, any_tag, 4, 0));
  EXPECT_TRUE(takes(any_source, any_tag, 77, 12));
  EXPECT_FALSE(takes(any_source, any_tag, 77, -12));
  EXPECT_TRUE(takes(0, -12, 0, -12));
}

struct draw {
  std::mt19937 random;
  int sources, tags, wild;  // one in `wild` is a wildcard
  int source() { return static_cast<int>(random() % static_cast<unsigned>(sources)); }
  int tag() { return static_cast<int>(random() % static_cast<unsigned>(tags)); }
  bool maybe() { return random() % static_cast<unsigned>(wild) == 0; }
  match_pattern wanted() {
    return match_pattern::of(maybe() ? any_source : source(), maybe() ? any_tag : tag());
  }
  std::uint64_t message() { return match_key(static_cast<std::uint32_t>(source()), tag()); }
};

// `fill` in a hundred steps add, the others take, so that queues stay short or grow long.
void posted_against_a_list(draw from, unsigned fill, int steps) {
  posted_queue queue;
  std::list<operation*> model;
  std::deque<operation> all;
  for (int i = 0; i < steps; ++i) {
    if (from.random() % 100 < fill) {
      operation& receive = all.emplace_back();
      const match_pattern wanted = from.wanted();
      receive.key = wanted.key;
      receive.mask = wanted.mask;
      queue.add(receive);
      model.push_back(&receive);
    } else if (!model.empty() && from.random() % 8 == 0) {
      auto gone = model.begin();
      std::advance(gone, from.random() % model.size());
      queue.remove(**gone);
      model.erase(gone);
    } else {
      const std::uint64_t key = from.message();
      const auto expected = std::find_if(model.begin(), model.end(), [&](operation* each) {
        return ((each->key ^ key) & each->mask) == 0;
      });
      operation* got = queue.match(key);
      ASSERT_EQ(got, expected == model.end() ? nullptr : *expected) << "step " << i;
      if (got) model.erase(expected);
    }
    ASSERT_EQ(queue.empty(), model.empty());
  }
}

void unexpected_against_a_list(draw from, unsigned fill, int steps) {
  unexpected_queue queue;
  std::list<matched_message*> model;
  std::deque<matched_message> all;
  for (int i = 0; i < steps; ++i) {
    if (from.random() % 100 < fill) {
      matched_message& message = all.emplace_back();
      message.key = from.maybe()
                        ? match_key(static_cast<std::uint32_t>(from.source()), -1 - from.tag())
                        : from.message();
      queue.add(message);
      model.push_back(&message);
    } else {
      const match_pattern wanted = from.wanted();
      const auto expected = std::find_if(model.begin(), model.end(), [&](matched_message* each) {
        return wanted.takes(each->key);
      });
      matched_message* got = queue.find(wanted);
      ASSERT_EQ(got, expected == model.end() ? nullptr : *expected) << "step " << i;
      if (got && from.random() % 4 != 0) {
        queue.remove(*got);
        model.erase(expected);
      }
    }
    ASSERT_EQ(queue.empty(), model.empty());
  }
}

TEST(matching, agrees_with_a_list_searched_from_its_head) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const auto& [sources, tags, wild] :
         std::vector<std::array<int, 3>>{{2, 2, 4}, {5, 50, 3}, {3, 1000, 20}, {100, 2, 5}}) {
      for (const unsigned fill : {40u, 50u, 60u}) {
        posted_against_a_list({std::mt19937{seed}, sources, tags, wild}, fill, 1500);
        unexpected_against_a_list({std::mt19937{seed}, sources, tags, wild}, fill, 1500);
      }
    }
  }
}

// 100,000 entries found from the far end and in no order at all: searched from the head, these
// would be 5 thousand million steps each.
constexpr int many = 100000;

TEST(matching, finds_its_way_in_many_posted_receives) {
  for (const int kind : {0, 1, 2}) {
    posted_queue queue;
    std::deque<operation> all(many);
    for (int i = 0; i < many; ++i) {
      const match_pattern wanted = kind == 0   ? match_pattern::of(0, i)
                                   : kind == 1 ? match_pattern::of(any_source, i)
                                               : match_pattern::of(i, any_tag);
      all[static_cast<std::size_t>(i)].key = wanted.key;
      all[static_cast<std::size_t>(i)].mask = wanted.mask;
      queue.add(all[static_cast<std::size_t>(i)]);
    }
    for (int i = many; i-- > 0;) {
      const std::uint64_t key =
          kind == 2 ? match_key(static_cast<std::uint32_t>(i), 5) : match_key(0, i);
      ASSERT_EQ(queue.match(key), &all[static_cast<std::size_t>(i)]);
    }
    EXPECT_TRUE(queue.empty());
  }
}

TEST(matching, finds_its_way_in_many_unexpected_messages) {
  for (const int kind : {0, 1, 2}) {
    unexpected_queue queue;
    std::deque<matched_message> all(many);
    for (int i = 0; i < many; ++i) {
      all[static_cast<std::size_t>(i)].key =
          kind == 2 ? match_key(static_cast<std::uint32_t>(i), 5) : match_key(0, i);
      queue.add(all[static_cast<std::size_t>(i)]);
    }
    for (int i = many; i-- > 0;) {
      const match_pattern wanted = kind == 0   ? match_pattern::of(0, i)
                                   : kind == 1 ? match_pattern::of(any_source, i)
                                               : match_pattern::of(i, any_tag);
      matched_message* found = queue.find(wanted);
      ASSERT_EQ(found, &all[static_cast<std::size_t>(i)]);
      queue.remove(*found);
    }
    EXPECT_TRUE(queue.empty());
  }
}

TEST(matching, tags_that_never_come_back_leave_nothing_in_a_queue_that_is_never_empty) {
  // The table would grow without bound if queues of tags that are over were kept; 200,000 of them
  // are seen here with 50 alive at a time.
  unexpected_queue queue;
  std::deque<matched_message> all(50);
  int next = 0;
  for (matched_message& each : all) {
    each.key = match_key(1, next++);
    queue.add(each);
  }
  for (int i = 0; i < 200000; ++i) {
    matched_message* found = queue.find(match_pattern::of(1, next - 1));
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(tag_of(found->key), next - 1);
    matched_message& oldest = *queue.find(match_pattern::of(any_source, any_tag));
    queue.remove(oldest);
    oldest.key = match_key(1, next++);
    queue.add(oldest);
  }
}

}  // namespace
}  // namespace peal::test
