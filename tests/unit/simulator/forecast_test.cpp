// Forecasts: ranks that stand for all give what all give; what makes a machine worse makes times
// longer; what cannot be simulated says so.
#include "simulator/forecast.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace {

using namespace peal;
using namespace peal::simulator;
using detail::collective;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// make check FULL=1, or PEAL_TEST_FULL=1.
bool full() {
  const char* wish = std::getenv("PEAL_TEST_FULL");
  return !sanitized && wish && *wish == '1';
}

struct trial {
  collective kind;
  std::string_view name;
  std::size_t bytes;
  double tolerance;  // messages that come at the same instant are served in another order
  bool whole_vector = false;
};

constexpr trial trials[]{
    {collective::allgather, "ring", 64, 1e-9},
    {collective::allgather, "ring", 100'000, 1e-9},
    {collective::allreduce, "ring", 64, 1e-9, true},
    {collective::alltoall, "pairwise", 64, 0.03},
    {collective::alltoall, "pairwise", 20'000, 0.03},
    {collective::alltoall, "linear", 64, 0.03},
    {collective::alltoall, "linear", 20'000, 0.03},
    {collective::allgather, "flat", 1000, 0.03},
    {collective::allreduce, "flat", 256, 0.03},
    {collective::barrier, "flat", 0, 0.03},
    {collective::barrier, "dissemination", 0, 0.03},
    {collective::allgather, "bruck", 64, 0.03},
    {collective::alltoall, "bruck", 64, 0.03},
    {collective::allreduce, "doubling", 4096, 0.03},
    {collective::allreduce, "rabenseifner", 4096, 0.03, true},
    {collective::allgather, "doubling", 64, 0.03},
    {collective::reduce_scatter, "ring", 64, 1e-9},
    {collective::reduce_scatter, "flat", 64, 0.03},
};

machine oversubscribed() {
  machine made;
  made.ranks_per_node = 2;
  made.net.leaf_nodes = 8;
  made.net.oversubscription = 2;
  return made;
}

void compare(const trial& t, int ranks) {
  question q = ask(*find_algorithm(t.kind, t.name), ranks,
                   t.whole_vector ? t.bytes * static_cast<std::size_t>(ranks) : t.bytes, 4);
  q.cut = {};
  const forecast all = predict(oversubscribed(), q, method::full);
  const forecast some = predict(oversubscribed(), q, method::classes);
  const std::string which = fmt::format("{} of {} bytes, {} ranks", t.name, q.bytes, ranks);
  ASSERT_EQ(all.refusal, "") << which;
  ASSERT_EQ(some.refusal, "") << which;
  EXPECT_EQ(all.simulated, ranks);
  EXPECT_EQ(some.simulated, 16);
  EXPECT_EQ(all.messages, some.messages) << which;
  EXPECT_EQ(all.bytes, some.bytes) << which;
  EXPECT_EQ(all.misses, some.misses) << which;
  const auto expected = static_cast<double>(all.time);
  EXPECT_NEAR(static_cast<double>(some.time), expected, expected * t.tolerance) << which;
}

TEST(forecast, some_stand_for_all) {
  for (const trial& t : trials)
    for (const int ranks : {32, 128, sanitized ? 256 : 512}) compare(t, ranks);
}

TEST(forecast, some_stand_for_4096) {
  if (!full()) GTEST_SKIP() << "takes a minute; PEAL_TEST_FULL=1 runs it";
  for (const trial& t : {trials[0], trials[2], trials[3], trials[5], trials[10], trials[13]})
    compare(t, 4096);
}

TEST(forecast, rings_may_be_cut_short) {
  // Ranks enough that the whole ring is too much for those that stand for all, and the rest is
  // reckoned.
  machine on = oversubscribed();
  const question q = ask(*find_algorithm(collective::allgather, "ring"), 1 << 19, 64, 4);
  const forecast made = predict(on, q, method::classes);
  ASSERT_EQ(made.refusal, "");
  EXPECT_TRUE(made.extrapolated);
  EXPECT_EQ(made.messages, static_cast<double>(q.ranks) * (q.ranks - 1));
  EXPECT_EQ(made.rounds, q.ranks - 1);
  // A sixteenth of it is played as it is.
  const forecast less = predict(on, ask(*q.how, 1 << 15, 64, 4), method::classes);
  ASSERT_EQ(less.refusal, "");
  EXPECT_FALSE(less.extrapolated);
  EXPECT_NEAR(static_cast<double>(made.time), static_cast<double>(less.time) * 16,
              static_cast<double>(made.time) * 0.002);
}

TEST(forecast, some_segments_stand_for_all) {
  machine on;
  on.ranks_per_node = 4;
  on.net.leaf_nodes = 2;
  for (const algorithm& each : all_algorithms()) {
    if (!each.segmentable) continue;
    for (const int ranks : {24, 32}) {
      // The last segment is short.
      question q = ask(each, ranks, (std::size_t{6} << 20) + 1000, 4, on.ranks_per_node);
      q.cut = {std::size_t{64} << 10, 2};
      const forecast all = predict(on, q, method::full);
      const forecast some = predict(on, q, method::segments);
      const std::string which =
          fmt::format("{} {}, {} ranks", name_of(each.kind), each.name, ranks);
      ASSERT_EQ(all.refusal, "") << which;
      ASSERT_EQ(some.refusal, "") << which;
      EXPECT_TRUE(some.extrapolated);
      EXPECT_EQ(all.messages, some.messages) << which;
      EXPECT_EQ(all.bytes, some.bytes) << which;
      EXPECT_EQ(all.doorbells, some.doorbells) << which;
      const auto expected = static_cast<double>(all.time);
      EXPECT_NEAR(static_cast<double>(some.time), expected, expected * 0.08) << which;
    }
  }
  EXPECT_NE(
      predict(on, ask(*find_algorithm(collective::bcast, "chain"), 8, 8, 4, 4), method::segments)
          .refusal.find("too few segments"),
      std::string::npos);
}

TEST(forecast, a_vector_that_cannot_be_shared_out_is_rounded_up) {
  const question q = ask(*find_algorithm(collective::allreduce, "ring"), 256, 1000, 4);
  const forecast made = predict(oversubscribed(), q, method::classes);
  ASSERT_EQ(made.refusal, "");
  EXPECT_TRUE(made.rounded);
  question even = q;
  even.bytes = 1024;
  EXPECT_EQ(made.time, predict(oversubscribed(), even, method::classes).time);
}

TEST(forecast, a_last_leaf_that_is_not_full_is_told) {
  const question q = ask(*find_algorithm(collective::barrier, "dissemination"), 100, 0, 4);
  EXPECT_TRUE(predict(oversubscribed(), q, method::classes).uneven);
}

double time_of(const machine& on, collective kind, std::string_view name, int ranks,
               std::size_t bytes) {
  const forecast made = predict(on, ask(*find_algorithm(kind, name), ranks, bytes, 4));
  EXPECT_EQ(made.refusal, "");
  return static_cast<double>(made.time);
}

TEST(forecast, what_is_worse_takes_longer) {
  const machine usual;
  const auto alltoall = [&](const machine& on) {
    return time_of(on, collective::alltoall, "linear", 128, 8192);
  };
  const auto barrier = [&](const machine& on) {
    return time_of(on, collective::barrier, "dissemination", 128, 0);
  };
  machine worse = usual;
  worse.net.oversubscription = 16;
  EXPECT_GT(alltoall(worse), alltoall(usual) * 1.5);
  worse = usual;
  worse.nic.cache_bytes = 1000;
  EXPECT_GT(barrier(worse), barrier(usual));
  worse = usual;
  worse.costs.remote_doorbell_ns = 1000;
  EXPECT_GT(alltoall(worse), alltoall(usual));
  worse = usual;
  worse.nic.link_rate = 1;
  EXPECT_GT(alltoall(worse), alltoall(usual) * 2);
  worse = usual;
  worse.nic.pcie_ns = 5000;
  EXPECT_GT(barrier(worse), barrier(usual) * 2);
}

TEST(forecast, batched_doorbells_are_fewer) {
  machine each;
  each.ring = doorbells::each;
  const question q = ask(*find_algorithm(collective::bcast, "tree"), 2, 16 << 20, 4);
  question uncut = q;
  uncut.cut = {};
  const forecast batched = predict(machine{}, uncut), rung = predict(each, uncut);
  EXPECT_EQ(batched.doorbells, 3);
  EXPECT_EQ(rung.doorbells, 2 + 16) << "a part of a MiB each";
  EXPECT_GT(rung.time, batched.time);
}

TEST(forecast, queue_pairs_help_where_units_are_slow) {
  machine slow, many;
  slow.nic.unit_ns = 400;
  many = slow;
  many.queue_pairs = 4;
  EXPECT_GT(time_of(slow, collective::bcast, "tree", 2, 1 << 20),
            2 * time_of(many, collective::bcast, "tree", 2, 1 << 20));
}

TEST(forecast, more_bytes_are_never_faster) {
  for (const algorithm& each : all_algorithms()) {
    picoseconds before = 0;
    for (std::size_t bytes = 64; bytes <= 64 << 10; bytes *= 4) {
      question q = ask(each, 16, bytes, 4);
      q.radix = 2;
      q.cut = {};
      const forecast made = predict(machine{}, q);
      EXPECT_GE(made.time, before) << each.name << " " << bytes;
      before = made.time;
    }
  }
}

TEST(forecast, a_million_ranks) {
  const machine on;
  const forecast barrier =
      predict(on, ask(*find_algorithm(collective::barrier, "dissemination"), 1 << 20, 0, 4));
  EXPECT_EQ(barrier.refusal, "");
  EXPECT_EQ(barrier.rounds, 20);
  EXPECT_EQ(barrier.messages, 20.0 * (1 << 20));
}

std::string refusal_of(collective kind, std::string_view name, int ranks, std::size_t bytes,
                       method by = method::automatic) {
  return predict(machine{}, ask(*find_algorithm(kind, name), ranks, bytes, 4), by).refusal;
}

TEST(forecast, what_cannot_be_simulated_says_so) {
  EXPECT_EQ(refusal_of(collective::allgather, "doubling", 3, 8),
            "needs a number of ranks that is a power of two");
  EXPECT_NE(refusal_of(collective::bcast, "scatter_allgather", 1 << 16, 1 << 20)
                .find("million messages, and its ranks differ"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(collective::alltoall, "bruck", 1 << 20, 8).find("the schedule of one rank has"),
      std::string::npos);
  EXPECT_NE(
      refusal_of(collective::alltoall, "linear", 1 << 16, 8, method::full).find("million messages"),
      std::string::npos);
  EXPECT_NE(
      refusal_of(collective::bcast, "tree", 1000, 8, method::classes).find("its ranks differ"),
      std::string::npos);
  EXPECT_NE(refusal_of(collective::barrier, "flat", 16, 0, method::classes).find("one leaf switch"),
            std::string::npos);
}

TEST(forecast, of_nodes_with_many_ranks) {
  // More than are looked at to see how much work a call is.
  machine on;
  on.ranks_per_node = 200;
  for (const char* name : {"leaders", "shares"}) {
    question q = ask(*find_algorithm(collective::allreduce, name), 800, 64 << 10, 4, 200);
    q.cut = {};
    const forecast made = predict(on, q);
    EXPECT_EQ(made.refusal, "") << name;
    EXPECT_EQ(made.simulated, 800) << name;
  }
  const algorithm& shares = *find_algorithm(collective::allreduce, "shares");
  const forecast large = predict(on, ask(shares, 64 * 200, 1 << 30, 4, 200));
  EXPECT_NE(large.refusal.find("million"), std::string::npos) << large.refusal;
}

TEST(forecast, short_vectors_among_many_ranks_are_no_long_work) {
  // A schedule of each rank has a hundred thousand rounds, nearly all of them empty.
  const forecast ring =
      predict(machine{}, ask(*find_algorithm(collective::allreduce, "ring"), 1 << 16, 8, 4));
  EXPECT_EQ(ring.refusal, "");
  EXPECT_TRUE(ring.rounded);
  EXPECT_NE(refusal_of(collective::bcast, "scatter_allgather", 1 << 16, 8)
                .find("million steps, and its ranks differ"),
            std::string::npos);
}

TEST(forecast, times_that_the_clock_cannot_hold_are_refused) {
  machine slow;
  slow.nic.link_rate = 0.001;
  const question q = ask(*find_algorithm(collective::alltoall, "linear"), 1 << 14, 1 << 30, 4);
  EXPECT_EQ(predict(slow, q).refusal, "it might take weeks, and the clock ends there");
  const forecast longest = predict(machine{}, q);
  EXPECT_EQ(longest.refusal, "");
  EXPECT_GT(longest.time, from_ns(1024.0 * 1024 * 1024 * 16383 / 50));
}

TEST(forecast, asks_as_the_rules_do) {
  const algorithm& chain = *find_algorithm(collective::bcast, "chain");
  EXPECT_EQ(ask(chain, 64, 1 << 20, 4).cut.bytes, 128u << 10);
  EXPECT_EQ(ask(*find_algorithm(collective::bcast, "tree"), 64, 1024, 4).radix, 4);
  EXPECT_EQ(&usual(collective::bcast, 16, 1 << 20, 4), &chain);
  EXPECT_NE(&usual(collective::bcast, 64, 1 << 20, 4), &chain);
}

}  // namespace
