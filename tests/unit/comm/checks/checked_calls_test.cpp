// Calls are compared over messages that arrive in random orders, with many under way at a time.
#include "comm/checks/checked_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;
using detail::collective;

struct checked_ranks : test::job {
  checked_ranks(int size, unsigned seed) : test::job{size, seed} {
    for (int rank = 0; rank != size; ++rank)
      calls.push_back(with(rank, [](messaging& messages, collectives& together,
                                    collective_state& plain, const team& of) {
        return std::make_unique<checked_calls>(messages, together, plain, of);
      }));
  }
  operation& start(int rank, const collective_call& call,
                   const detail::location& where = detail::location::current()) {
    return calls[static_cast<std::size_t>(rank)]->start(call, where, false);
  }
  std::string told(int rank, operation& over) {
    try {
      if (const auto problem = take_exception(rank, over)) std::rethrow_exception(problem);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::mismatch);
      return e.what();
    }
    return "nothing";
  }
  std::vector<std::unique_ptr<checked_calls>> calls;
};

collective_call sum_of(const long& mine, long& all) {
  collective_call call;
  call.kind = collective::allreduce;
  call.send = &mine;
  call.receive = &all;
  call.bytes = call.element_size = sizeof(long);
  call.type = detail::scalar::i64;
  call.op.kind = detail::builtin::sum;
  call.op.commutative = true;
  return call;
}

struct checked_calls_in_jobs : testing::TestWithParam<int> {};

TEST_P(checked_calls_in_jobs, those_that_match_are_done) {
  const int size = GetParam();
  for (unsigned seed = 0; seed < 20; ++seed) {
    checked_ranks ranks{size, seed};
    constexpr std::size_t rounds = 12;
    std::vector<long> mine(static_cast<std::size_t>(size) * rounds), all(mine.size());
    std::iota(mine.begin(), mine.end(), 0);
    std::vector<operation*> started;
    for (int rank = 0; rank != size; ++rank)
      for (std::size_t i = 0; i < rounds; ++i) {
        const std::size_t at = static_cast<std::size_t>(rank) * rounds + i;
        started.push_back(&ranks.start(rank, sum_of(mine[at], all[at])));
      }
    ASSERT_TRUE(ranks.finish(started));
    for (std::size_t at = 0; at < started.size(); ++at) {
      EXPECT_FALSE(ranks.release(static_cast<int>(at / rounds), *started[at]).error);
      long expected = 0;
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank)
        expected += mine[rank * rounds + at % rounds];
      EXPECT_EQ(all[at], expected);
    }
    ranks.settle();
  }
}

// Some of many calls differ on one rank: they end on all ranks, with both places, and those around
// them are done.
TEST_P(checked_calls_in_jobs, those_that_differ_end_alone) {
  const int size = GetParam();
  for (unsigned seed = 0; seed < 20; ++seed) {
    checked_ranks ranks{size, seed};
    const int odd = static_cast<int>(seed) % size;
    constexpr std::size_t rounds = 9;
    const auto differs = [](std::size_t i) { return i % 3 == 1; };
    std::vector<long> mine(static_cast<std::size_t>(size) * rounds, 1), all(mine.size(), -1);
    std::vector<operation*> started;
    const auto usual = detail::location::current();
    const auto elsewhere = detail::location::current();
    for (int rank = 0; rank != size; ++rank)
      for (std::size_t i = 0; i < rounds; ++i) {
        const std::size_t at = static_cast<std::size_t>(rank) * rounds + i;
        collective_call call = sum_of(mine[at], all[at]);
        if (rank == odd && differs(i)) call = {};  // a barrier
        started.push_back(&ranks.start(rank, call, rank == odd ? elsewhere : usual));
      }
    ASSERT_TRUE(ranks.finish(started));
    for (std::size_t at = 0; at < started.size(); ++at) {
      const int rank = static_cast<int>(at / rounds);
      operation& over = *started[at];
      if (!differs(at % rounds)) {
        EXPECT_FALSE(over.result.error);
        EXPECT_EQ(all[at], size);
      } else {
        EXPECT_EQ(over.result.error, errc::mismatch);
        const std::string text = ranks.told(rank, over);
        for (const auto& place : {usual, elsewhere})
          EXPECT_NE(text.find(":" + std::to_string(place.line())), std::string::npos)
              << text << " names line " << place.line();
        EXPECT_NE(text.find("barrier()"), std::string::npos) << text;
        EXPECT_NE(text.find("allreduce("), std::string::npos) << text;
        EXPECT_EQ(all[at], -1) << "nothing was moved";
      }
      ranks.release(rank, over);
    }
    ranks.settle();
  }
}

