// The choice of ways from what calls take, on modelled machines: which way is taken in the end,
// what the trials cost, and that all ranks decide alike.
#include "collective/direct/learnt_ways.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "unit/collective/direct/modelled_ranks.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::direct::modelled;
using detail::collective;

TEST(learnt_ways, takes_the_fastest_after_a_hundred_calls) {
  ranks all{3};
  for (int call = 0; call != 100; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
  EXPECT_TRUE(all.best_of(mebibyte).directly);
}

TEST(learnt_ways, stays_with_the_usual_one_where_others_are_hardly_faster) {
  ranks all{2};
  for (int call = 0; call != 5000; ++call)
    all.call(kibibyte, [](std::size_t, const call_way& way) { return fixed(way, 1, .97, 1.2, 9); });
  EXPECT_EQ(all.best_of(kibibyte).by, nullptr);
  EXPECT_FALSE(all.best_of(kibibyte).directly);
}

// Messages leave work for later, which their calls' time does not show.
TEST(learnt_ways, leaves_a_short_usual_way_only_for_one_that_is_much_faster) {
  ranks all{2};
  for (const double by_tree : {.85, .6}) {
    for (int call = 0; call != 5000; ++call)
      for (const call_shape& each : {short_bcast, short_alltoall})
        all.call(each,
                 [&](std::size_t, const call_way& way) { return fixed(way, 1, by_tree, 1.2, 9); });
    EXPECT_EQ(all.best_of(short_bcast).by, by_tree < .7 ? &tree : nullptr);
    // Where each rank waits for all the others nothing is left.
    EXPECT_EQ(all.best_of(short_alltoall).by, &tree);
  }
}

TEST(learnt_ways, follows_a_machine_that_changes) {
  ranks all{2};
  for (int call = 0; call != 3000; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 1, 1.3, 4, 2); });
  EXPECT_EQ(all.best_of(mebibyte).by, nullptr);
  for (int call = 0; call != 1500; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 1.3, 4, 2); });
  EXPECT_EQ(all.best_of(mebibyte).by, &tree);
}

TEST(learnt_ways, a_disturbed_window_does_not_turn_the_choice_for_long) {
  ranks all{2};
  std::mt19937 random{7};
  int wrong = 0;
  for (int call = 0; call != 20'000; ++call) {
    const bool disturbed = random() % 50 == 0;
    const call_way way = all.call(kibibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 1, 2, 2, 9) *
             (disturbed ? 100 : 1 + static_cast<double>(random() % 20) / 100);
    });
    wrong += call > 100 && way.by != nullptr;
  }
  EXPECT_LT(wrong, 1000);
  EXPECT_EQ(all.best_of(kibibyte).by, nullptr);
}

// With four ranks on two cores allgather of 16 KiB by messages takes 10 us, and up to 50 in the
// first calls behind those that went directly.
TEST(learnt_ways, the_first_calls_behind_another_way_do_not_count) {
  ranks all{2};
  const algorithm* before = nullptr;
  int in_a_row = 0;
  for (int call = 0; call != 400; ++call)
    all.call(kibibyte, [&](std::size_t rank, const call_way& way) {
      const algorithm* const now = way.by == nullptr ? nullptr : way.by->how;
      if (rank == 0) in_a_row = std::exchange(before, now) == now ? in_a_row + 1 : 0;
      return fixed(way, 2, 1, 3, 9) * (now != nullptr && in_a_row < 4 ? 4 : 1);
    });
  EXPECT_EQ(all.best_of(kibibyte).by, &tree);
}

TEST(learnt_ways, of_few_calls_in_a_window_the_later_half_counts) {
  learnt_ways ways{ways_of};
  for (const double cost : {8., 8., 2., 2., 2.}) ways.took(ways.next(kibibyte), cost);
  EXPECT_FLOAT_EQ(ways.tell()[0].cost, 1);
  ways.took(ways.next(kibibyte), 4);
  EXPECT_FLOAT_EQ(ways.tell()[0].cost, 2) << "a single one";
}

// Something else had the cores, or a way was met for the first time, while the fastest one was
// tried.
TEST(learnt_ways, a_way_whose_first_window_was_disturbed_is_tried_again_soon) {
  ranks all{2};
  int chains = 0;
  for (int call = 0; call != 1000; ++call) {
    const call_way way = all.call(kibibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 2, 3, 1, 9) * (by.by == &chain && chains < 10 ? 5000 : 1);
    });
    chains += way.by == &chain ? 1 : 0;
  }
  EXPECT_EQ(all.best_of(kibibyte).by, &chain);
}

