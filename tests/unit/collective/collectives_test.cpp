// Collectives from call to result: all ranks in one process over real messaging, in random orders
// of arrival, beside a sequential model.
#include "collective/collectives.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "collective/algorithms.hpp"
#include "collective/choice/tuned_algorithm.hpp"
#include "peal/error.hpp"
#include "unit/collective/arrangements.hpp"
#include "unit/collective/kernels/ordered_sums.hpp"
#include "unit/collective/kinds.hpp"
#include "unit/collective/model.hpp"
#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::is_reduction;
using test::job;
using test::model;
using test::random_request;
using test::request;

constexpr std::array variable_names{"PEAL_BARRIER",   "PEAL_BCAST",    "PEAL_REDUCE",
                                    "PEAL_ALLREDUCE", "PEAL_GATHER",   "PEAL_SCATTER",
                                    "PEAL_ALLGATHER", "PEAL_ALLTOALL", "PEAL_REDUCE_SCATTER",
                                    "PEAL_SCAN",      "PEAL_EXSCAN"};

class forced_algorithm {
 public:
  explicit forced_algorithm(const algorithm& a)
      : name_{variable_names[static_cast<std::size_t>(a.kind)]} {
    setenv(name_, std::string{a.name}.c_str(), 1);
  }
  ~forced_algorithm() { unsetenv(name_); }

 private:
  const char* name_;
};

