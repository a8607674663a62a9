// Collectives made ready once and started again and again, beside plain ones, in random orders of
// arrival.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "collective/collectives.hpp"
#include "peal/error.hpp"
#include "unit/collective/model.hpp"
#include "unit/collective/ranks_in_one.hpp"
#include "unit/collective/thrower.hpp"

namespace {

using namespace peal;
using detail::collective;
using test::add_or_throw;
using test::job;
using test::model;
using test::request;
using test::thrower;

/// The same collective, made ready on every rank.
class everywhere {
 public:
  everywhere(job& ranks, const request& r) : wanted{ranks.size(), r} {
    for (int rank = 0; rank != ranks.size(); ++rank)
      ready_.push_back(
          ranks.with(rank, [&](messaging&, collectives& in, collective_state& of, const team&) {
            return std::make_unique<prepared_collective>(in, of, wanted.of(rank).call);
          }));
  }
  operation& start(int rank) { return ready_[static_cast<std::size_t>(rank)]->start(); }
  void destroy(int rank) { ready_[static_cast<std::size_t>(rank)].reset(); }

  model wanted;

 private:
  std::vector<std::unique_ptr<prepared_collective>> ready_;
};

/// Starts all of `plans`, given once or never, in an order of each rank's own, and the plain calls
/// between them, in this order on every rank, and checks what comes of it.
void run_together(job& ranks, const std::vector<everywhere*>& plans,
                  const std::vector<request>& plain) {
  std::vector<std::unique_ptr<model>> models;
  for (const request& each : plain) models.push_back(std::make_unique<model>(ranks.size(), each));
  struct started {
    int rank;
    operation* what;
    model* wanted;
  };
  std::vector<started> all;
  std::vector<std::vector<everywhere*>> orders(static_cast<std::size_t>(ranks.size()), plans);
  for (auto& order : orders) std::shuffle(order.begin(), order.end(), ranks.random());
  for (std::size_t i = 0; i < std::max(plans.size(), plain.size()); ++i)
    for (int rank = 0; rank != ranks.size(); ++rank) {
      everywhere* const next =
          i < plans.size() ? orders[static_cast<std::size_t>(rank)][i] : nullptr;
      if (next) all.push_back({rank, &next->start(rank), &next->wanted});
      if (i < plain.size())
        all.push_back({rank, &ranks.start(rank, models[i]->of(rank).call), models[i].get()});
    }
  std::vector<operation*> operations;
  for (const started& each : all) operations.push_back(each.what);
  ASSERT_TRUE(ranks.finish(operations)) << "stuck";
  for (const started& each : all) {
    const outcome result = ranks.release(each.rank, *each.what);
    ASSERT_FALSE(result.error) << result.error.message();
    each.wanted->check(each.rank);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(prepared_collectives, give_the_models_result_at_every_start) {
  for (const int size : {1, 2, 3, 5, 8}) {
    job ranks{size, static_cast<unsigned>(size)};
    for (std::size_t i = 0; i != 4 * detail::collectives_in_all; ++i) {
      request r = test::random_request(ranks.random(), size);
      r.kind = static_cast<collective>(i % detail::collectives_in_all);
      if (r.kind == collective::bcast ||
          (is_reduction(r.kind) && r.kind != collective::reduce_scatter))
        r.varying = false;
      everywhere plan{ranks, r};
      for (std::size_t content = 0; content != 4; ++content) {
        if (content != 0) plan.wanted.renew(content);
        run_together(ranks, {&plan}, {});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(prepared_collectives, do_not_mix_with_each_other_nor_with_plain_ones) {
  for (const int size : {2, 3, 5, 8}) {
    job ranks{size, static_cast<unsigned>(31 * size)};
    std::vector<std::unique_ptr<everywhere>> plans;
    for (int i = 0; i != 10; ++i)
      plans.push_back(
          std::make_unique<everywhere>(ranks, test::random_request(ranks.random(), size)));
    for (std::size_t content = 1; content != 9; ++content) {
      std::vector<everywhere*> some;
      std::vector<request> plain;
      for (const auto& each : plans) {
        each->wanted.renew(content);
        some.push_back(each.get());
      }
      std::shuffle(some.begin(), some.end(), ranks.random());
      some.resize(1 + ranks.random()() % some.size());
      while (plain.size() < content) plain.push_back(test::random_request(ranks.random(), size));
      run_together(ranks, some, plain);
      if (HasFatalFailure()) return;
    }
  }
}

// Long vectors run in several streams, with much scratch memory.
TEST(prepared_collectives, work_with_long_vectors) {
  job ranks{3, 5};
  for (const collective kind :
       {collective::allreduce, collective::bcast, collective::reduce_scatter, collective::scan}) {
    everywhere plan{ranks, {.kind = kind, .root = 1, .count = 180001, .seed = 3}};
    for (std::size_t content = 1; content != 4; ++content) {
      plan.wanted.renew(content);
      run_together(ranks, {&plan}, {{.kind = kind, .count = 1000}});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(prepared_collectives, are_sound_again_after_an_operation_that_threw) {
  constexpr int size = 5;
  job ranks{size, 2};
  thrower context{.throws = true};
  std::vector<std::vector<long>> in(size, std::vector<long>(100, 1)),
      out(size, std::vector<long>(100));
  std::vector<std::unique_ptr<prepared_collective>> ready;
  for (int rank = 0; rank != size; ++rank) {
    collective_call call;
    call.kind = collective::allreduce;
    call.send = in[static_cast<std::size_t>(rank)].data();
    call.receive = out[static_cast<std::size_t>(rank)].data();
    call.bytes = 100 * sizeof(long);
    call.element_size = sizeof(long);
    call.op = {.kind = detail::builtin::none,
               .commutative = true,
               .combine = add_or_throw<long>,
               .context = &context};
    ready.push_back(
        ranks.with(rank, [&](messaging&, collectives& together, collective_state& of, const team&) {
          return std::make_unique<prepared_collective>(together, of, call);
        }));
  }
  for (const bool throws : {true, false, true, false}) {
    context.throws = throws;
    std::vector<operation*> operations;
    for (auto& each : ready) operations.push_back(&each->start());
    ASSERT_TRUE(ranks.finish(operations));
    for (int rank = 0; rank != size; ++rank) {
      operation& over = *operations[static_cast<std::size_t>(rank)];
      const auto problem = ranks.take_exception(rank, over);
      const outcome result = ranks.release(rank, over);
      EXPECT_EQ(static_cast<bool>(result.error), throws);
      if (problem) {
        EXPECT_THROW(std::rethrow_exception(problem), std::domain_error);
      }
      if (!throws) {
        EXPECT_EQ(out[static_cast<std::size_t>(rank)], std::vector<long>(100, size));
      }
    }
  }
}

TEST(prepared_collectives, end_when_a_member_dies_and_at_every_later_start) {
  for (unsigned seed = 0; seed != 40; ++seed) {
    const int size = 2 + static_cast<int>(seed % 5), dead = static_cast<int>(seed / 5) % size;
    job ranks{size, seed};
    everywhere plan{
        ranks,
        {.kind = seed % 2 == 0 ? collective::allreduce : collective::alltoall, .count = 3000}};
    std::vector<operation*> operations;
    for (int rank = 0; rank != size; ++rank)
      operations.push_back(rank == dead ? nullptr : &plan.start(rank));
    for (unsigned i = 0; i != seed; ++i) ranks.step();
    ranks.kill(dead);
    for (int rank = 0; rank != size; ++rank)
      if (rank != dead) ranks.tell(rank, dead);
    ASSERT_TRUE(ranks.finish(operations)) << "seed " << seed;
    for (int rank = 0; rank != size; ++rank) {
      if (rank == dead) continue;
      EXPECT_EQ(ranks.release(rank, *operations[static_cast<std::size_t>(rank)]).error,
                errc::peer_failed);
      operation& later = plan.start(rank);
      ASSERT_TRUE(later.finished);
      EXPECT_EQ(ranks.release(rank, later).error, errc::peer_failed);
      plan.destroy(rank);
    }
    ranks.settle();
    for (int rank = 0; rank != size; ++rank)
      EXPECT_TRUE(rank == dead || ranks.quiet(rank)) << "seed " << seed << ", rank " << rank;
  }
}

TEST(prepared_collectives, refuse_an_operation_without_meaning_at_every_start) {
  job ranks{2};
  float in = 1, out = 0;
  collective_call call;
  call.kind = collective::allreduce;
  call.send = &in;
  call.receive = &out;
  call.bytes = call.element_size = sizeof(float);
  call.type = detail::scalar::f32;
  call.op = {.kind = detail::builtin::bxor, .commutative = true};
  ranks.with(0, [&](messaging&, collectives& together, collective_state& of, const team&) {
    prepared_collective plan{together, of, call};
    for (int i = 0; i != 2; ++i) {
      operation& refused = plan.start();
      ASSERT_TRUE(refused.finished);
      EXPECT_EQ(ranks.release(0, refused).error, errc::invalid_argument);
    }
  });
}

}  // namespace