// Two ranks exchange by messages that take four times as long until they have found their own way,
// which is by sixty of them.
TEST(learnt_ways, messages_that_find_their_way_do_not_count) {
  ranks all{2};
  int messages = 0;
  all.settled = [&](std::size_t rank, const call_way& by) {
    return by.by != &tree || messages >= 60 || rank != 1;  // only one rank knows
  };
  for (int call = 0; call != 600; ++call) {
    const call_way way = all.call(kibibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 2, 1, 3, 9) * (by.by == &tree && messages < 60 ? 4 : 1);
    });
    messages += way.by == &tree ? 1 : 0;
  }
  EXPECT_GT(messages, 300);
  EXPECT_EQ(all.best_of(kibibyte).by, &tree);
}

TEST(learnt_ways, messages_that_never_find_their_way_count) {
  ranks all{2};
  all.settled = [](auto...) { return false; };
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 2, 1, 3, 9); };
  for (int call = 0; call != 6000; ++call) all.call(kibibyte, cost);
  EXPECT_EQ(all.best_of(kibibyte).by, &tree);
}

TEST(learnt_ways, of_a_window_those_calls_count_that_are_settled) {
  ranks all{2};
  int calls = 0;
  bool disturbs = false;  // one call of three, of which messages try a slow way
  all.settled = [&](auto...) { return !disturbs; };
  for (int call = 0; call != 300; ++call) {
    disturbs = ++calls % 3 == 0;
    all.call(kibibyte, [&](std::size_t, const call_way& by) {
      return fixed(by, 2, 1, 3, 9) * (by.by == &tree && disturbs ? 8 : 1);
    });
  }
  EXPECT_EQ(all.best_of(kibibyte).by, &tree);
  for (const learnt_ways::known_shape& each : all.first().known())
    EXPECT_NEAR(each.cost[each.best], 0, 1e-3) << "the others are part of it";
}

TEST(learnt_ways, times_more_calls_until_there_are_enough_that_are_settled) {
  learnt_ways ways{ways_of};
  for (std::size_t call = 0; call != 2 * learnt_ways::most_times; ++call) {
    const learnt_ways::plan plan = ways.next(kibibyte);
    ASSERT_TRUE(ways.times(plan)) << call;
    ways.took(plan, call % 2 == 0 ? 64 : 2, call % 2 != 0);
  }
  EXPECT_FALSE(ways.times(ways.next(kibibyte)));
  const told_times said = ways.tell();
  EXPECT_TRUE(said[0].settled);
  EXPECT_FLOAT_EQ(said[0].cost, 1);
}

TEST(learnt_ways, what_is_slow_has_less_time_to_settle) {
  const auto calls_by_tree = [](float slow) {
    ranks all{2};
    all.settled = [](std::size_t, const call_way& by) { return by.by != &tree; };
    int calls = 0;
    for (int call = 0; call != 2000; ++call)
      calls += all.call(mebibyte,
                        [&](std::size_t, const call_way& by) { return fixed(by, 2, slow, 3, 4); })
                   .by == &tree;
    return calls;
  };
  EXPECT_GT(calls_by_tree(2.2F), 150);
  EXPECT_LT(calls_by_tree(6), 100);
  EXPECT_LT(calls_by_tree(20), 50);
}

// Scatter of 64 KiB with 8 ranks on two cores went by a tree for over 2,000 calls, while its
// messages tried ways to copy, before its direct form was tried, which takes a quarter of the time.
TEST(learnt_ways, what_goes_directly_does_not_wait_until_messages_have_settled) {
  ranks all{2};
  all.settled = [](std::size_t, const call_way& by) { return by.directly; };
  int calls = 0;
  for (bool direct = false; calls != 1000 && !direct; ++calls)
    direct =
        all.call(mebibyte, [](std::size_t, const call_way& by) { return fixed(by, 4, 5, 6, 1); })
            .directly;
  EXPECT_LE(calls, 12);
  for (; calls != 200; ++calls)
    (void)all.call(mebibyte, [](std::size_t, const call_way& by) { return fixed(by, 4, 5, 6, 1); });
  EXPECT_TRUE(all.best_of(mebibyte).directly);
}

TEST(learnt_ways, a_rank_that_always_comes_late_hides_nothing) {
  constexpr call_shape among_all{collective::allreduce, 10};
  ranks all{2};
  for (int call = 0; call != 200; ++call)
    all.call(among_all, [](std::size_t rank, const call_way& way) {
      return fixed(way, 2, 1, 3, 9) + (rank == 0 ? 50 : 0);
    });
  EXPECT_EQ(all.best_of(among_all).by, &tree);
}

