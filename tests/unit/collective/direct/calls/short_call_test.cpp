#include "collective/direct/calls/short_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "peal/error.hpp"
#include "unit/collective/direct/float_sums.hpp"
#include "unit/collective/direct/plans.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"
#include "unit/collective/thrower.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::test;

class direct_play_of : public testing::TestWithParam<int> {};

// Of all kinds and roots one right behind the other, some ranks far ahead of others: what is
// written over too early shows.
TEST_P(direct_play_of, random_calls_back_to_back_give_what_they_should) {
  const int size = GetParam();
  constexpr int calls = 1500;
  as_ranks(size, [&](int rank, flags& own) {
    std::mt19937 plans{static_cast<unsigned>(size)}, pauses{static_cast<unsigned>(rank)};
    for (int i = 0; i != calls; ++i) {
      const plan p = random_plan(plans, size, area_bytes);
      part mine{p, rank, size};
      const auto sent = mine.send;
      ASSERT_TRUE(fits(mine.call, size));
      const std::error_code became = run<short_call>(own, mine.call);
      // reduce_scatter in place leaves more
      mine.receive.resize(std::min(mine.receive.size(), mine.expected.size()));
      EXPECT_TRUE(is_right(p, mine, sent, became)) << "call " << i << ", rank " << rank;
      if (became) return;
      for (auto pause = pauses() % 40 == 0 ? pauses() % 20 : 0; pause != 0; --pause) sched_yield();
    }
  });
}
INSTANTIATE_TEST_SUITE_P(direct, direct_play_of, testing::Values(2, 3, 5, 8));

TEST(direct_play, joins_in_the_usual_order) {
  for (int size = 2; size != 10; ++size)
    check_float_sums(
        size, area_bytes / sizeof(float), area_bytes,
        [](flags& own, const collective_call& call) { return run<short_call>(own, call); });
}

TEST(direct_play, an_operation_that_throws_throws_there_and_the_others_have_their_results) {
  constexpr int size = 4, bad = 2;
  as_ranks(size, [&](int rank, flags& own) {
    for (const collective kind :
         {collective::allreduce, collective::reduce, collective::scan, collective::reduce_scatter})
      for (const bool throws : {true, false}) {
        test::thrower context{throws && rank == bad};
        std::array<word, size> send{1, 1, 1, 1};
        word receive = 0;
        collective_call call;
        call.kind = kind;
        call.root = 0;
        call.send = send.data();
        call.receive = &receive;
        call.bytes = call.element_size = sizeof(word);
        call.op = {.kind = detail::builtin::none,
                   .commutative = true,
                   .combine = test::add_or_throw<word>,
                   .context = &context};
        const bool joins = kind != collective::reduce || rank == 0;
        if (context.throws && joins) {
          EXPECT_THROW((void)run<short_call>(own, call), std::domain_error);
          continue;
        }
        EXPECT_FALSE(run<short_call>(own, call));
        if (joins) {
          EXPECT_EQ(receive, kind == collective::scan ? static_cast<word>(rank) + 1
                                                      : static_cast<word>(size));
        }
      }
  });
}

TEST(direct_play, an_operation_that_the_type_does_not_have_is_refused_on_every_rank) {
  as_ranks(2, [&](int, flags& own) {
    float value = 1, sum = 0;
    collective_call call;
    call.kind = collective::allreduce;
    call.send = &value;
    call.receive = &sum;
    call.bytes = call.element_size = sizeof value;
    call.type = detail::scalar::f32;
    call.op.kind = detail::builtin::bxor;
    EXPECT_EQ(run<short_call>(own, call), errc::invalid_argument);
    call.op.kind = detail::builtin::sum;
    EXPECT_FALSE(run<short_call>(own, call));
    EXPECT_EQ(sum, 2);
  });
}

TEST(direct_play, other_lengths_and_other_collectives_are_errors_and_no_data) {
  as_ranks(2, [&](int rank, flags& own) {
    std::array<word, 4> data{1, 2, 3, 4};
    collective_call call;
    call.kind = collective::bcast;
    call.root = 0;
    call.receive = data.data();
    call.bytes = rank == 0 ? 16 : 8;
    EXPECT_EQ(run<short_call>(own, call),
              rank == 0 ? std::error_code{} : make_error_code(errc::truncated));
    call.bytes = rank == 0 ? 4 : 8;
    EXPECT_EQ(run<short_call>(own, call),
              rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
    call.bytes = 8;
    if (rank == 0) call.kind = collective::scatter;
    if (rank == 0) call.send = data.data(), call.in_place = true;
    EXPECT_EQ(run<short_call>(own, call),
              rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
    EXPECT_EQ(data, (std::array<word, 4>{1, 2, 3, 4}));
  });
}

TEST(direct_play, who_gives_up_has_stamped_and_reads_nothing) {
  test::shared_block memory{2};
  flags alone{*memory, 0, 2}, other{*memory, 1, 2};
  word mine = 1, all = 0;
  const collective_call what = sum_of(mine, all);
  short_call call{alone, what};
  call.begin();
  ASSERT_TRUE(call.ready());
  EXPECT_TRUE(call.step());
  EXPECT_FALSE(call.ready());
  call.give_up(errc::peer_failed);
  EXPECT_TRUE(call.over());
  EXPECT_FALSE(call.step());
  EXPECT_EQ(call.error(), errc::peer_failed);
  EXPECT_EQ(all, 0u);
  other.next();
  EXPECT_TRUE(other.has_come(0)) << "those who wait for this one only are served";
}

TEST(direct_play, takes_what_fits_only) {
  collective_call call;
  EXPECT_TRUE(fits(call, 16)) << "a barrier";
  for (const collective kind : kinds) {
    if (kind == collective::barrier) continue;
    call = {};
    call.kind = kind;
    EXPECT_FALSE(fits(call, 4)) << "nothing to be moved";
    const bool all = kind == collective::alltoall || kind == collective::scatter ||
                     kind == collective::reduce_scatter;
    call.bytes = all ? area_bytes / 4 : area_bytes;
    EXPECT_TRUE(fits(call, 4));
    ++call.bytes;
    EXPECT_FALSE(fits(call, 4));
    call.bytes = 8;
    call.varying = true;
    EXPECT_FALSE(fits(call, 4));
    call.varying = false;
    const std::array<std::size_t, 4> sizes{};
    call.send_bytes = sizes.data();
    EXPECT_FALSE(fits(call, 4));
  }
}

}  // namespace
