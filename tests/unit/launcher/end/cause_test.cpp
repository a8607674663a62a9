#include "end/cause.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace {

using peal::launcher::rank_end;
using peal::launcher::settled;

// as wait has them
constexpr int killed = SIGKILL, aborted = SIGABRT, crashed = SIGSEGV, exited_with_3 = 3 << 8;

rank_end end_of(int rank, int place, int status) {
  rank_end end;
  end.rank = rank;
  end.place = place;
  end.status = status;
  end.connected = true;
  return end;
}

int first_of(std::vector<rank_end> ends) {
  peal::launcher::sort_by_cause(ends);
  return ends.front().rank;
}

TEST(cause, is_who_ended_first) {
  EXPECT_EQ(first_of({end_of(0, 2, aborted), end_of(1, 1, exited_with_3)}), 1);
  EXPECT_EQ(first_of({end_of(0, 1, aborted), end_of(1, 2, crashed)}), 0);
}

TEST(cause, is_who_was_killed_although_its_end_is_told_later) {
  EXPECT_EQ(first_of({end_of(0, 1, aborted), end_of(1, 2, killed)}), 1);
  EXPECT_EQ(first_of({end_of(0, 1, aborted), end_of(1, 2, (128 + SIGKILL) << 8)}), 1)
      << "a shell that says so of its program";
  EXPECT_EQ(first_of({end_of(0, 2, killed), end_of(1, 1, killed)}), 1);
}

TEST(cause, is_who_crashed_and_was_dying_when_another_failed) {
  rank_end dying = end_of(1, 2, crashed);
  dying.seen_dying = true;
  EXPECT_EQ(first_of({end_of(0, 1, aborted), dying}), 1);
  dying.status = aborted;  // as ranks do that hear of a failure
  EXPECT_EQ(first_of({end_of(0, 1, exited_with_3), dying}), 0);
}

TEST(cause, without_places_is_whom_the_server_lost_first) {
  rank_end first = end_of(1, 0, aborted), second = end_of(0, 0, aborted);
  first.lost = 1;
  second.lost = 2;
  EXPECT_EQ(first_of({second, first}), 1);
}

TEST(cause, is_not_who_failed_after_its_farewell) {
  rank_end left = end_of(0, 1, exited_with_3);
  left.finalized = true;
  EXPECT_EQ(first_of({left, end_of(1, 2, exited_with_3)}), 1);
}

TEST(cause, may_be_an_abort) {
  rank_end gave_up = end_of(0, 2, 0);
  gave_up.aborted = true;
  EXPECT_EQ(first_of({gave_up, end_of(1, 3, exited_with_3)}), 0);
  EXPECT_EQ(first_of({gave_up, end_of(1, 1, exited_with_3)}), 1);
}

TEST(cause, of_a_failure_needs_no_word_of_the_server) {
  const auto now = rank_end::clock::now();
  rank_end end = end_of(0, 1, exited_with_3);
  end.at = now;
  EXPECT_TRUE(settled(end, now)) << "a child may hold its connection open";
  end.status = 0;
  EXPECT_FALSE(settled(end, now)) << "whether it took its leave is not known";
  EXPECT_TRUE(settled(end, now + peal::launcher::farewell_wait));
  end.finalized = true;
  EXPECT_TRUE(settled(end, now));
  end.finalized = false;
  end.lost = 1;
  EXPECT_TRUE(settled(end, now));
  end.lost = 0;
  end.connected = false;
  EXPECT_TRUE(settled(end, now));
}

}  // namespace
