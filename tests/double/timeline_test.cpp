#include "unit/transport/verbs/double/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "double/raw_end.hpp"

namespace peal::test {
namespace {

using verbs_double::add_card;
using verbs_double::card;
using verbs_double::cost_model;
using verbs_double::picoseconds;

class verbs_double_time : public testing::Test {
 protected:
  static constexpr std::uint32_t length = 1 << 20;
  struct way {
    std::unique_ptr<raw_end> from, to;
  };
  std::vector<way> ways;

  void TearDown() override {
    ways.clear();
    verbs_double::work_at_once();
  }
  void join(card& one, card& other, const raw_path& path = {}) {
    const raw_plan plan{.bytes = length};
    ways.push_back({std::make_unique<raw_end>(one, plan), std::make_unique<raw_end>(other, plan)});
    ways.back().from->connect(*ways.back().to, path);
    ways.back().to->connect(*ways.back().from, path);
  }
  /// Numbers of queue pairs count up for whatever is made; the next is not of the same unit.
  void join_in_units(card& one, card& other, unsigned count, unsigned units) {
    std::vector<bool> taken(units);
    std::vector<std::unique_ptr<raw_end>> spare;
    while (count > 0) {
      join(one, other);
      const std::size_t unit = ways.back().from->pair->qp_num % units;
      if (!taken[unit]) {
        taken[unit] = true;
        --count;
        continue;
      }
      ways.pop_back();
      spare.push_back(std::make_unique<raw_end>(one));  // ends are made two at a time
    }
  }
  /// The time for so many requests of 1 MiB on every way.
  picoseconds stream(std::size_t each, ibv_wr_opcode how = IBV_WR_RDMA_WRITE) {
    const picoseconds begin = verbs_double::simulated_time();
    for (std::size_t number = 0; number < each; ++number)
      for (way& one : ways) EXPECT_EQ(one.from->write(*one.to, number, length, how), 0);
    std::size_t left = each * ways.size();
    for (int turns = 0; left > 0 && turns < 10'000'000; ++turns)
      for (way& one : ways)
        if (const auto ended = one.from->next()) {
          EXPECT_EQ(ended->status, IBV_WC_SUCCESS);
          --left;
        }
    EXPECT_EQ(left, 0u);
    return verbs_double::simulated_time() - begin;
  }
  /// What part of the wire's rate that is.
  double share(std::size_t each, ibv_wr_opcode how = IBV_WR_RDMA_WRITE) {
    const double bytes = static_cast<double>(each * ways.size()) * length;
    return bytes * static_cast<double>(cost_model{}.wire_byte) /
           static_cast<double>(stream(each, how));
  }
};

TEST_F(verbs_double_time, one_queue_pair_is_as_fast_as_its_processing_unit) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  join(one, other);
  const double found = share(32);
  EXPECT_GT(found, 0.32);
  EXPECT_LT(found, 0.335);
}

TEST_F(verbs_double_time, a_queue_pair_on_each_of_four_units_fills_the_wire) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  join_in_units(one, other, 4, 4);
  const double found = share(16);
  EXPECT_GE(found, 0.95);
  EXPECT_LT(found, 1.0);
}

TEST_F(verbs_double_time, reads_are_served_by_the_units_of_the_other_side) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  join(one, other);
  const double found = share(32, IBV_WR_RDMA_READ);
  EXPECT_GT(found, 0.32);
  EXPECT_LT(found, 0.335);
}

TEST_F(verbs_double_time, senders_share_the_wire_of_their_receiver) {
  card& target = add_card(3, 1);
  verbs_double::simulate({});
  for (unsigned host = 2; host < 10; ++host) join(add_card(3, host), target);
  const double found = share(8);
  EXPECT_GE(found, 0.95);
  EXPECT_LT(found, 1.0) << "each alone would have a third";
}

TEST_F(verbs_double_time, the_same_takes_the_same_time_again) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  join(one, other);
  const picoseconds first = stream(4);
  verbs_double::simulate({});
  EXPECT_EQ(stream(4), first);
}