TEST(learnt_ways, the_slowest_rank_counts_where_a_root_goes_ahead) {
  ranks all{2};
  for (int call = 0; call != 200; ++call)
    all.call(kibibyte, [](std::size_t rank, const call_way& way) {
      return rank == 0 ? fixed(way, 2, .1, 2, 9) : fixed(way, 2, 3, 2.2, 9);
    });
  EXPECT_EQ(all.best_of(kibibyte).by, nullptr);
}

TEST(learnt_ways, a_refused_rank_decides_as_the_others) {
  ranks all{3};
  std::mt19937 random{3};
  for (int call = 0; call != 3000; ++call) {
    if (random() % 5 == 0) all.refuse(random() % 3);
    else
      all.call(random() % 2 == 0 ? kibibyte : mebibyte,
               [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
  }
  EXPECT_TRUE(all.best_of(mebibyte).directly);
  EXPECT_EQ(all.best_of(kibibyte).by, &tree);
}

TEST(learnt_ways, windows_grow_while_there_is_nothing_to_learn) {
  constexpr call_shape one_way{collective::barrier};
  ranks all{2};
  for (int call = 0; call != 100'000; ++call)
    all.call(one_way, [](std::size_t, const call_way&) { return 1.; });
  EXPECT_LT(all.reviews(), 120);
}

// What trees take depends on their radix, with 8 the least.
double by_radix(const call_way& way) {
  if (way.by == nullptr || way.by->how != &a_tree) return 20;
  return 10 + std::abs(std::log2(way.by->radix) - 3);
}

TEST(learnt_ways, finds_the_best_radix_step_by_step) {
  ranks all = ranks::with_neighbors(3);
  for (int call = 0; call != 600; ++call)
    all.call(kibibyte, [](std::size_t, const call_way& way) { return by_radix(way); });
  const call_way best = all.best_of(kibibyte);
  ASSERT_NE(best.by, nullptr);
  EXPECT_EQ(best.by->how, &a_tree);
  EXPECT_EQ(best.by->radix, 8);
  std::vector<learnt_ways::message_way> found;
  all.first().fastest_of_messages(found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].by, best.by);
}

TEST(learnt_ways, finds_how_long_pieces_are_best) {
  ranks all = ranks::with_neighbors(2);
  for (int call = 0; call != 600; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) {
      if (way.by == nullptr || way.by->how != &a_chain) return 20.;
      return way.by->cut.bytes == std::size_t{64} << 10 ? 5. : way.by->cut.bytes == 0 ? 10. : 8.;
    });
  ASSERT_NE(all.best_of(mebibyte).by, nullptr);
  EXPECT_EQ(all.best_of(mebibyte).by->cut.bytes, std::size_t{64} << 10);
}

TEST(learnt_ways, tries_no_more_ways_than_it_tells_of) {
  ranks all = ranks::with_neighbors(2);
  std::mt19937 random{4};
  for (int call = 0; call != 30'000; ++call) {
    const double noise = 1 + static_cast<double>(random() % 100) / 50;
    all.call(mebibyte,
             [&](std::size_t, const call_way& way) { return fixed(way, 3, 3, 3, 3) * noise; });
  }
  for (const auto& each : all.first().known()) EXPECT_LE(each.ways.size(), learnt_ways::most_ways);
}

TEST(learnt_ways, a_copy_does_not_try_the_same_parameters_twice) {
  ranks all = ranks::with_neighbors(2);
  const auto cost = [](std::size_t, const call_way& way) { return by_radix(way); };
  for (int call = 0; call != 600; ++call) all.call(kibibyte, cost);
  ranks copy{2, all};
  for (int call = 0; call != 600; ++call) copy.call(kibibyte, cost);
  for (const auto& each : copy.first().known())
    for (std::size_t way = 1; way != each.ways.size(); ++way)
      EXPECT_EQ(std::ranges::count(each.ways, each.ways[way].by, &call_way::by), 1);
  EXPECT_EQ(copy.best_of(kibibyte).by->radix, 8);
}

TEST(learnt_ways, dear_reviews_come_rarely) {
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); };
  constexpr int calls = 200'000;
  constexpr std::uint32_t review = 300'000, a_call = 10'000;
  ranks all{3, review, a_call};
  for (int call = 0; call != calls; ++call) all.call(mebibyte, cost);
  EXPECT_TRUE(all.best_of(mebibyte).directly);
  EXPECT_LT(static_cast<double>(all.reviews()) * review, .06 * calls * a_call);
  ranks cheap{3};
  for (int call = 0; call != calls; ++call) cheap.call(mebibyte, cost);
  EXPECT_LT(all.reviews(), cheap.reviews());
}