// Collectives made ready: the starts of each are compared, and those that differ end alone.
TEST_P(checked_calls_in_jobs, those_made_ready_are_compared_at_every_start) {
  const int size = GetParam();
  checked_ranks ranks{size, 7};
  const auto n = static_cast<std::size_t>(size);
  std::vector<long> mine(n, 2), all(n);
  struct made_ready {
    collective_call call;
    std::unique_ptr<prepared_collective> work;
    std::unique_ptr<checked_plan> checked;
    operation& start() { return checked->start(call, *work, detail::location::current()); }
  };
  const auto ready = [&](std::size_t rank, const collective_call& call) {
    return ranks.with(static_cast<int>(rank), [&](messaging&, collectives& together,
                                                  collective_state& plain, const team&) {
      const std::uint32_t number = plain.number_prepared();
      return made_ready{call, std::make_unique<prepared_collective>(together, plain, call, number),
                        std::make_unique<checked_plan>(*ranks.calls[rank], number)};
    });
  };
  // Of the second one rank has made something else.
  std::vector<made_ready> good, odd;
  for (std::size_t rank = 0; rank != n; ++rank) {
    good.push_back(ready(rank, sum_of(mine[rank], all[rank])));
    odd.push_back(ready(rank, rank == n - 1 ? collective_call{} : sum_of(mine[rank], all[rank])));
  }
  for (int i = 0; i != 6; ++i) {
    std::ranges::fill(all, -1);
    std::vector<operation*> matching, differing;
    for (std::size_t rank = 0; rank != n; ++rank) {
      if (rank % 2 == 0) differing.push_back(&odd[rank].start());
      matching.push_back(&good[rank].start());
      if (rank % 2 == 1) differing.push_back(&odd[rank].start());
    }
    ASSERT_TRUE(ranks.finish(matching));
    ASSERT_TRUE(ranks.finish(differing));
    for (std::size_t rank = 0; rank != n; ++rank) {
      EXPECT_FALSE(ranks.release(static_cast<int>(rank), *matching[rank]).error);
      EXPECT_EQ(all[rank], 2 * size);
      EXPECT_EQ(differing[rank]->result.error, errc::mismatch);
      EXPECT_NE(ranks.told(static_cast<int>(rank), *differing[rank]).find("barrier()"),
                std::string::npos);
      ranks.release(static_cast<int>(rank), *differing[rank]);
    }
  }
  ranks.settle();
}

TEST(checked_calls, know_who_has_made_which_start_of_a_plan) {
  checked_ranks ranks{2, 3};
  long mine[2] = {1, 2}, all[2] = {};
  std::vector<std::unique_ptr<prepared_collective>> work;
  std::vector<std::unique_ptr<checked_plan>> plans;
  std::vector<operation*> started;
  for (const int rank : {0, 1}) {
    ranks.with(rank, [&](messaging&, collectives& together, collective_state& plain, const team&) {
      work.push_back(
          std::make_unique<prepared_collective>(together, plain, sum_of(mine[rank], all[rank]), 4));
      plans.push_back(
          std::make_unique<checked_plan>(*ranks.calls[static_cast<std::size_t>(rank)], 4));
    });
  }
  const auto start = [&](int rank) {
    started.push_back(&plans[static_cast<std::size_t>(rank)]->start(
        sum_of(mine[rank], all[rank]), *work[static_cast<std::size_t>(rank)],
        detail::location::current()));
  };
  EXPECT_EQ(ranks.calls[0]->oldest(), nullptr);
  start(0);
  const auto* const waits = ranks.calls[0]->oldest();
  ASSERT_NE(waits, nullptr);
  const std::uint64_t number = waits->number;
  EXPECT_EQ(checked_calls::text_of(number), "start 1 of the communicator's plan 5");
  EXPECT_TRUE(ranks.calls[0]->has_made(number));
  EXPECT_FALSE(ranks.calls[1]->has_made(number));
  start(1);
  EXPECT_TRUE(ranks.calls[1]->has_made(number));
  ASSERT_TRUE(ranks.finish(started));
  EXPECT_EQ(ranks.calls[0]->oldest(), nullptr);
  for (const int rank : {0, 1})
    EXPECT_FALSE(ranks.release(rank, *started[static_cast<std::size_t>(rank)]).error);
  ranks.settle();
}

INSTANTIATE_TEST_SUITE_P(sizes, checked_calls_in_jobs, testing::Values(2, 3, 5, 8, 17),
                         testing::PrintToStringParamName{});

TEST(checked_calls, a_death_ends_the_comparison) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    checked_ranks ranks{3, seed};
    long mine[2] = {1, 2}, all[2] = {};
    std::vector<operation*> started{&ranks.start(0, sum_of(mine[0], all[0])),
                                    &ranks.start(1, sum_of(mine[1], all[1]))};
    for (unsigned i = 0; i < seed * 10; ++i) ranks.step();
    ranks.kill(2);
    for (const int rank : {0, 1}) ranks.tell(rank, 2);
    ASSERT_TRUE(ranks.finish(started));
    for (const int rank : {0, 1})
      EXPECT_EQ(ranks.release(rank, *started[static_cast<std::size_t>(rank)]).error,
                errc::peer_failed);
  }
}

// What a user's operation throws comes out of the checked call.
TEST(checked_calls, what_an_operation_throws_is_kept) {
  checked_ranks ranks{2, 1};
  const auto thrower = [](void*, const void*, void*, std::size_t) { throw std::string{"no"}; };
  long mine[2] = {1, 2}, all[2] = {};
  std::vector<operation*> started;
  for (const int rank : {0, 1}) {
    collective_call call = sum_of(mine[rank], all[rank]);
    call.op = {};
    call.op.combine = thrower;
    started.push_back(&ranks.start(rank, call));
  }
  ASSERT_TRUE(ranks.finish(started));
  int thrown = 0;
  for (const int rank : {0, 1}) {
    operation& over = *started[static_cast<std::size_t>(rank)];
    EXPECT_EQ(over.result.error, errc::operation_failed);
    if (const auto problem = ranks.take_exception(rank, over)) {
      ++thrown;
      EXPECT_THROW(std::rethrow_exception(problem), std::string);
    }
    ranks.release(rank, over);
  }
  EXPECT_GE(thrown, 1);
}

}  // namespace
