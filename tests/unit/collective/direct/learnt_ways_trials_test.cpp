// What is tried when, and what that costs, on modelled machines.
#include <gtest/gtest.h>

#include <algorithm>

#include "collective/direct/learnt_ways.hpp"
#include "unit/collective/direct/modelled_ranks.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::direct::modelled;
using detail::collective;

// A program may make only twenty of them.
TEST(learnt_ways, long_calls_lose_a_bounded_share_to_trials) {
  for (const double slow : {1.5, 3.0, 12.0}) {
    ranks all{2};
    const auto cost = [&](std::size_t, const call_way& way) {
      return fixed(way, 1, slow, 1.2 * slow, 2 * slow);
    };
    double took = 0;
    for (int call = 1; call <= 2000; ++call) {
      took += cost(0, all.call(mebibyte, cost));
      const double share =
          learnt_ways::trials_share * std::min(1.0F, call / learnt_ways::few_calls);
      // What the first call of a way loses is known behind it.
      EXPECT_LE(took, call * (1 + share) + 2 * slow)
          << call << " calls, others " << slow << " times as long";
    }
    EXPECT_LT(took, 2000 * 1.15);
  }
}

// Of what is learnt in thirty calls a program that makes no more has nothing.
TEST(learnt_ways, the_first_long_calls_lose_a_smaller_share) {
  ranks all{2};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 1, 3, 3, 3); };
  double took = 0;
  for (int call = 0; call != 30; ++call) took += cost(0, all.call(mebibyte, cost));
  EXPECT_LE(took - 30, 2) << "one trial";
  for (int call = 30; call != 100; ++call) took += cost(0, all.call(mebibyte, cost));
  EXPECT_GE(took - 100, 6) << "all ways by then";
}

TEST(learnt_ways, long_calls_have_found_the_fastest_way_after_sixty) {
  for (const int fastest : {0, 1, 2, 3}) {
    ranks all{2};
    const auto of = [&](int way) { return way == fastest ? 1.0 : 1.3 + way * .4; };
    for (int call = 0; call != 60; ++call)
      all.call(mebibyte, [&](std::size_t, const call_way& way) {
        return fixed(way, of(0), of(1), of(2), of(3));
      });
    const call_way best = all.best_of(mebibyte);
    EXPECT_EQ(fixed(best, of(0), of(1), of(2), of(3)), 1) << fastest;
  }
}

TEST(learnt_ways, a_first_call_that_touches_new_memory_hides_no_fast_way) {
  ranks all{2};
  int chains = 0;
  for (int call = 0; call != 200; ++call) {
    const call_way way = all.call(mebibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 2, 3, 1, 9) * (by.by == &chain && chains == 0 ? 10 : 1);
    });
    chains += way.by == &chain ? 1 : 0;
  }
  EXPECT_EQ(all.best_of(mebibyte).by, &chain);
}

// Calls that go directly take four times as long the first time.
TEST(learnt_ways, a_way_whose_first_call_took_long_is_soon_tried_again) {
  ranks all{2};
  int direct_calls = 0;
  for (int call = 0; call != 80; ++call) {
    const call_way way = all.call(mebibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 1.2, 1.3, 1.4, 1) * (by.directly && direct_calls == 0 ? 4 : 1);
    });
    direct_calls += way.directly ? 1 : 0;
  }
  EXPECT_TRUE(all.best_of(mebibyte).directly);
}

TEST(learnt_ways, a_way_that_becomes_faster_with_each_call_is_tried_until_it_does_not) {
  ranks all{2};
  int chains = 0;
  for (int call = 0; call != 200; ++call) {
    const call_way way = all.call(mebibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 2, 3, 1, 9) * (by.by == &chain && chains < 6 ? 6 - chains : 1);
    });
    chains += way.by == &chain ? 1 : 0;
  }
  EXPECT_EQ(all.best_of(mebibyte).by, &chain);
}

// A window of one call may fall between the calls of a shape each time.
TEST(learnt_ways, other_calls_between_long_ones_hide_no_way) {
  for (const int others : {1, 2, 5, 12}) {
    ranks all{2};
    const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); };
    for (int call = 0; call != 150; ++call) {
      all.call(mebibyte, cost);
      for (int other = 0; other != others; ++other)
        all.call({collective::barrier, 3}, [](auto...) { return 1.0; });
    }
    EXPECT_TRUE(all.best_of(mebibyte).directly) << others << " other calls between";
  }
}

TEST(learnt_ways, trials_of_slow_ways_become_rare) {
  ranks all{2};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 1, 3, 5, 9); };
  for (int call = 0; call != 200; ++call) all.call(mebibyte, cost);
  int others = 0;
  double took = 0;
  constexpr int calls = 50'000;
  for (int call = 0; call != calls; ++call) {
    const call_way way = all.call(mebibyte, cost);
    others += way.directly || way.by != nullptr;
    took += cost(0, way);
  }
  EXPECT_GT(others, 0);
  EXPECT_LT(took / calls, 1.02);
}

}  // namespace
