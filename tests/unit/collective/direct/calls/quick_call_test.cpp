#include "collective/direct/calls/quick_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "collective/direct/calls/short_call.hpp"
#include "peal/error.hpp"
#include "unit/collective/direct/float_sums.hpp"
#include "unit/collective/direct/plans.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::test;

// How far quick calls came.
struct ends {
  int begun = 0, given = 0, over = 0;
};

/// A caller that is patient, and counts how often it is told that something was given.
struct patient_caller {
  patience has = {.looks = 2};
  int told = 0;
  void has_given() noexcept { ++told; }
  [[nodiscard]] patience has_patience() const noexcept { return has; }
};

quick_progress call_quickly(flags& all, const collective_call& call, patient_caller& by) {
  return of_kind(call.kind, [&]<collective Kind>() { return quick_call<Kind>(all, call, by); });
}
quick_progress call_quickly(flags& all, const collective_call& call) {
  patient_caller by;
  return call_quickly(all, call, by);
}

/// As `run<short_call>`, as far as it comes by a quick call.
std::error_code run_quickly(flags& all, const collective_call& call, patience has, ends& came) {
  patient_caller by{has};
  const quick_progress so_far = call_quickly(all, call, by);
  EXPECT_NE(so_far, quick_progress::none);
  EXPECT_EQ(by.told, so_far == quick_progress::begun ? 0 : 1);
  if (so_far == quick_progress::over) return ++came.over, std::error_code{};
  ++(so_far == quick_progress::given ? came.given : came.begun);
  short_call rest{all, call};
  rest.go_on(so_far == quick_progress::given);
  while (!rest.over()) {
    while (!rest.ready()) sched_yield();
    (void)rest.step();
  }
  return rest.error();
}

class quick_call_among : public testing::TestWithParam<int> {};

