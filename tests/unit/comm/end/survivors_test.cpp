// Agreements and communicators that are given up, over messages that take their time.
#include "comm/end/survivors.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "peal/error.hpp"
#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;

constexpr std::uint32_t agreed_context = 3 * contexts_of_one;

/// Ranks with a communicator of all of them.
struct agreeing_ranks : test::job {
  explicit agreeing_ranks(int size, unsigned seed = 1) : test::job{size, seed} {
    std::vector<peer_id> all;
    for (int rank = 0; rank != size; ++rank) all.push_back(static_cast<peer_id>(rank));
    for (int rank = 0; rank != size; ++rank) {
      worlds.push_back(std::make_unique<team>(0, rank, all));
      shared.push_back(std::make_unique<team>(agreed_context, rank, all));
      with(rank, [&](messaging& messages, collectives& together, collective_state&, const team&) {
        states.push_back(std::make_unique<collective_state>(together, *shared.back()));
        of.push_back(std::make_unique<survivors>(idle, messages, together, *worlds.back()));
      });
    }
  }
  operation& agree(int rank, std::uint32_t number, std::uint64_t flags) {
    verdict mine;
    mine.flags = flags;
    mine.context = static_cast<std::uint32_t>(1000 + rank);
    return of[at(rank)]->agree(*shared[at(rank)], number, mine);
  }
  const verdict& result(int rank) { return of[at(rank)]->result_of(agreed_context); }
  operation& receive(int rank, int from, int& into) {
    return with(
        rank, [&](messaging& messages, collectives&, collective_state&, const team&) -> operation& {
          return messages.start_recv(*shared[at(rank)], agreed_context, &into, sizeof into, from,
                                     1);
        });
  }
  void hear(int rank, int dead) {
    tell(rank, dead);
    of[at(rank)]->look();
  }
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  engine idle;  // nobody sleeps
  std::vector<std::unique_ptr<team>> worlds, shared;
  std::vector<std::unique_ptr<collective_state>> states;
  std::vector<std::unique_ptr<survivors>> of;
};

TEST(survivors, ranks_agree_again_and_again_although_some_are_ahead) {
  agreeing_ranks ranks{4};
  for (std::uint32_t number = 0; number != 20; ++number) {
    std::vector<operation*> all;
    for (int rank = 3; rank >= 0; --rank) {
      all.push_back(&ranks.agree(rank, number, ~(std::uint64_t{1} << rank)));
      ranks.step();
    }
    ASSERT_TRUE(ranks.finish(all));
    for (int rank = 0; rank != 4; ++rank) {
      EXPECT_EQ(ranks.result(rank).flags, ~std::uint64_t{15});
      EXPECT_EQ(ranks.result(rank).context, 1000u);
      ranks.release(3 - rank, *all[static_cast<std::size_t>(rank)]);
    }
  }
}

TEST(survivors, the_next_rank_takes_over_when_the_first_one_dies) {
  agreeing_ranks ranks{3};
  operation& first = ranks.agree(1, 0, 6);
  operation& second = ranks.agree(2, 0, 3);
  ranks.settle();
  EXPECT_FALSE(first.finished.load() || second.finished.load());
  std::vector<awaited> waits;
  ranks.of[1]->list_awaited(waits);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits.front().peer, 0u);
  ranks.kill(0);
  ranks.hear(2, 0);
  ranks.hear(1, 0);
  ASSERT_TRUE(ranks.finish({&first, &second}));
  for (const int rank : {1, 2}) {
    EXPECT_EQ(ranks.result(rank).flags, 2u);
    EXPECT_EQ(ranks.result(rank).gone, (std::vector<bool>{true, false, false}));
  }
  ranks.release(1, first);
  ranks.release(2, second);
}

// The coordinator dies between two messages of its decision. Who has it is in the next agreement
// already, and coordinates there, when the other one asks.
TEST(survivors, a_rank_that_has_gone_on_answers_one_that_has_not_heard_the_last_result) {
  int left_behind = 0;
  for (unsigned seed = 1; seed != 200; ++seed) {
    agreeing_ranks ranks{3, seed};
    std::vector<operation*> first;
    for (int rank = 0; rank != 3; ++rank)
      first.push_back(&ranks.agree(rank, 0, ~(std::uint64_t{1} << rank)));
    ASSERT_TRUE(ranks.finish({first[1]}));
    ranks.kill(0);
    ranks.settle();
    left_behind += first[2]->finished.load() ? 0 : 1;
    operation& ahead = ranks.agree(1, 1, 6);
    for (const int rank : {1, 2}) ranks.hear(rank, 0);
    ASSERT_TRUE(ranks.finish({first[2]})) << "seed " << seed;
    EXPECT_EQ(ranks.result(2).flags, ~std::uint64_t{7});
    operation& behind = ranks.agree(2, 1, 3);
    ASSERT_TRUE(ranks.finish({&ahead, &behind})) << "seed " << seed;
    for (const int rank : {1, 2}) EXPECT_EQ(ranks.result(rank).flags, 2u);
    for (const int rank : {1, 2}) ranks.release(rank, *first[agreeing_ranks::at(rank)]);
    ranks.release(1, ahead);
    ranks.release(2, behind);
  }
  EXPECT_GT(left_behind, 0);
}

TEST(survivors, a_communicator_that_one_gives_up_ends_on_all) {
  for (unsigned seed = 1; seed != 20; ++seed) {
    agreeing_ranks ranks{20, seed};
    std::vector<int> into(20);
    std::vector<operation*> waiting;
    for (int rank = 0; rank != 20; ++rank)
      waiting.push_back(&ranks.receive(rank, (rank + 1) % 20, into[agreeing_ranks::at(rank)]));
    ranks.of[7]->revoke(*ranks.shared[7]);
    ASSERT_TRUE(ranks.finish(waiting)) << "seed " << seed;
    for (int rank = 0; rank != 20; ++rank) {
      EXPECT_EQ(ranks.release(rank, *waiting[agreeing_ranks::at(rank)]).error, errc::peer_failed);
      EXPECT_TRUE(ranks.states[agreeing_ranks::at(rank)]->failed().load());
    }
  }
}

TEST(survivors, one_that_is_made_late_is_given_up_at_once) {
  agreeing_ranks ranks{2};
  ranks.states[1].reset();  // rank 1 has not made it
  ranks.of[0]->revoke(*ranks.shared[0]);
  ranks.settle();
  ranks.with(1, [&](messaging&, collectives& together, collective_state&, const team&) {
    ranks.states[1] = std::make_unique<collective_state>(together, *ranks.shared[1]);
  });
  EXPECT_FALSE(ranks.states[1]->failed().load());
  ranks.of[1]->made(*ranks.shared[1]);
  EXPECT_TRUE(ranks.states[1]->failed().load());
  int into = 0;
  operation& late = ranks.receive(1, 0, into);
  ASSERT_TRUE(late.finished.load());
  EXPECT_EQ(ranks.release(1, late).error, errc::peer_failed);
}

}  // namespace
