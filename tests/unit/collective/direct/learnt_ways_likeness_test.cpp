// What a shape of calls begins with that is met for the first time, on modelled machines: the way
// of the shape that is most like it.
#include <gtest/gtest.h>

#include "collective/direct/learnt_ways.hpp"
#include "unit/collective/direct/modelled_ranks.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::direct::modelled;
using detail::collective;

// A program may call something that takes long only a few times.
TEST(learnt_ways, a_new_shape_goes_as_the_one_most_like_it) {
  constexpr call_shape longer{collective::bcast, 13}, far_longer{collective::bcast, 18},
      others{collective::gather, 13};
  ranks all{3};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 3, 1, 2, 9); };
  EXPECT_EQ(all.call(longer, cost).by, nullptr) << "nothing is known";
  for (int call = 0; call != 200; ++call) all.call(kibibyte, cost);
  EXPECT_EQ(all.call(call_shape{collective::bcast, 14}, cost).by, &tree);
  EXPECT_EQ(all.call(call_shape{collective::bcast, 7}, cost).by, &tree);
  EXPECT_EQ(all.call(far_longer, cost).by, nullptr);
  EXPECT_EQ(all.call(others, cost).by, nullptr);
  // It is measured as any other one, and left where another way is faster.
  const auto otherwise = [](std::size_t, const call_way& way) { return fixed(way, .5, 2, 1, 9); };
  for (int call = 0; call != 200; ++call) all.call(call_shape{collective::bcast, 14}, otherwise);
  EXPECT_EQ(all.best_of(call_shape{collective::bcast, 14}).by, nullptr);
}

TEST(learnt_ways, a_new_shape_tries_only_what_was_fast_for_its_like) {
  constexpr call_shape longer{collective::bcast, 13};
  ranks all{2};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 1.1, 1, 2, 9); };
  for (int call = 0; call != 300; ++call) all.call(kibibyte, cost);
  int usual = 0, chains = 0;
  // Another length takes another time a byte.
  const auto half = [](std::size_t, const call_way& way) { return fixed(way, .4, .5, 1, 9); };
  // From the first review on that has seen it.
  const int before = all.reviews();
  for (int call = 0; call != 60; call += all.reviews() != before ? 1 : 0) {
    const call_way way = all.call(longer, half);
    usual += way.by == nullptr ? 1 : 0;
    chains += way.by == &chain ? 1 : 0;
  }
  EXPECT_GT(usual, 0) << "it was nearly as fast";
  EXPECT_EQ(chains, 0);
  EXPECT_EQ(all.best_of(longer).by, nullptr);
  // Later it is tried now and then, as everything.
  const auto other = [](std::size_t, const call_way& way) { return fixed(way, .4, .5, .2, 9); };
  for (int call = 0; call != 3000; ++call) all.call(longer, other);
  EXPECT_EQ(all.best_of(longer).by, &chain);
}

// What was slow for its like alone is measured sooner than what was slow itself.
TEST(learnt_ways, a_way_that_a_new_shape_has_put_off_is_tried_soon) {
  constexpr call_shape longer{collective::bcast, 13};
  ranks all{2};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 1.1, 1, 3, 9); };
  for (int call = 0; call != 300; ++call) all.call(kibibyte, cost);
  const auto other = [](std::size_t, const call_way& way) { return fixed(way, .4, .5, .2, 9); };
  for (const int before = all.reviews(); all.reviews() == before;) all.call(longer, other);
  for (int call = 0; call != 200; ++call) all.call(longer, other);
  EXPECT_EQ(all.best_of(longer).by, &chain);
}

TEST(learnt_ways, a_new_shape_goes_the_usual_way_where_that_is_the_fastest_of_its_like) {
  ranks all{2};
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 1, 2, 3, 9); };
  for (int call = 0; call != 200; ++call) all.call(kibibyte, cost);
  EXPECT_EQ(all.call(call_shape{collective::bcast, 13}, cost).by, nullptr);
}

// Each joins whole vectors or a part for all. Where calls that are like it go is known by what
// they do, whatever is usual for their length.
TEST(learnt_ways, joins_by_parts_or_not_as_is_faster) {
  constexpr call_shape usually_whole{collective::allreduce, 14},
      usually_by_parts{collective::allreduce, 15}, longer{collective::allreduce, 16};
  const auto costs = [](double parts) {
    return [=](std::size_t, const call_way& way) {
      return way.by != nullptr ? 3. : way.shares ? parts : 1.;
    };
  };
  ranks parts{3};
  for (int call = 0; call != 200; ++call) parts.call(usually_whole, costs(.5));
  EXPECT_TRUE(parts.best_of(usually_whole).directly && parts.best_of(usually_whole).shares);
  const call_way as_usual = parts.call(usually_by_parts, costs(.5));
  EXPECT_FALSE(as_usual.directly || as_usual.by != nullptr);

  const auto by_parts = [](const call_way& way, bool usually) {
    return way.directly ? way.shares : usually;
  };
  ranks whole{3};
  for (int call = 0; call != 200; ++call)
    whole.call(usually_by_parts, [&](std::size_t, const call_way& way) {
      return way.by != nullptr ? 3. : by_parts(way, true) ? 2. : 1.;
    });
  EXPECT_FALSE(by_parts(whole.best_of(usually_by_parts), true));
  const auto none = [](auto...) { return 1.; };
  EXPECT_FALSE(by_parts(whole.call(longer, none), true));
  EXPECT_FALSE(by_parts(whole.call(usually_whole, none), false));
}

}  // namespace