// Each rank makes each call its own way, and has more or less patience.
TEST_P(quick_call_among, random_calls_give_what_they_should_beside_short_ones) {
  const int size = GetParam();
  constexpr int calls = 1500;
  std::array<ends, 8> came{};
  as_ranks(size, [&](int rank, flags& own) {
    std::mt19937 plans{static_cast<unsigned>(size)}, ways{static_cast<unsigned>(rank) + 1};
    for (int i = 0; i != calls; ++i) {
      const plan p = random_plan(plans, size, area_bytes);
      part mine{p, rank, size};
      const auto sent = mine.send;
      const unsigned way = ways() % 5;
      constexpr std::array<patience, 4> has{
          {{.looks = 1}, {.looks = 20}, {.looks = 20'000}, {.looks = 20, .shares_core = true}}};
      const std::error_code became =
          p.own_function || way == 4 || mine.call.bytes > most_quick
              ? run<short_call>(own, mine.call)
              : run_quickly(own, mine.call, has[way], came[static_cast<std::size_t>(rank)]);
      // reduce_scatter in place leaves more
      mine.receive.resize(std::min(mine.receive.size(), mine.expected.size()));
      EXPECT_TRUE(is_right(p, mine, sent, became)) << "call " << i << ", rank " << rank;
      if (became) return;
    }
  });
  int over = 0, not_over = 0;
  for (const ends& each : came) over += each.over, not_over += each.given + each.begun;
  EXPECT_GT(over, 0);
  EXPECT_GT(not_over, 0);
}
INSTANTIATE_TEST_SUITE_P(direct, quick_call_among, testing::Values(2, 3, 5, 8));

TEST(quick_call, joins_in_the_usual_order) {
  for (int size = 2; size != 10; ++size)
    check_float_sums(size, most_quick / sizeof(float), area_bytes,
                     [](flags& own, const collective_call& call) {
                       ends came;
                       return run_quickly(own, call, {.looks = 20'000}, came);
                     });
}

TEST(quick_call, leaves_the_rest_where_another_rank_is_slow) {
  test::shared_block memory{2};
  flags one{*memory, 0, 2}, other{*memory, 1, 2};
  const std::array<word, 2> values{3, 4};
  std::array<word, 2> sums{};
  const collective_call first = sum_of(values[0], sums[0]), second = sum_of(values[1], sums[1]);
  EXPECT_EQ(call_quickly(one, first), quick_progress::given);
  EXPECT_EQ(sums[0], 0u);
  EXPECT_EQ(call_quickly(other, second), quick_progress::over);
  EXPECT_EQ(sums[1], 7u);
  short_call rest{one, first};
  rest.go_on(true);
  ASSERT_TRUE(rest.ready());
  EXPECT_FALSE(rest.step()) << "it has stamped already";
  EXPECT_TRUE(rest.over());
  EXPECT_EQ(sums[0], 7u);
}

// What the other ranks have read is in their caches.
TEST(quick_call, joins_what_the_rank_was_given_and_does_not_read_it_back) {
  for (const bool in_short_call : {false, true}) {
    test::shared_block memory{2};
    flags one{*memory, 0, 2}, other{*memory, 1, 2};
    const std::array<word, 2> values{3, 4};
    std::array<word, 2> sums{};
    const collective_call first = sum_of(values[0], sums[0]), second = sum_of(values[1], sums[1]);
    // Who comes first reads what there is when the other one has come, and is told so behind its
    // stamp.
    struct spoiler : patient_caller {
      std::byte* payload;
      void has_given() noexcept { std::memset(payload, 0xee, sizeof(word)); }
    } by{{}, slot_of(*memory, 0, area_bytes).lines[1].payload};
    if (in_short_call) {
      EXPECT_EQ(call_quickly(one, first), quick_progress::given);
      EXPECT_EQ(call_quickly(other, second), quick_progress::over);
      by.has_given();
      short_call rest{one, first};
      rest.go_on(true);
      (void)rest.step();
    } else {
      EXPECT_EQ(call_quickly(other, second), quick_progress::given);
      EXPECT_EQ(quick_call<collective::allreduce>(one, first, by), quick_progress::over);
    }
    EXPECT_EQ(sums[0], 7u);
  }
}

// A root that broadcasts is up to `depth` operations ahead.
TEST(quick_call, does_not_give_before_there_is_room) {
  test::shared_block memory{2};
  flags root{*memory, 0, 2}, other{*memory, 1, 2};
  std::array<word, depth> data{}, got{};
  const auto call_of = [](word& value) {
    collective_call call;
    call.kind = collective::bcast;
    call.root = 0;
    call.receive = &value;
    call.bytes = sizeof value;
    return call;
  };
  for (std::size_t i = 0; i + 1 != depth; ++i) {
    data[i] = static_cast<word>(i) + 1;
    EXPECT_EQ(call_quickly(root, call_of(data[i])), quick_progress::over);
  }
  data[depth - 1] = depth;
  const collective_call last = call_of(data[depth - 1]);
  EXPECT_EQ(call_quickly(root, last), quick_progress::begun);
  EXPECT_EQ(call_quickly(other, call_of(got[0])), quick_progress::over);
  short_call rest{root, last};
  rest.go_on(false);
  ASSERT_TRUE(rest.ready());
  EXPECT_TRUE(rest.step());
  for (std::size_t i = 1; i != depth; ++i)
    EXPECT_EQ(call_quickly(other, call_of(got[i])), quick_progress::over);
  EXPECT_EQ(got, data);
}

TEST(quick_call, leaves_what_the_others_have_called_otherwise_to_short_calls) {
  as_ranks(2, [&](int rank, flags& own) {
    ends came;
    word value = 1, sum = 0;
    collective_call call = sum_of(value, sum);
    if (rank == 1) {
      call.kind = collective::bcast;
      call.root = 0;
    }
    EXPECT_EQ(run_quickly(own, call, {.looks = 20'000}, came), errc::invalid_argument);
    EXPECT_EQ(sum, 0u);
    std::array<word, 4> data{};
    call.kind = collective::bcast;
    call.root = 0;
    call.receive = data.data();
    call.bytes = rank == 0 ? 16 : 8;
    EXPECT_EQ(run_quickly(own, call, {.looks = 20'000}, came),
              rank == 0 ? std::error_code{} : make_error_code(errc::truncated));
  });
}

// Nothing has happened then: the next call is the first one.
TEST(quick_call, is_none_where_the_call_has_to_go_another_way) {
  test::shared_block memory{2};
  flags one{*memory, 0, 2};
  word value = 1, sum = 0;
  const collective_call good = sum_of(value, sum);
  const auto is_none = [&](auto&& change) {
    collective_call call = good;
    change(call);
    return call_quickly(one, call) == quick_progress::none;
  };
  EXPECT_TRUE(is_none([](auto& call) { call.root = 2; })) << "no rank";
  EXPECT_TRUE(is_none([](auto& call) { call.root = -1; })) << "no rank";
  EXPECT_TRUE(is_none([](auto& call) { call.bytes = 0; }));
  EXPECT_TRUE(is_none([](auto& call) { call.bytes = most_quick + 8; }));
  EXPECT_TRUE(is_none([](auto& call) { call.bytes = call.element_size + 1; }))
      << "a part of an element";
  EXPECT_TRUE(is_none([](auto& call) { call.element_size = 0; }));
  EXPECT_TRUE(is_none([](auto& call) { call.element_size = 3; }));
  EXPECT_TRUE(is_none([](auto& call) { call.op.kind = detail::builtin::none; })) << "the user's";
  EXPECT_TRUE(is_none([](auto& call) { call.type = detail::scalar::opaque; })) << "no meaning";
  EXPECT_TRUE(is_none([](auto& call) { call.kind = collective::neighbor_alltoall; }));
  for (const collective kind : {collective::gather, collective::scatter, collective::allgather,
                                collective::alltoall, collective::reduce_scatter}) {
    static constexpr std::size_t lengths[] = {8, 8};
    EXPECT_TRUE(is_none([&](auto& call) { call.kind = kind, call.varying = true; }));
    EXPECT_TRUE(is_none([&](auto& call) { call.kind = kind, call.send_bytes = lengths; }));
    EXPECT_TRUE(is_none([&](auto& call) { call.kind = kind, call.receive_offsets = lengths; }));
  }
  flags other{*memory, 1, 2};
  EXPECT_EQ(call_quickly(one, good), quick_progress::given);
  EXPECT_EQ(call_quickly(other, good), quick_progress::over);
  EXPECT_EQ(sum, 2u);
}

// What all ranks give must fit into an area.
TEST(quick_call, is_none_where_the_blocks_of_all_ranks_are_too_long) {
  constexpr int size = 9;
  test::shared_block memory{size};
  flags one{*memory, 0, size};
  std::array<std::byte, most_quick> given{};
  collective_call call;
  call.kind = collective::scatter;
  call.send = given.data();
  call.receive = given.data();
  call.bytes = most_quick;
  static_assert(size * most_quick > area_bytes);
  EXPECT_EQ(call_quickly(one, call), quick_progress::none);
}

}  // namespace