TEST_F(verbs_double_time, what_is_not_in_the_cache_is_fetched_each_time) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  const auto small = [&](std::size_t cached) {
    verbs_double::cost_model costs;
    costs.units = 1;
    costs.cached_pairs = cached;
    verbs_double::simulate(costs);
    const picoseconds begin = verbs_double::simulated_time();
    for (int turn = 0; turn < 10; ++turn)
      for (way& each : ways) EXPECT_EQ(each.from->write(*each.to, 1, 8), 0);
    std::size_t left = 10 * ways.size();
    for (int turns = 0; left > 0 && turns < 1'000'000; ++turns)
      for (way& each : ways)
        if (each.from->next()) --left;
    EXPECT_EQ(left, 0u);
    return verbs_double::simulated_time() - begin;
  };
  for (int count = 0; count < 8; ++count) join(one, other);
  const picoseconds fits = small(8), not_so = small(4);
  // 80 requests miss, instead of the first of each of eight queue pairs
  EXPECT_GE(not_so - fits, 70 * cost_model{}.miss);
}

TEST_F(verbs_double_time, translations_of_more_pages_than_the_cache_holds_are_fetched_again) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  join(one, other);
  const auto twice = [&](std::size_t cached) {
    verbs_double::cost_model costs;
    costs.page = 4096;
    costs.cached_pages = cached;
    verbs_double::simulate(costs);
    (void)stream(1);
    return stream(1);
  };
  // 256 pages, or one more where memory begins amid a page
  EXPECT_GE(twice(64) - twice(300), 256 * cost_model{}.miss);
}

TEST_F(verbs_double_time, no_more_reads_are_in_flight_than_was_agreed) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  const auto of_eight = [&](std::uint8_t at_a_time) {
    ways.clear();
    join(one, other, {.reads = at_a_time});
    const picoseconds begin = verbs_double::simulated_time();
    for (unsigned number = 0; number < 8; ++number)
      EXPECT_EQ(ways[0].from->write(*ways[0].to, number, 8, IBV_WR_RDMA_READ), 0);
    for (int turns = 0, left = 8; left > 0 && turns < 1000; ++turns)
      if (ways[0].from->next()) --left;
    return verbs_double::simulated_time() - begin;
  };
  const picoseconds together = of_eight(8), in_turn = of_eight(1);
  EXPECT_GE(in_turn - together, 7 * 2 * cost_model{}.latency);
}

TEST_F(verbs_double_time, a_host_that_registers_memory_does_nothing_else_and_its_card_goes_on) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  join(one, other);
  raw_end& from = *ways[0].from;
  const cost_model costs;
  const auto both = [&](bool at_the_same_time) {
    verbs_double::simulate(costs);
    EXPECT_EQ(from.write(*ways[0].to, 1, length), 0);
    if (!at_the_same_time)
      while (!from.next()) {
      }
    ibv_mr* const made =
        ibv_reg_mr(from.domain, from.memory.data(), length, IBV_ACCESS_LOCAL_WRITE);
    EXPECT_TRUE(verbs_double::is_busy(one));
    EXPECT_FALSE(verbs_double::is_busy(other));
    while (verbs_double::is_busy(one)) verbs_double::pass_time();
    if (at_the_same_time)
      while (!from.next()) {
      }
    ibv_dereg_mr(made);
    return verbs_double::simulated_time();
  };
  const picoseconds registration = costs.registration + length / costs.pinned_page * costs.pin;
  const picoseconds in_turn = both(false), together = both(true);
  EXPECT_EQ(in_turn - together, registration) << "the WRITE takes longer than that";
  // What is posted during a registration leaves after it.
  verbs_double::simulate(costs);
  ibv_mr* const made = ibv_reg_mr(from.domain, from.memory.data(), length, IBV_ACCESS_LOCAL_WRITE);
  EXPECT_EQ(from.write(*ways[0].to, 1, length), 0);
  while (!from.next()) {
  }
  ibv_dereg_mr(made);
  EXPECT_EQ(verbs_double::simulated_time(), in_turn);
}

TEST_F(verbs_double_time, time_goes_to_the_end_of_patience) {
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  verbs_double::simulate({});
  join(one, other, {.timeout = 14, .retries = 6});  // 67 ms, seven times
  other.cut = true;
  ASSERT_EQ(ways[0].from->write(*ways[0].to, 1, 8), 0);
  std::optional<ibv_wc> ended;
  for (int turns = 0; !ended && turns < 1000; ++turns) ended = ways[0].from->next();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->status, IBV_WC_RETRY_EXC_ERR);
  EXPECT_GT(verbs_double::simulated_time(), 469'000 * verbs_double::microsecond);
  EXPECT_LT(verbs_double::simulated_time(), 471'000 * verbs_double::microsecond);
}

}  // namespace
}  // namespace peal::test
