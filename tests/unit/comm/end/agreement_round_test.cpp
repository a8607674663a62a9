#include "comm/end/agreement_round.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace peal {
namespace {

using letter = agreement_round::letter;

/// Ranks whose messages take their time, each pair's in order. A rank that dies does so in the
/// midst of what it says, and the others hear of it one after the other, each when it has taken all
/// that came from the dead.
class ranks {
 public:
  explicit ranks(int count, unsigned seed)
      : count_{count},
        chance_{seed},
        rounds_(static_cast<std::size_t>(count)),
        alive_(static_cast<std::size_t>(count), true),
        under_way_(static_cast<std::size_t>(count * count)),
        news_(static_cast<std::size_t>(count)) {}

  int below(int limit) { return static_cast<int>(chance_() % static_cast<unsigned>(limit)); }
  [[nodiscard]] bool alive(int rank) const { return alive_[at(rank)]; }
  [[nodiscard]] const std::optional<agreement_round>& of(int rank) const {
    return rounds_[at(rank)];
  }
  std::vector<int> dead;

  void start(int rank, std::uint64_t flags) {
    verdict mine;
    mine.flags = flags;
    mine.context = static_cast<std::uint32_t>(100 + rank);
    mine.some_make = true;
    mine.gone.resize(at(count_));
    for (const int each : known_before_[rank]) mine.gone[at(each)] = true;
    std::vector<letter> out;
    rounds_[at(rank)].emplace(rank, mine, out);
    send(rank, out);
    for (const auto& [from, said] : std::exchange(early_[rank], {})) deliver(from, rank, said);
  }
  void die(int rank) {
    alive_[at(rank)] = false;
    dead.push_back(rank);
    // The last things that it said have not left.
    for (int to = 0; to != count_; ++to) {
      auto& on_way = channel(rank, to);
      const auto lost = std::min<std::size_t>(on_way.size(), static_cast<std::size_t>(below(2)));
      on_way.resize(on_way.size() - lost);
      news_[at(to)].push_back(rank);
    }
  }
  /// One thing happens. False: there is nothing left to happen.
  bool turn() {
    std::vector<std::pair<int, int>> possible;  // from, to; -1: news of a death
    for (int to = 0; to != count_; ++to) {
      if (!alive(to)) continue;
      for (int from = 0; from != count_; ++from)
        if (!channel(from, to).empty()) possible.emplace_back(from, to);
      if (!news_[at(to)].empty()) possible.emplace_back(-1, to);
    }
    if (possible.empty()) return false;
    const auto [from, to] = possible[at(below(static_cast<int>(possible.size())))];
    if (from >= 0) take_next(from, to);
    else hear_of(news_[at(to)].front(), to);
    return true;
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  std::deque<agreement_round::saying>& channel(int from, int to) {
    return under_way_[at(from * count_ + to)];
  }
  void take_next(int from, int to) {
    const agreement_round::saying said = channel(from, to).front();
    channel(from, to).pop_front();
    deliver(from, to, said);
  }
  void deliver(int from, int to, const agreement_round::saying& said) {
    if (!rounds_[at(to)]) return void(early_[to].emplace_back(from, said));
    std::vector<letter> out;
    rounds_[at(to)]->take(from, said, out);
    send(to, out);
  }
  void hear_of(int gone, int to) {
    while (!channel(gone, to).empty()) take_next(gone, to);
    news_[at(to)].pop_front();
    if (!rounds_[at(to)]) return known_before_[to].push_back(gone);
    std::vector<letter> out;
    rounds_[at(to)]->mark_gone(gone, out);
    send(to, out);
  }
  void send(int from, const std::vector<letter>& out) {
    for (const letter& each : out) channel(from, each.to).push_back(each.what);
  }

  const int count_;
  std::mt19937 chance_;
  std::vector<std::optional<agreement_round>> rounds_;
  std::vector<bool> alive_;
  std::vector<std::deque<agreement_round::saying>> under_way_;  // by from, to
  std::vector<std::deque<int>> news_;                           // of deaths, by rank
  std::map<int, std::vector<std::pair<int, agreement_round::saying>>> early_;
  std::map<int, std::vector<int>> known_before_;
};

TEST(agreement_round, all_that_live_agree_whoever_dies_at_whatever_time) {
  int with_takeover = 0;
  for (unsigned seed = 0; seed != 5000; ++seed) {
    std::mt19937 chance{seed};
    const int count = 1 + static_cast<int>(chance() % 8);
    ranks all{count, seed};
    std::uint64_t words = ~std::uint64_t{0};
    std::vector<int> to_start;
    for (int rank = 0; rank != count; ++rank) to_start.push_back(rank);
    for (;;) {
      if (!to_start.empty() && chance() % 4 == 0) {
        const auto which = chance() % to_start.size();
        const int rank = to_start[which];
        to_start.erase(to_start.begin() + static_cast<std::ptrdiff_t>(which));
        if (all.alive(rank)) all.start(rank, ~(std::uint64_t{1} << rank));
      } else if (!all.turn() && to_start.empty()) {
        break;
      }
      if (chance() % (5 * static_cast<unsigned>(count)) == 0) {
        const int rank = all.below(count);
        if (all.alive(rank) && static_cast<int>(all.dead.size()) + 1 < count) all.die(rank);
      }
    }
    const agreement_round* first = nullptr;
    for (int rank = 0; rank != count; ++rank) {
      if (!all.alive(rank)) continue;
      words &= ~(std::uint64_t{1} << rank);
      const agreement_round& each = *all.of(rank);
      ASSERT_TRUE(each.decided()) << "seed " << seed << ", rank " << rank;
      if (first == nullptr) first = &each;
      ASSERT_EQ(each.result(), first->result()) << "seed " << seed << ", rank " << rank;
    }
    ASSERT_NE(first, nullptr);
    const verdict& found = first->result();
    // The words of all that live are in it; those of others may be.
    EXPECT_EQ(found.flags & ~words, 0U) << "seed " << seed;
    for (int rank = 0; rank != count; ++rank) {
      const bool gone = found.gone[static_cast<std::size_t>(rank)];
      if (gone) {
        EXPECT_FALSE(all.alive(rank)) << "seed " << seed;
      }
    }
    if (found.context != 100) ++with_takeover;
  }
  EXPECT_GT(with_takeover, 500);
}

TEST(agreement_round, takes_two_messages_a_rank_when_nobody_dies) {
  std::vector<letter> out;
  verdict word;
  word.gone.resize(4);
  agreement_round first{0, word, out};
  EXPECT_TRUE(out.empty());
  for (int rank = 1; rank != 4; ++rank) {
    std::vector<letter> said;
    const agreement_round other{rank, word, said};
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.front().to, 0);
    EXPECT_TRUE(first.awaits(rank));
    first.take(rank, said.front().what, out);
  }
  EXPECT_TRUE(first.decided());
  EXPECT_EQ(out.size(), 3U);
}

TEST(agreement_round, a_rank_that_knows_the_result_tells_a_later_coordinator) {
  std::vector<letter> out;
  verdict word;
  word.gone.resize(3);
  agreement_round second{1, word, out}, third{2, word, out};
  verdict result = word;
  result.flags = 5;
  third.take(0, {agreement_round::kind::decides, 0, result}, out);
  ASSERT_TRUE(third.decided());
  out.clear();
  second.mark_gone(0, out);
  EXPECT_FALSE(second.decided());
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out.front().what.what, agreement_round::kind::asks);
  std::vector<letter> answer;
  third.take(1, out.front().what, answer);
  ASSERT_EQ(answer.size(), 1U);
  second.take(2, answer.front().what, out);
  ASSERT_TRUE(second.decided());
  EXPECT_EQ(second.result().flags, 5U);
}

TEST(agreement_round, a_rank_that_was_asked_takes_no_decision_of_a_lower_coordinator) {
  std::vector<letter> out;
  verdict word;
  word.gone.resize(3);
  agreement_round third{2, word, out};
  third.take(1, {agreement_round::kind::asks, 1, {}}, out);
  verdict result = word;
  result.flags = 5;
  third.take(0, {agreement_round::kind::decides, 0, result}, out);
  EXPECT_FALSE(third.decided());
  result.flags = 6;
  third.take(1, {agreement_round::kind::decides, 1, result}, out);
  ASSERT_TRUE(third.decided());
  EXPECT_EQ(third.result().flags, 6U);
}

}  // namespace
}  // namespace peal
