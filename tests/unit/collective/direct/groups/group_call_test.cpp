#include "collective/direct/groups/group_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "collective/direct/calls/short_call.hpp"
#include "unit/collective/direct/plans.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"
#include "unit/collective/thrower.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::test;

/// Ranks in groups of at most `most`, those of one cache by turns where `scattered`.
class grouped_ranks {
 public:
  grouped_ranks(int size, std::size_t most, bool scattered) : size_{size} {
    std::vector<rank_place> places(static_cast<std::size_t>(size));
    for (std::size_t rank = 0; scattered && rank != places.size(); ++rank)
      places[rank] = {static_cast<std::uint16_t>(rank % 3), 0, 0};
    groups_ = std::make_unique<rank_groups>(places, most);
    for (const rank_groups::group& each : groups_->all())
      blocks_.try_emplace({each.members.front(), each.number},
                          static_cast<int>(each.members.size()));
  }
  [[nodiscard]] const rank_groups& groups() const { return *groups_; }

  void run(const std::function<void(int, group_flags&)>& body) {
    std::vector<std::thread> ranks;
    for (int rank = 0; rank != size_; ++rank)
      ranks.emplace_back([&, rank] {
        group_flags own{*groups_, rank, size_};
        for (group_end& each : own.ends()) {
          each.shared = &*blocks_.at({each.members.front(), each.number});
          each.open([](int) { return receiver{}; });
        }
        body(rank, own);
      });
    for (std::thread& each : ranks) each.join();
  }

 private:
  int size_;
  std::unique_ptr<rank_groups> groups_;
  std::map<std::pair<int, int>, shared_block> blocks_;
};

struct shape {
  int size;
  std::size_t most;
  bool scattered;
};
class group_play_of : public testing::TestWithParam<shape> {};

// Of all roots, one right behind the other, some ranks far ahead of others.
TEST_P(group_play_of, random_calls_back_to_back_give_what_they_should) {
  const auto [size, most, scattered] = GetParam();
  grouped_ranks ranks{size, most, scattered};
  const bool in_order = ranks.groups().in_order();
  EXPECT_EQ(in_order, !scattered);
  ranks.run([&, size = size](int rank, group_flags& own) {
    std::mt19937 plans{static_cast<unsigned>(size)}, pauses{static_cast<unsigned>(rank)};
    for (int i = 0, made = 0; made != 1000; ++i) {
      const plan p = random_plan(plans, size, area_bytes);
      part mine{p, rank, size};
      if (!group_call::fits(mine.call, size, in_order)) continue;
      ++made;
      const auto sent = mine.send;
      const std::error_code became = run<group_call>(own, mine.call);
      // reduce_scatter in place leaves more
      mine.receive.resize(std::min(mine.receive.size(), mine.expected.size()));
      EXPECT_TRUE(is_right(p, mine, sent, became)) << "call " << i << ", rank " << rank;
      if (became) return;
      for (auto pause = pauses() % 40 == 0 ? pauses() % 20 : 0; pause != 0; --pause) sched_yield();
    }
  });
}
INSTANTIATE_TEST_SUITE_P(direct, group_play_of,
                         testing::Values(shape{3, 2, false}, shape{8, 2, false}, shape{7, 3, true},
                                         shape{17, 16, false}, shape{24, 16, true},
                                         shape{33, 4, false}));

// Sums of numbers whose order shows.
TEST(group_play, all_ranks_have_the_same_bits) {
  constexpr int size = 20;
  grouped_ranks ranks{size, 4, true};
  std::vector<double> sums(size), at_root(size);
  ranks.run([&](int rank, group_flags& own) {
    const double value = 1.0 / (rank * rank + 3);
    const auto at = static_cast<std::size_t>(rank);
    collective_call call;
    call.kind = collective::allreduce;
    call.send = &value;
    call.receive = &sums[at];
    call.bytes = call.element_size = sizeof value;
    call.type = detail::scalar::f64;
    call.op = {.kind = detail::builtin::sum, .commutative = true};
    EXPECT_FALSE(run<group_call>(own, call));
    call.kind = collective::reduce;
    call.receive = &at_root[at];
    for (call.root = 0; call.root != size; ++call.root) EXPECT_FALSE(run<group_call>(own, call));
  });
  for (const double each : sums) EXPECT_EQ(each, sums.front());
  EXPECT_EQ(at_root, sums);
}

