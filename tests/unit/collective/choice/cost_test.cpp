// The prices, and the choice made by them, as such: what must hold on every machine. Nothing is
// timed.
#include "collective/choice/cost.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "collective/choice/choice.hpp"
#include "collective/node_map.hpp"
#include "unit/collective/arrangements.hpp"
#include "unit/collective/kinds.hpp"

namespace {

using namespace peal;
using detail::collective;
using test::kinds;

/// One node, a rank a node, nodes of four ranks; and ranks that share cores.
constexpr spread one_node{}, apart{.ranks_per_node = 1}, fours{.ranks_per_node = 4},
    oversubscribed{.cores = 2}, oversubscribed_fours{.ranks_per_node = 4, .cores = 2};

constexpr std::array<std::size_t, 26> lengths{
    4,      8,      64,      256,     260,     1024,    4096,    4100,    8192,
    8196,   16384,  32768,   65536,   65540,   131072,  131076,  262144,  524288,
    524292, 786432, 1048576, 2097152, 4194304, 8388608, 8388612, 67108864};

/// Of ranks that lie on nodes one after another; null where there is nothing to tell apart.
const node_map* nodes_of(int ranks, const spread& where) {
  static std::map<std::pair<int, int>, node_map> made;
  if (where.ranks_per_node >= ranks) return nullptr;
  const auto key = std::pair{ranks, where.ranks_per_node};
  const auto found = made.try_emplace(key, test::in_blocks(ranks, {where.ranks_per_node})).first;
  return found->second.has_levels() ? &found->second : nullptr;
}

problem call_of(collective kind, int ranks, std::size_t bytes, const spread& where = one_node) {
  problem p;
  p.size = ranks;
  p.nodes = nodes_of(ranks, where);
  p.bytes = kind == collective::barrier ? 0 : bytes;
  p.element = detail::is_reduction(kind) ? 4 : 1;
  return p;
}

/// Those that are built in, but for so little that nobody sees it, so that they are taken for
/// measured ones and prices count.
cost_parameters as_measured() {
  cost_parameters made;
  made.local_flight_ns += 1e-6;
  made.remote_flight_ns += 1e-6;
  return made;
}

std::vector<candidate> candidates(collective kind, int ranks, std::size_t bytes,
                                  const spread& where) {
  static const choice prices{job_settings::from_environment().algorithms, as_measured()};
  return prices.candidates(kind, call_of(kind, ranks, bytes, where), where);
}

double lowest(collective kind, int ranks, std::size_t bytes, const spread& where) {
  return candidates(kind, ranks, bytes, where).front().price.value_or(-1);
}

double chosen_one(collective kind, int ranks, std::size_t bytes, const spread& where) {
  for (const candidate& each : candidates(kind, ranks, bytes, where))
    if (each.taken) return each.price.value_or(-1);
  return -1;
}

std::string called(collective kind, int ranks, std::size_t bytes) {
  return fmt::format("{} of {} B, {} ranks", name_of(kind), bytes, ranks);
}

TEST(cost, a_message_more_or_a_longer_one_costs_more) {
  for (const algorithm& each : all_algorithms())
    for (const spread& where : {one_node, apart, fours, oversubscribed, oversubscribed_fours})
      for (const int ranks : {2, 3, 4, 7, 8, 17, 64, 1000}) {
        double before = 0;
        // this one draws a line of its own, beyond which it does something else
        bool swapped = true;
        for (const std::size_t bytes : lengths) {
          const auto width = static_cast<std::size_t>(std::min(where.ranks_per_node, ranks));
          if (each.kind == collective::allreduce && each.name == "shares" && swapped &&
              bytes > most_swapped_share * width) {
            swapped = false;
            before = 0;
          }
          const problem p = call_of(each.kind, ranks, bytes, where);
          if (!each.serves(p)) continue;
          const auto found = price(each, p, usual_cut(each), where, {});
          if (!found) break;
          EXPECT_GE(*found, before) << each.name << ", " << called(each.kind, ranks, bytes);
          EXPECT_GT(*found, 0) << each.name << ", " << called(each.kind, ranks, bytes);
          before = *found;
        }
      }
}

TEST(cost, a_slower_machine_costs_more) {
  for (const cost_field& field : cost_fields())
    for (const algorithm& each : all_algorithms())
      for (const spread& where : {one_node, apart, fours, oversubscribed_fours})
        for (const std::size_t bytes : {8, 6000, 1 << 20}) {
          const problem p = call_of(each.kind, 16, bytes, where);
          cost_parameters worse;
          const bool rate = field.name.ends_with("rate");
          worse.*field.value *= rate ? 0.5 : 2;
          const auto usual = price(each, p, usual_cut(each), where, {}),
                     now = price(each, p, usual_cut(each), where, worse);
          ASSERT_EQ(usual.has_value(), now.has_value());
          EXPECT_GE(now.value_or(0), usual.value_or(0))
              << field.name << ", " << each.name << ", " << called(each.kind, 16, bytes);
        }
}

TEST(cost, whom_it_concerns) {
  const algorithm& ring = *find_algorithm(collective::allreduce, "ring");
  const problem p = call_of(collective::allreduce, 8, 1 << 20);
  EXPECT_EQ(price(ring, call_of(collective::allreduce, 1, 1 << 20), {}, one_node, {}), 0.0);
  cost_parameters slow;
  slow.remote_rate /= 10;
  EXPECT_EQ(price(ring, p, {}, one_node, {}), price(ring, p, {}, one_node, slow))
      << "nothing leaves the node";
  EXPECT_GT(*price(ring, p, {}, fours, slow), *price(ring, p, {}, fours, {}));
  slow = {};
  slow.switch_ns *= 10;
  EXPECT_EQ(price(ring, p, {}, one_node, {}), price(ring, p, {}, one_node, slow))
      << "every rank has a core";
  EXPECT_GT(*price(ring, p, {}, oversubscribed, slow), *price(ring, p, {}, oversubscribed, {}));
}

// What algorithms do where they must, and what the following allow for: a number of ranks that is
// no power of two takes two steps more, with more ranks the parts of a vector may come below the
// length that goes unasked, and exscan of two is one message, which nobody joins.
constexpr std::array<std::size_t, 5> usual_lengths{8, 1024, 65536, 1 << 20, 16 << 20};

TEST(cost, more_ranks_cost_no_less) {
  for (const collective kind : kinds)
    for (const spread& where : {one_node, apart, oversubscribed})
      for (const std::size_t bytes : usual_lengths) {
        double power_below = 0;
        for (int ranks = 2; ranks <= 130; ++ranks) {
          const double now = lowest(kind, ranks, bytes, where);
          EXPECT_GE(now * 1.5, power_below) << called(kind, ranks, bytes);
          if (floor_power(ranks) == ranks) power_below = std::max(power_below, now);
        }
      }
}

TEST(cost, one_rank_more_costs_hardly_more_than_twice) {
  for (const collective kind : kinds)
    for (const spread& where : {one_node, apart})
      for (const std::size_t bytes : usual_lengths) {
        const int first = kind == collective::exscan ? 3 : 2;
        double before = lowest(kind, first, bytes, where);
        for (int ranks = first + 1; ranks <= 130; ++ranks) {
          const double now = lowest(kind, ranks, bytes, where);
          EXPECT_LT(now, 2.2 * before) << called(kind, ranks, bytes);
          before = now;
        }
      }
}

TEST(cost, allreduce_is_hardly_dearer_than_reduce_and_bcast) {
  for (const spread& where : {one_node, apart, fours})
    for (int ranks = 2; ranks <= 130; ++ranks)
      for (const std::size_t bytes : usual_lengths) {
        const double together = lowest(collective::reduce, ranks, bytes, where) +
                                lowest(collective::bcast, ranks, bytes, where);
        EXPECT_LE(lowest(collective::allreduce, ranks, bytes, where), 1.2 * together)
            << called(collective::allreduce, ranks, bytes);
        const double taken = chosen_one(collective::reduce, ranks, bytes, where) +
                             chosen_one(collective::bcast, ranks, bytes, where);
        EXPECT_LE(chosen_one(collective::allreduce, ranks, bytes, where), 1.3 * taken)
            << called(collective::allreduce, ranks, bytes);
      }
}

TEST(cost, decides_only_where_it_was_measured) {
  // Three ranks: where one hands its vector to another all of it is joined once more.
  cost_parameters slow;
  slow.reduce_rate = 0.01;
  slow.local_flight_ns = 60;
  const problem p = call_of(collective::allreduce, 3, 16 << 20);
  const algorithm_settings none = job_settings::from_environment().algorithms;
  EXPECT_EQ(choice{none}.of(collective::allreduce, p, one_node).why, reason::rule);
  const chosen by = choice(none, slow).of(collective::allreduce, p, one_node);
  EXPECT_EQ(by.how->name, "ring");
  EXPECT_EQ(by.why, reason::price);
}

TEST(cost, decides_only_about_links_that_were_measured) {
  cost_parameters inside, between;
  inside.reduce_rate = between.reduce_rate = 0.01;
  inside.local_flight_ns = 60;
  between.remote_flight_ns = 2000;
  cost_parameters both = inside;
  both.remote_flight_ns = 2000;
  const problem p = call_of(collective::allreduce, 3, 16 << 20);  // as above
  const algorithm_settings none = job_settings::from_environment().algorithms;
  const auto why = [&](const cost_parameters& costs, const spread& where) {
    return choice(none, costs).of(collective::allreduce, p, where).why;
  };
  EXPECT_EQ(why(inside, one_node), reason::price);
  EXPECT_EQ(why(inside, apart), reason::rule);
  EXPECT_EQ(why(between, one_node), reason::rule);
  EXPECT_EQ(why(between, apart), reason::price);
  EXPECT_EQ(why(between, {.ranks_per_node = 2}), reason::rule);
  EXPECT_EQ(why(inside, {.ranks_per_node = 2}), reason::rule);
  EXPECT_EQ(why(both, {.ranks_per_node = 2}), reason::price);
}

TEST(cost, every_algorithm_has_a_formula) {
  for (const algorithm& each : all_algorithms()) {
    const problem p = call_of(each.kind, 16, 1024, fours);
    ASSERT_TRUE(each.serves(p)) << each.name;
    EXPECT_TRUE(price(each, p, {}, fours, {})) << name_of(each.kind) << ", " << each.name;
  }
}

TEST(cost, keeps_the_rule_unless_another_is_much_cheaper) {
  for (const collective kind : kinds)
    for (const spread& where : {one_node, apart, fours, oversubscribed})
      for (int ranks = 2; ranks <= most_ranks_at_once; ++ranks)
        for (const std::size_t bytes : usual_lengths) {
          const auto all = candidates(kind, ranks, bytes, where);
          const auto taken = std::ranges::find(all, true, &candidate::taken);
          ASSERT_NE(taken, all.end());
          EXPECT_LE(*taken->price, decisive * *all.front().price) << called(kind, ranks, bytes);
          if (taken->as.why == reason::price) {
            EXPECT_EQ(taken->as.how, all.front().as.how) << called(kind, ranks, bytes);
          }
        }
}

TEST(cost, no_price_brings_about_a_flood) {
  for (const collective kind : kinds)
    for (const std::size_t bytes : usual_lengths)
      for (const candidate& each : candidates(kind, 17, bytes, apart))
        if (each.as.why == reason::price) {
          EXPECT_NE(each.as.how->name, "flat") << called(kind, 17, bytes);
          EXPECT_NE(each.as.how->name, "linear") << called(kind, 17, bytes);
        }
}

}  // namespace