void run_all(job& ranks, const std::vector<request>& requests) {
  std::vector<std::unique_ptr<model>> models;
  std::vector<operation*> operations;
  for (const request& r : requests) {
    models.push_back(std::make_unique<model>(ranks.size(), r));
    for (int rank = 0; rank != ranks.size(); ++rank)
      operations.push_back(&ranks.start(rank, models.back()->of(rank).call));
  }
  ASSERT_TRUE(ranks.finish(operations)) << "stuck";
  std::size_t i = 0;
  for (auto& each : models)
    for (int rank = 0; rank != ranks.size(); ++rank) {
      const outcome result = ranks.release(rank, *operations[i++]);
      ASSERT_FALSE(result.error) << result.error.message();
      each->check(rank);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// Where the algorithm needs nodes: of two or three ranks, in rank order, so that it serves every
// operation.
test::arrangement nodes_for(const algorithm& a, int size) {
  return a.by_node ? test::in_blocks(size, {2, 3}) : test::arrangement{};
}

class algorithm_end_to_end : public testing::TestWithParam<algorithm> {};

TEST_P(algorithm_end_to_end, gives_the_models_result) {
  const forced_algorithm forced{GetParam()};
  for (const int size : {1, 2, 3, 4, 5, 8, 11}) {
    job ranks{size, static_cast<unsigned>(size), nodes_for(GetParam(), size)};
    std::size_t seed = 0;
    for (const std::size_t count : {0, 1, 3, 50, 700})
      for (const bool in_place : {false, true})
        for (const bool other : {false, true}) {
          request r{.kind = GetParam().kind,
                    .root = static_cast<int>(seed % static_cast<std::size_t>(size)),
                    .count = count,
                    .in_place = in_place,
                    .seed = seed++};
          if (is_reduction(r.kind)) r.commutative = !other;
          if (!is_reduction(r.kind) || r.kind == collective::reduce_scatter)
            r.varying =
                r.kind != collective::bcast && (is_reduction(r.kind) ? seed % 3 == 0 : other);
          run_all(ranks, {r});
          if (HasFatalFailure()) {
            ADD_FAILURE() << fmt::format("{} ranks, root {}, count {}, in place {}, other {}", size,
                                         r.root, count, in_place, other);
            return;
          }
        }
  }
}

// Long vectors are cut into segments that run in several streams.
TEST_P(algorithm_end_to_end, gives_the_models_result_for_long_vectors) {
  const forced_algorithm forced{GetParam()};
  for (const int size : {2, 3, 4}) {
    job ranks{size, 3, nodes_for(GetParam(), size)};
    for (const bool in_place : {false, true}) {
      const std::size_t count = GetParam().kind == collective::bcast ? 1500000
                                : GetParam().segmentable             ? 180001
                                                                     : 100001;
      run_all(ranks, {request{.kind = GetParam().kind,
                              .root = size - 1,
                              .count = count,
                              .in_place = in_place,
                              .seed = 1}});
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(collective, algorithm_end_to_end,
                         testing::ValuesIn(all_algorithms().begin(), all_algorithms().end()),
                         test::algorithm_name);

TEST(collectives, do_not_mix_when_many_are_under_way) {
  for (const int size : {2, 3, 5, 8}) {
    job ranks{size, static_cast<unsigned>(17 * size)};
    for (int repeat = 0; repeat != 12; ++repeat) {
      std::vector<request> requests;
      for (int i = 0; i != 25; ++i) requests.push_back(random_request(ranks.random(), size));
      run_all(ranks, requests);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(collectives, do_not_mix_over_several_nodes) {
  for (const auto& nodes :
       {test::in_blocks(4, {2}), test::in_turn(5, 2), test::in_blocks(7, {3, 1})}) {
    const int size = static_cast<int>(nodes.size());
    job ranks{size, 5, nodes};
    for (int repeat = 0; repeat != 4; ++repeat) {
      std::vector<request> requests;
      for (int i = 0; i != 25; ++i) requests.push_back(random_request(ranks.random(), size));
      run_all(ranks, requests);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(collectives, of_one_rank_are_over_at_once) {
  job alone{1};
  for (const collective kind :
       {collective::barrier, collective::bcast, collective::reduce, collective::allreduce,
        collective::gather, collective::scatter, collective::allgather, collective::alltoall,
        collective::reduce_scatter, collective::scan, collective::exscan}) {
    model m{1, {.kind = kind, .count = 40}};
    operation& over = alone.start(0, m.of(0).call);
    EXPECT_TRUE(over.finished);
    alone.release(0, over);
    m.check(0);
  }
}

// Rank 3 hands its own block and that of rank 0, which is not its neighbour, to the root in two
// messages.
TEST(collectives, messages_to_one_peer_in_a_round_leave_together) {
  const forced_algorithm tree{*find_algorithm(collective::gather, "tree")};
  job ranks{4};
  run_all(ranks, {{.kind = collective::gather, .root = 1, .count = 8}});
  for (int rank = 0; rank != 4; ++rank)
    EXPECT_EQ(ranks.brackets(rank), rank == 3 ? 1 : 0) << "rank " << rank;
  run_all(ranks, {{.kind = collective::allgather, .count = 8}});
  EXPECT_EQ(ranks.brackets(3), 1) << "a message each";
  const int before = ranks.fans(3);
  run_all(ranks, {{.kind = collective::bcast, .root = 3, .count = 8}});
  EXPECT_EQ(ranks.fans(3), before + 1) << "one to each of the others";
}

// Bruck's algorithm copies all blocks before and after.
TEST(collectives, what_is_known_to_cost_much_is_no_alternative) {
  job ranks{2};
  const auto serve = [&](std::size_t bytes, const char* name) {
    const algorithm* const wanted = find_algorithm(collective::alltoall, name);
    return ranks.with(0, [&](auto&, const collectives& all, const collective_state& of, auto&) {
      return std::ranges::count(all.alternatives(of, collective::alltoall, bytes, true).all, wanted,
                                &tuned_algorithm::how) == 1;
    });
  };
  for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{1} << 20}) {
    EXPECT_TRUE(serve(bytes, "linear")) << bytes;
    EXPECT_TRUE(serve(bytes, "pairwise")) << bytes;
  }
  EXPECT_TRUE(serve(16 << 10, "bruck"));
  EXPECT_FALSE(serve(256 << 10, "bruck")) << "a trial costs much";
  EXPECT_FALSE(serve(1 << 20, "bruck"));
}

// Sums of floats depend on the order of the operands: all ranks must see the same one.
TEST_P(algorithm_end_to_end, gives_every_rank_the_same_bits) {
  if (GetParam().kind != collective::allreduce) return;
  const forced_algorithm forced{GetParam()};
  for (int size = 2; size <= 17; ++size) {
    job ranks{size, 9, nodes_for(GetParam(), size)};
    constexpr std::size_t count = 37;
    std::vector<std::vector<float>> in(static_cast<std::size_t>(size), std::vector<float>(count));
    std::vector<std::vector<float>> out = in;
    std::vector<operation*> operations;
    for (int rank = 0; rank != size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      for (float& x : in[r]) x = static_cast<float>(ranks.random()()) / 3e5f - 5000.0f;
      collective_call call;
      call.kind = collective::allreduce;
      call.send = in[r].data();
      call.receive = out[r].data();
      call.bytes = count * sizeof(float);
      call.type = detail::scalar::f32;
      call.element_size = sizeof(float);
      call.op = {.kind = detail::builtin::sum, .commutative = true};
      operations.push_back(&ranks.start(rank, call));
    }
    ASSERT_TRUE(ranks.finish(operations));
    for (int rank = 0; rank != size; ++rank) {
      ranks.release(rank, *operations[static_cast<std::size_t>(rank)]);
      ASSERT_EQ(std::memcmp(out[static_cast<std::size_t>(rank)].data(), out[0].data(),
                            count * sizeof(float)),
                0)
          << size << " ranks, rank " << rank;
    }
  }
}

// Where each rank has another part of the result, it must be the same in every run, whatever the
// order of arrival.
TEST_P(algorithm_end_to_end, gives_the_same_bits_again) {
  const collective kind = GetParam().kind;
  if (!is_reduction(kind)) return;
  const forced_algorithm forced{GetParam()};
  for (int size = 2; size <= 17; ++size) {
    const auto n = static_cast<std::size_t>(size);
    const std::size_t count = 5 * n;
    std::vector<std::vector<float>> first;
    for (const unsigned seed : {1u, 2u, 3u}) {
      job ranks{size, seed, nodes_for(GetParam(), size)};
      std::mt19937 random{9};
      std::vector<std::vector<float>> in(n, std::vector<float>(count));
      std::vector<std::vector<float>> out = in;
      std::vector<operation*> operations;
      for (std::size_t rank = 0; rank != n; ++rank) {
        for (float& x : in[rank]) x = static_cast<float>(random()) / 3e5f - 5000.0f;
        collective_call call;
        call.kind = kind;
        call.send = in[rank].data();
        call.receive = out[rank].data();
        call.bytes = (kind == collective::reduce_scatter ? 5 : count) * sizeof(float);
        call.type = detail::scalar::f32;
        call.element_size = sizeof(float);
        call.op = {.kind = detail::builtin::sum, .commutative = true};
        operations.push_back(&ranks.start(static_cast<int>(rank), call));
      }
      ASSERT_TRUE(ranks.finish(operations));
      for (std::size_t rank = 0; rank != n; ++rank)
        ranks.release(static_cast<int>(rank), *operations[rank]);
      if (first.empty()) first = out;
      for (std::size_t rank = 0; rank != n; ++rank)
        ASSERT_EQ(std::memcmp(out[rank].data(), first[rank].data(), count * sizeof(float)), 0)
            << size << " ranks, rank " << rank;
    }
  }
}

std::vector<algorithm> same_bits_ones() {
  std::vector<algorithm> found;
  for (const algorithm& each : all_algorithms())
    if (each.gives != algorithm::bits::own) found.push_back(each);
  return found;
}

class same_bits : public testing::TestWithParam<algorithm> {};

// So the ways among which a blocking sum of floating-point numbers goes to and fro give one result.
TEST_P(same_bits, are_given_by_all_algorithms_that_may_take_each_others_place) {
  const forced_algorithm forced{GetParam()};
  const collective kind = GetParam().kind;
  int checked = 0;
  for (std::size_t n = 2; n != 10; ++n)
    for (const std::size_t block : {1, 5, 350, 20'000}) {
      if (block == 20'000 && n > 4) continue;
      if (!GetParam().gives_same_bits(static_cast<int>(n), 2)) continue;
      const bool has_blocks = kind == collective::reduce_scatter;
      const std::size_t count = has_blocks ? n * block : block;
      const int root = static_cast<int>((n + block) % n);
      const auto in = test::uneven(n, count);
      std::vector<std::vector<float>> out(n, std::vector<float>(count));
      job ranks{static_cast<int>(n), static_cast<unsigned>(n + block)};
      std::vector<operation*> operations;
      for (std::size_t rank = 0; rank != n; ++rank) {
        collective_call call = test::float_sum(kind, in[rank].data(), out[rank].data(), block);
        call.root = root;
        operations.push_back(&ranks.start(static_cast<int>(rank), call));
      }
      ASSERT_TRUE(ranks.finish(operations));
      for (std::size_t rank = 0; rank != n; ++rank) {
        ASSERT_FALSE(ranks.release(static_cast<int>(rank), *operations[rank]).error);
        ASSERT_TRUE(test::same_bits(out[rank].data(), test::wanted_sum(kind, root, rank, in)))
            << n << " ranks, blocks of " << block << ", rank " << rank << ", root " << root;
      }
      if (n > 2 && block >= 350) {
        EXPECT_TRUE(test::depend_on_order(in)) << "nothing was tested";
        ++checked;
      }
    }
  EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(collective, same_bits, testing::ValuesIn(same_bits_ones()),
                         test::algorithm_name);

}  // namespace
