// Collectives in which something goes wrong: nobody hangs, nobody takes a half result for a whole
// one, and the next collective is sound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "collective/collectives.hpp"
#include "peal/error.hpp"
#include "unit/collective/ranks_in_one.hpp"
#include "unit/collective/thrower.hpp"

namespace {

using namespace peal;
using detail::collective;
using test::add_or_throw;
using test::job;
using test::thrower;

struct vectors {
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
};

class spoilt : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t most_ranks = 9;
  collective_call reduction_of(vectors& v, collective kind, std::size_t count, thrower* context) {
    v.in.assign(kind == collective::reduce_scatter ? count * most_ranks : count, 1);
    v.out.assign(count, 0);
    collective_call call;
    call.kind = kind;
    call.send = v.in.data();
    call.receive = v.out.data();
    call.bytes = count * sizeof(std::uint64_t);
    call.element_size = sizeof(std::uint64_t);
    call.op = {.kind = detail::builtin::none,
               .commutative = true,
               .combine = add_or_throw<std::uint64_t>,
               .context = context};
    return call;
  }
};

TEST_P(spoilt, an_operation_that_throws_is_rethrown_where_it_threw_and_nobody_hangs) {
  const std::size_t count = GetParam();
  for (const collective kind : {collective::reduce, collective::allreduce,
                                collective::reduce_scatter, collective::scan, collective::exscan})
    for (int size = 2; size <= 9; ++size)
      for (int bad = 0; bad != size; ++bad) {
        job ranks{size, static_cast<unsigned>(size * 10 + bad)};
        std::vector<vectors> data(static_cast<std::size_t>(size));
        std::vector<thrower> contexts(static_cast<std::size_t>(size));
        contexts[static_cast<std::size_t>(bad)].throws = true;
        for (const bool again : {false, true}) {
          std::vector<operation*> operations;
          for (int rank = 0; rank != size; ++rank) {
            const auto r = static_cast<std::size_t>(rank);
            operations.push_back(
                &ranks.start(rank, reduction_of(data[r], kind, count, &contexts[r])));
          }
          ASSERT_TRUE(ranks.finish(operations)) << size << " ranks, rank " << bad << " throws";
          bool any_threw = false;
          bool any_failed = false;
          for (int rank = 0; rank != size; ++rank) {
            const auto r = static_cast<std::size_t>(rank);
            operation& over = *operations[r];
            const auto problem = ranks.take_exception(rank, over);
            const outcome result = ranks.release(rank, over);
            any_threw |= problem != nullptr;
            any_failed |= result.error == errc::operation_failed;
            if (problem) {
              EXPECT_EQ(rank, bad);
              EXPECT_EQ(result.error, errc::operation_failed);
              EXPECT_THROW(std::rethrow_exception(problem), std::domain_error);
            } else if (!result.error) {
              // It did not depend on the rank that threw, or got nothing of it: what it has is
              // whole.
              const int joined = kind == collective::scan     ? rank + 1
                                 : kind == collective::exscan ? rank
                                                              : size;
              if (kind != collective::reduce || rank == 0) {
                for (const std::uint64_t x : data[r].out)
                  ASSERT_EQ(x, static_cast<std::uint64_t>(joined));
              }
            } else {
              EXPECT_EQ(result.error, errc::operation_failed);
            }
          }
          // In a reduction to one root a leaf never calls the operation.
          EXPECT_EQ(any_threw, any_failed);
          if (kind == collective::allreduce && !again && size == 2) {
            EXPECT_TRUE(any_threw);
          }
          // The next collective must not see anything of it.
          for (thrower& each : contexts) each.throws = false;
        }
      }
}

// What a rank has of a collective of blocks of `count` numbers, where rank r gave numbers of r + 1.
std::vector<std::uint64_t> whole(collective kind, int rank, int size, std::size_t count) {
  std::vector<std::uint64_t> all;
  for (int from = 0; from != size; ++from)
    all.insert(all.end(), count, static_cast<std::uint64_t>(from) + 1);
  const std::vector<std::uint64_t> of_root(count, 1);
  switch (kind) {
    case collective::bcast:
    case collective::scatter: return of_root;
    case collective::gather: return rank == 0 ? all : std::vector<std::uint64_t>(all.size(), 0);
    default: return all;
  }
}

TEST_P(spoilt, a_rank_without_memory_takes_part_and_nobody_hangs) {
  const std::size_t count = GetParam();
  for (const collective kind : {collective::bcast, collective::gather, collective::scatter,
                                collective::allgather, collective::alltoall})
    for (int size = 2; size <= 9; ++size)
      for (int bad = 0; bad != size; ++bad) {
        job ranks{size, static_cast<unsigned>(size * 10 + bad)};
        for (const bool lacks : {true, false}) {
          std::vector<vectors> data(static_cast<std::size_t>(size));
          std::vector<operation*> operations;
          for (int rank = 0; rank != size; ++rank) {
            vectors& mine = data[static_cast<std::size_t>(rank)];
            mine.in.assign(count * static_cast<std::size_t>(size),
                           static_cast<std::uint64_t>(rank) + 1);
            mine.out.assign(whole(kind, rank, size, count).size(), 0);
            collective_call call;
            call.kind = kind;
            call.send = mine.in.data();
            call.receive =
                kind == collective::bcast && rank == 0 ? mine.in.data() : mine.out.data();
            call.bytes = count * sizeof(std::uint64_t);
            call.spoilt = lacks && rank == bad;
            if (call.spoilt) call.receive = nullptr;
            operations.push_back(&ranks.start(rank, call));
          }
          ASSERT_TRUE(ranks.finish(operations))
              << size << " ranks, rank " << bad << " has no memory";
          for (int rank = 0; rank != size; ++rank) {
            const outcome result = ranks.release(rank, *operations[static_cast<std::size_t>(rank)]);
            if (lacks && rank == bad) {
              EXPECT_EQ(result.error, errc::no_space);
            } else if (result.error) {
              EXPECT_TRUE(lacks);
              EXPECT_EQ(result.error, errc::operation_failed);
            } else if (kind != collective::bcast || rank != 0) {
              ASSERT_EQ(data[static_cast<std::size_t>(rank)].out, whole(kind, rank, size, count));
            }
          }
        }
      }
}