TEST(learnt_ways, no_review_makes_a_window_endless) {
  ranks all{2, 2'000'000'000, 1};
  for (int call = 0; call != 50'000; ++call) {
    all.call(kibibyte, [](std::size_t, const call_way& way) { return fixed(way, 1, 2, 3, 9); });
    EXPECT_LE(all.window(), learnt_ways::longest_window);
  }
  EXPECT_GT(all.reviews(), 5);
}

TEST(learnt_ways, a_copy_goes_the_fastest_way_from_the_first_call_on) {
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); };
  ranks all{3};
  for (int call = 0; call != 100; ++call) all.call(mebibyte, cost);
  ASSERT_TRUE(all.best_of(mebibyte).directly);
  ranks copy{3, all};
  EXPECT_TRUE(copy.call(mebibyte, cost).directly);
  int others = 0;
  for (int call = 0; call != 1000; ++call) others += copy.call(mebibyte, cost).directly ? 0 : 1;
  EXPECT_LT(others, 200);
  EXPECT_TRUE(copy.best_of(mebibyte).directly);
  // The first communicator goes on by itself.
  all.call(mebibyte, cost);
  EXPECT_TRUE(all.best_of(mebibyte).directly);
}

TEST(learnt_ways, a_copy_that_is_made_amid_trials_goes_on_with_them) {
  const auto cost = [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); };
  for (int calls = 1; calls != 90; ++calls) {
    ranks all{2};
    for (int call = 0; call != calls; ++call) all.call(mebibyte, cost);
    ranks copy{2, all};
    for (int call = 0; call != 100; ++call) {
      copy.call(mebibyte, cost);
      all.call(mebibyte, cost);
    }
    EXPECT_TRUE(copy.best_of(mebibyte).directly) << calls;
    EXPECT_TRUE(all.best_of(mebibyte).directly) << calls;
  }
}

TEST(learnt_ways, a_copy_learns_that_it_is_another_machine) {
  ranks all{2};
  for (int call = 0; call != 100; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
  ranks copy{2, all};
  for (int call = 0; call != 1500; ++call)
    copy.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 9); });
  EXPECT_EQ(copy.best_of(mebibyte).by, &tree);
}

TEST(learnt_ways, knows_the_fastest_algorithm_of_messages_beside_the_best_way) {
  ranks all{2};
  const auto settled = [&] {
    std::vector<learnt_ways::message_way> found;
    all.first().fastest_of_messages(found);
    return found;
  };
  constexpr call_shape in_order{collective::reduce, 20, true, true};
  for (int call = 0; call != 12; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
  EXPECT_TRUE(settled().empty()) << "not all ways have been tried";
  for (int call = 0; call != 300; ++call) {
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
    all.call(in_order, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
  }
  ASSERT_TRUE(all.best_of(mebibyte).directly);
  ASSERT_TRUE(all.best_of(in_order).directly);
  // Not that of calls whose bits depend on the way.
  ASSERT_EQ(settled().size(), 1U);
  EXPECT_EQ(settled()[0].of, mebibyte);
  EXPECT_EQ(settled()[0].by, &tree);
}

TEST(learnt_ways, leaves_messages_to_the_usual_algorithm_where_that_is_the_fastest) {
  ranks all{2};
  for (int call = 0; call != 300; ++call)
    all.call(mebibyte, [](std::size_t, const call_way& way) { return fixed(way, 2, 2.5, 4, 1); });
  std::vector<learnt_ways::message_way> found;
  all.first().fastest_of_messages(found);
  EXPECT_TRUE(found.empty());
}

TEST(learnt_ways, tells_what_a_review_has_changed_once) {
  learnt_ways ways{ways_of};
  const auto news = [&] {
    std::vector<learnt_ways::known_shape> found;
    ways.visit_news([&](const learnt_ways::known_shape& each) { found.push_back(each); });
    return found;
  };
  const learnt_ways::plan first = ways.next(kibibyte);
  ASSERT_TRUE(ways.times(first));
  ways.took(first, 8);
  EXPECT_TRUE(news().empty());
  ways.hear(learnt_summary{ways.tell()});
  const auto found = news();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].of, kibibyte);
  ASSERT_EQ(found[0].ways.size(), 3U);
  EXPECT_EQ(found[0].measured[0], 1);
  EXPECT_FLOAT_EQ(found[0].cost[0], 3);
  EXPECT_EQ(found[0].measured[1], 0);
  EXPECT_TRUE(news().empty());
}

TEST(learnt_ways, more_shapes_than_it_keeps_go_as_usual) {
  ranks all{2};
  for (int round = 0; round != 100; ++round)
    for (std::uint8_t length = 10; length != 42; ++length)
      for (const bool commutative : {true, false})
        for (const auto kind : {collective::bcast, collective::reduce}) {
          const call_shape of{kind, length, commutative};
          all.call(of, [](std::size_t, const call_way& way) { return fixed(way, 3, 2, 4, 1); });
        }
}

}  // namespace
