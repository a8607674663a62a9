// What ranks hear of each other's communicators. Context numbers are used again, so a rank may
// speak of one that is another one here.
#include "comm/end/end_watch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "peal/error.hpp"
#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;

constexpr std::uint32_t shared_context = 2 * contexts_of_one;

/// Three ranks, of which the first two have a communicator.
struct watched_ranks : test::job {
  watched_ranks() : test::job{3} {
    worlds.reserve(3);  // they stay where they are
    pairs.reserve(2);
    for (int rank = 0; rank != 3; ++rank)
      with(rank, [&](messaging& messages, collectives& together, collective_state&, const team&) {
        worlds.push_back({0, rank, {0, 1, 2}});
        if (rank == 2) return;
        pairs.push_back({shared_context, rank, {0, 1}});
        states[rank].emplace(together, pairs.back());
        watches[rank].emplace(messages, together, nullptr, worlds.back(), true);
      });
  }
  operation& start_barrier(int rank) {
    return with(
        rank, [&](messaging&, collectives& together, collective_state&, const team&) -> operation& {
          return together.start(*states[rank], {});
        });
  }
  /// To rank 0.
  void say_that_it_gave_up(int from) {
    with(from, [&](messaging& messages, collectives&, collective_state&, const team&) {
      const end_watch::note said{end_watch::kind::gave_up, shared_context};
      operation& sent = messages.start_send(worlds[static_cast<std::size_t>(from)],
                                            end_watch::own_context, &said, sizeof said, 0, 0);
      ASSERT_TRUE(finish({&sent}));
      messages.release(sent);
    });
    settle();
    watches[0]->look();
  }

  std::vector<team> worlds, pairs;
  std::optional<collective_state> states[2];
  std::optional<end_watch> watches[2];
};

TEST(end_watch, a_rank_that_does_not_belong_to_a_communicator_cannot_end_its_collectives) {
  watched_ranks ranks;
  operation& first = ranks.start_barrier(0);
  ranks.say_that_it_gave_up(2);
  EXPECT_FALSE(first.finished.load());
  operation& second = ranks.start_barrier(1);
  ASSERT_TRUE(ranks.finish({&first, &second}));
  EXPECT_FALSE(ranks.release(0, first).error);
  EXPECT_FALSE(ranks.release(1, second).error);
}

TEST(end_watch, a_member_that_has_given_up_ends_them) {
  watched_ranks ranks;
  operation& first = ranks.start_barrier(0);
  ranks.say_that_it_gave_up(1);
  ASSERT_TRUE(ranks.finish({&first}));
  EXPECT_EQ(ranks.release(0, first).error, errc::peer_failed);
}

}  // namespace