TEST_P(spoilt, a_death_ends_it_on_every_rank) {
  const std::size_t count = GetParam();
  for (unsigned seed = 0; seed != 150; ++seed) {
    const int size = 2 + static_cast<int>(seed % 7);
    job ranks{size, seed};
    const int dead = static_cast<int>(seed / 7) % size;
    std::vector<vectors> data(static_cast<std::size_t>(size));
    std::vector<thrower> contexts(static_cast<std::size_t>(size));
    std::vector<operation*> operations;
    const bool entered = seed % 3 != 0;  // whether the dead rank had begun
    const collective kind =
        std::array{collective::allreduce,      collective::barrier, collective::allgather,
                   collective::reduce_scatter, collective::scan,    collective::exscan}[seed % 6];
    for (int rank = 0; rank != size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      collective_call call = reduction_of(data[r], kind, count, &contexts[r]);
      if (kind == collective::allgather) data[r].out.resize(count * static_cast<std::size_t>(size));
      call.receive = data[r].out.data();
      operations.push_back(rank == dead && !entered ? nullptr : &ranks.start(rank, call));
    }
    // It dies at some point of the collective, and each rank hears of it at another.
    for (unsigned i = 0; i != seed % 40; ++i) ranks.step();
    std::vector<operation*> alive = operations;
    alive[static_cast<std::size_t>(dead)] = nullptr;
    ranks.kill(dead);
    for (int rank = 0; rank != size; ++rank) {
      if (rank == dead) continue;
      if (seed % 2 == 0) ranks.settle();
      ranks.tell(rank, dead);
    }
    ASSERT_TRUE(ranks.finish(alive)) << "seed " << seed;
    for (int rank = 0; rank != size; ++rank) {
      if (rank == dead) continue;
      const outcome result = ranks.release(rank, *alive[static_cast<std::size_t>(rank)]);
      if (result.error) {
        EXPECT_EQ(result.error, errc::peer_failed);
      } else {
        EXPECT_TRUE(entered);
      }
      // What comes later ends at once.
      operation& later = ranks.start(rank, reduction_of(data[static_cast<std::size_t>(rank)],
                                                        collective::allreduce, 1, contexts.data()));
      ASSERT_TRUE(later.finished);
      EXPECT_EQ(ranks.release(rank, later).error, errc::peer_failed);
    }
    // Nothing is left on its way out, though nobody takes part any more.
    ranks.settle();
    for (int rank = 0; rank != size; ++rank)
      EXPECT_TRUE(rank == dead || ranks.quiet(rank)) << "seed " << seed << ", rank " << rank;
  }
}

TEST_P(spoilt, a_rank_that_sends_less_is_found_out) {
  const std::size_t count = GetParam();
  for (const int size : {2, 3, 6}) {
    job ranks{size, 4};
    std::vector<vectors> data(static_cast<std::size_t>(size));
    thrower calm;
    std::vector<operation*> operations;
    for (int rank = 0; rank != size; ++rank) {
      collective_call call =
          reduction_of(data[static_cast<std::size_t>(rank)], collective::allreduce, count, &calm);
      if (rank == 0) call.bytes -= sizeof(std::uint64_t);
      operations.push_back(&ranks.start(rank, call));
    }
    // lengths that differ may choose different algorithms; those who got it must say so
    static_cast<void>(ranks.finish(operations));
    bool found = false;
    for (int rank = 0; rank != size; ++rank) {
      operation& each = *operations[static_cast<std::size_t>(rank)];
      if (each.finished) found |= static_cast<bool>(each.result.error);
    }
    EXPECT_TRUE(found);
    for (int rank = 1; rank != size; ++rank) {
      ranks.tell(0, rank);
      ranks.tell(rank, 0);
    }
    ASSERT_TRUE(ranks.finish(operations));
    for (int rank = 0; rank != size; ++rank)
      ranks.release(rank, *operations[static_cast<std::size_t>(rank)]);
  }
}

INSTANTIATE_TEST_SUITE_P(collective, spoilt, testing::Values(2, 100, 3000),
                         testing::PrintToStringParamName());

TEST(collectives, refuse_an_operation_without_meaning) {
  job ranks{2};
  std::array<float, 2> in{};
  std::array<float, 2> out{};
  collective_call call;
  call.kind = collective::allreduce;
  call.send = in.data();
  call.receive = out.data();
  call.bytes = sizeof in;
  call.element_size = sizeof(float);
  call.type = detail::scalar::f32;
  call.op = {.kind = detail::builtin::bxor, .commutative = true};
  operation& refused = ranks.start(0, call);
  ASSERT_TRUE(refused.finished);
  EXPECT_EQ(ranks.release(0, refused).error, errc::invalid_argument);
}

TEST(collectives, of_a_communicator_made_after_a_death_fail_at_once) {
  job ranks{3};
  ranks.kill(2);
  ranks.tell(0, 2);
  collective_call call;
  operation& refused = ranks.start_in_new_communicator(0, call);
  ASSERT_TRUE(refused.finished);
  EXPECT_EQ(ranks.release(0, refused).error, errc::peer_failed);
}

}  // namespace