TEST(group_play, who_depends_on_an_operation_that_throws_is_told) {
  constexpr int size = 9;
  for (int bad = 0; bad != size; ++bad) {
    grouped_ranks ranks{size, 3, false};
    std::atomic<int> threw{0};
    ranks.run([&](int rank, group_flags& own) {
      for (const bool throws : {true, false}) {
        thrower context{throws && rank == bad};
        const word one = 1;
        word sum = 0;
        collective_call call;
        call.kind = collective::allreduce;
        call.send = &one;
        call.receive = &sum;
        call.bytes = call.element_size = sizeof one;
        call.op = {.kind = detail::builtin::none,
                   .commutative = true,
                   .combine = test::add_or_throw<word>,
                   .context = &context};
        try {
          if (const std::error_code became = run<group_call>(own, call)) {
            EXPECT_EQ(became, errc::operation_failed);
            EXPECT_TRUE(throws);
          } else {
            EXPECT_EQ(sum, static_cast<word>(size));
          }
        } catch (const std::domain_error&) {
          EXPECT_TRUE(context.throws);
          ++threw;
        }
      }
    });
    EXPECT_EQ(threw.load(), bad % 3 == 0 ? 1 : 0) << "leaders join, in groups of three";
  }
}

TEST(group_play, blocks_of_another_length_are_an_error_for_all_who_get_them) {
  constexpr int size = 9;
  for (const auto kind : {collective::gather, collective::allgather})
    for (int bad = 0; bad != size; ++bad) {
      grouped_ranks ranks{size, 3, false};
      ranks.run([&](int rank, group_flags& own) {
        std::array<word, 2> values{1, 1};
        std::array<word, std::size_t{2} * size> got{};
        collective_call call;
        call.kind = kind;
        call.root = 4;
        call.send = values.data();
        call.receive = got.data();
        call.bytes = rank == bad ? 8 : 4;
        const std::error_code became = run<group_call>(own, call);
        EXPECT_EQ(static_cast<bool>(became), kind != collective::gather || rank == call.root);
        call.bytes = 8;
        EXPECT_FALSE(run<group_call>(own, call));
        if (kind == collective::allgather) {
          EXPECT_EQ(got[17], 1u);
        }
      });
    }
}

TEST(group_play, what_does_not_match_is_an_error_everywhere_and_the_next_call_is_right) {
  constexpr int size = 9;
  for (int bad = 0; bad != size; ++bad) {
    grouped_ranks ranks{size, 3, false};
    ranks.run([&](int rank, group_flags& own) {
      std::array<word, 2> values{1, 1}, sums{};
      collective_call call;
      call.kind = collective::allreduce;
      call.send = values.data();
      call.receive = sums.data();
      call.bytes = rank == bad ? 8 : 4;
      call.element_size = sizeof(word);
      call.type = detail::scalar::u32;
      call.op = {.kind = detail::builtin::sum, .commutative = true};
      EXPECT_TRUE(run<group_call>(own, call));
      // One that is refused its arguments.
      collective_call refused = no_part_in_a_short_call();
      call.bytes = 8;
      const std::error_code became = run<group_call>(own, rank == bad ? refused : call);
      if (rank != bad) {
        EXPECT_EQ(became, errc::invalid_argument);
      }
      EXPECT_FALSE(run<group_call>(own, call));
      EXPECT_EQ(sums[1], static_cast<word>(size));
    });
  }
}

