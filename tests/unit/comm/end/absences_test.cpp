// Ranks that take no part in a collective: nobody waits for them, nobody takes a half result for a
// whole one, and the next one is sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "comm/end/absences.hpp"
#include "peal/error.hpp"
#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;
using detail::collective;
using test::job;

constexpr std::array kinds{collective::bcast,          collective::reduce,    collective::allreduce,
                           collective::gather,         collective::scatter,   collective::alltoall,
                           collective::reduce_scatter, collective::allgather, collective::scan,
                           collective::exscan};

/// All ranks, which hear of each other's absences.
struct ranks_that_hear {
  ranks_that_hear(int size, unsigned seed)
      : ranks{size, seed}, heard(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank != size; ++rank)
      ranks.with(rank, [&](messaging& messages, collectives& together, collective_state&,
                           const team& members) {
        // What ranks say goes over contexts of the world's.
        worlds.push_back(std::make_unique<team>(0U, members));
        heard[static_cast<std::size_t>(rank)].emplace(messages, together, *worlds.back());
      });
  }
  /// What ranks say to each other is theirs until it has left.
  ~ranks_that_hear() { ranks.settle(); }
  void stay_out(int rank) {
    ranks.with(rank, [&](messaging&, collectives&, collective_state& state, const team&) {
      heard[static_cast<std::size_t>(rank)]->stay_out(state);
    });
  }

  job ranks;
  std::vector<std::unique_ptr<team>> worlds;
  std::vector<std::optional<absences>> heard;
};

struct vectors {
  std::vector<std::uint64_t> in, out;
};

collective_call call_of(collective kind, vectors& mine, int rank, int size, std::size_t count) {
  const std::size_t all = count * static_cast<std::size_t>(size);
  mine.in.assign(all, static_cast<std::uint64_t>(rank) + 1);
  mine.out.assign(all, 0);
  collective_call call;
  call.kind = kind;
  call.send = mine.in.data();
  call.receive = kind == collective::bcast && rank == 0 ? mine.in.data() : mine.out.data();
  call.bytes = count * sizeof(std::uint64_t);
  if (!detail::is_reduction(kind)) return call;
  call.type = detail::scalar::u64;
  call.element_size = sizeof(std::uint64_t);
  call.op = {.kind = detail::builtin::sum, .commutative = true};
  return call;
}

/// Whether the result is what it should be, where there is one.
bool is_whole(collective kind, const vectors& mine, int rank, int size, std::size_t count) {
  const auto sum = [](int ranks) { return static_cast<std::uint64_t>(ranks * (ranks + 1) / 2); };
  const auto all_are = [&](std::uint64_t expected) {
    return std::all_of(mine.out.begin(), mine.out.begin() + static_cast<std::ptrdiff_t>(count),
                       [=](std::uint64_t each) { return each == expected; });
  };
  switch (kind) {
    case collective::bcast: return rank == 0 || all_are(1);
    case collective::scatter: return all_are(1);
    case collective::reduce: return rank != 0 || all_are(sum(size));
    case collective::allreduce:
    case collective::reduce_scatter: return all_are(sum(size));
    case collective::scan: return all_are(sum(rank + 1));
    case collective::exscan: return rank == 0 || all_are(sum(rank));
    case collective::gather:
      if (rank != 0) return true;
      break;
    default: break;
  }
  for (std::size_t i = 0; i != mine.out.size(); ++i)
    if (mine.out[i] != i / count + 1) return false;
  return true;
}

class absent : public testing::TestWithParam<std::size_t> {};

TEST_P(absent, ranks_are_left_out_and_the_next_collective_is_sound) {
  const std::size_t count = GetParam();
  unsigned seed = 0;
  for (const collective kind : kinds)
    for (int size = 2; size <= 9; ++size)
      for (int bad = 0; bad != size; ++bad) {
        ranks_that_hear all{size, ++seed};
        job& ranks = all.ranks;
        // 0: nobody is absent, 1: one before the others begin, 2: in their midst, 3: two are
        for (const int how : {0, 1, 2, 3}) {
          const int other = how == 3 ? (bad + 1) % size : bad;
          const auto is_absent = [&](int rank) {
            return how != 0 && (rank == bad || rank == other);
          };
          std::vector<vectors> data(static_cast<std::size_t>(size));
          std::vector<operation*> operations;
          if (how == 1) {
            all.stay_out(bad);
            if (seed % 2 == 0) ranks.settle();
          }
          for (int rank = 0; rank != size; ++rank)
            if (!is_absent(rank)) {
              operations.push_back(&ranks.start(
                  rank, call_of(kind, data[static_cast<std::size_t>(rank)], rank, size, count)));
            } else {
              operations.push_back(nullptr);
            }
          if (how == 2) {
            for (unsigned i = 0; i != seed % 50; ++i) ranks.step();
            if (seed % 7 == 0) ranks.settle();
          }
          if (how > 1) all.stay_out(bad);
          if (how == 3) all.stay_out(other);
          ASSERT_TRUE(ranks.finish(operations))
              << size << " ranks, rank " << bad << " takes no part, kind "
              << static_cast<int>(kind);
          for (int rank = 0; rank != size; ++rank) {
            operation* const each = operations[static_cast<std::size_t>(rank)];
            if (each == nullptr) continue;
            const outcome result = ranks.release(rank, *each);
            if (result.error) {
              EXPECT_NE(how, 0);
              EXPECT_EQ(result.error, errc::operation_failed);
              // Who has heard of it names the rank; nobody names another one.
              EXPECT_TRUE(result.source == bad || result.source == other ||
                          (result.source == -1 && (how != 1 || seed % 2 != 0)))
                  << size << " ranks, rank " << rank << " names " << result.source;
            } else {
              EXPECT_TRUE(is_whole(kind, data[static_cast<std::size_t>(rank)], rank, size, count))
                  << size << " ranks, rank " << rank << ", " << bad << " takes no part, kind "
                  << static_cast<int>(kind);
            }
          }
        }
        // What was sent to a rank that took no part has been thrown away.
        ranks.settle();
        for (int rank = 0; rank != size; ++rank) {
          EXPECT_TRUE(ranks.quiet(rank));
          outcome what;
          const bool left = ranks.with(
              rank, [&](messaging& messages, collectives&, collective_state&, const team& members) {
                return messages.probe(members, members.collective_context(),
                                      detail::any_source_value, detail::any_tag_value, what);
              });
          EXPECT_FALSE(left);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(comm, absent, testing::Values(2, 100, 3000),
                         testing::PrintToStringParamName());

TEST(call_log, knows_the_ways_of_the_last_calls) {
  using direct::way;
  direct::call_log calls;
  EXPECT_FALSE(calls.has(0));
  constexpr std::array ways{way::in_short, way::messages, way::in_long, way::refused,
                            way::in_short};
  for (std::uint32_t i = 0; i != 100; ++i) {
    EXPECT_EQ(calls.add(ways[i % ways.size()]), i + 1);
    EXPECT_TRUE(calls.has(i));
    EXPECT_FALSE(calls.has(i + 1));
    for (std::uint32_t back = 0; back <= i && back < direct::call_log::depth; ++back) {
      ASSERT_TRUE(calls.knows(i - back));
      EXPECT_EQ(calls.of(i - back), ways[(i - back) % ways.size()]);
    }
    if (i >= direct::call_log::depth) {
      EXPECT_FALSE(calls.knows(i - direct::call_log::depth));
    }
  }
}

}  // namespace