TEST(group_play, refused_ranks_keep_nobody_waiting_whatever_is_called) {
  constexpr int size = 9;
  grouped_ranks ranks{size, 3, false};
  ranks.run([&](int rank, group_flags& own) {
    for (int i = 0; i != 300; ++i) {
      const int bad = i % size, root = i / 3 % size;
      word value = 1, sum = 0;
      collective_call call;
      call.kind = std::array{collective::barrier, collective::bcast, collective::reduce}[i % 3U];
      call.root = root;
      call.send = call.kind == collective::reduce ? &value : nullptr;
      call.receive = &sum;
      call.bytes = call.kind == collective::barrier ? 0 : sizeof value;
      call.element_size = sizeof value;
      call.type = detail::scalar::u32;
      call.op = {.kind = detail::builtin::sum, .commutative = true};
      const std::error_code became =
          run<group_call>(own, rank == bad ? no_part_in_a_short_call() : call);
      if (rank == bad || rank != root || call.kind != collective::reduce) continue;
      EXPECT_EQ(became, errc::invalid_argument) << "a sum in which a part is missing";
    }
  });
}

TEST(group_play, says_whom_it_waits_for) {
  constexpr int size = 4;
  grouped_ranks ranks{size, 2, false};
  std::atomic<int> stage{0};
  ranks.run([&](int rank, group_flags& own) {
    collective_call what;
    what.kind = collective::barrier;
    group_call call{own, what};
    call.begin();
    if (rank == 3) {  // the last to come
      while (stage.load() != 3) sched_yield();
    } else {
      while (rank == 0 && stage.load() != 2) sched_yield();
      while (call.ready()) (void)call.step();
      // 2 leads 3, and 0 leads 1 and meets 2 at the top.
      while (rank == 0 && call.awaits() == 1) {
        while (call.ready()) (void)call.step();
      }
      EXPECT_EQ(call.awaits(), rank == 2 ? 3 : rank == 1 ? 0 : 2);
      ++stage;
    }
    while (!call.over()) {
      while (!call.ready()) sched_yield();
      (void)call.step();
    }
    EXPECT_EQ(call.awaits(), -1);
  });
}

TEST(group_play, takes_what_fits_and_can_be_joined_in_the_order_of_the_groups) {
  constexpr int size = 20;
  collective_call call;
  call.kind = collective::barrier;
  EXPECT_TRUE(group_call::fits(call, size, false));
  call.kind = collective::allreduce;
  EXPECT_FALSE(group_call::fits(call, size, true)) << "nothing";
  call.bytes = area_bytes;
  call.op = {.kind = detail::builtin::none, .commutative = false};
  EXPECT_TRUE(group_call::fits(call, size, true));
  EXPECT_FALSE(group_call::fits(call, size, false));
  call.op.commutative = true;
  EXPECT_TRUE(group_call::fits(call, size, false));
  call.bytes = area_bytes + 1;
  EXPECT_FALSE(group_call::fits(call, size, true));
}

TEST(group_play, takes_blocks_of_all_ranks_that_fit_together) {
  constexpr int size = 20;
  for (const auto kind : {collective::gather, collective::allgather, collective::scatter,
                          collective::reduce_scatter}) {
    collective_call call;
    call.kind = kind;
    call.op = {.kind = detail::builtin::sum, .commutative = true};
    for (const bool in_order : {true, false}) {
      call.bytes = area_bytes / size;
      EXPECT_TRUE(group_call::fits(call, size, in_order)) << static_cast<int>(kind);
      call.bytes = area_bytes / size + 1;
      EXPECT_FALSE(group_call::fits(call, size, in_order)) << static_cast<int>(kind);
    }
    call.bytes = 4;
    call.op = {.kind = detail::builtin::none, .commutative = false};
    EXPECT_EQ(group_call::fits(call, size, false), kind != collective::reduce_scatter);
    call.varying = true;
    EXPECT_FALSE(group_call::fits(call, size, true));
  }
  for (const auto kind : {collective::alltoall, collective::scan, collective::exscan}) {
    collective_call call;
    call.kind = kind;
    call.bytes = 1;
    call.op = {.kind = detail::builtin::sum, .commutative = true};
    EXPECT_FALSE(group_call::fits(call, size, true)) << static_cast<int>(kind);
  }
}

}  // namespace
