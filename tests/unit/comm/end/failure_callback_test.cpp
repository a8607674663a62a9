// The program is told of every failure once, by its own progress calls, and with no lock held.
#include "comm/end/failure_callback.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace {

using namespace peal;

struct program {
  std::vector<peer_failure> told;
  bool throws = false;
  int dropped = 0;

  detail::failure_watch watch() {
    return {[](void* self, const peer_failure& what) {
              auto& of = *static_cast<program*>(self);
              of.told.push_back(what);
              if (of.throws) throw std::runtime_error{"told"};
            },
            [](void* self) noexcept { ++static_cast<program*>(self)->dropped; }, this};
  }
};

TEST(failure_callback, tells_each_failure_once_in_a_progress_call) {
  program of;
  engine progress;
  failure_list failures;
  failure_callback to{progress, failures};
  to.tell(of.watch());
  failures.add({3, failure_cause::exit_code, 7});
  failures.add({1});
  to.look();
  EXPECT_TRUE(of.told.empty());
  for (int turn = 0; turn != 4; ++turn) progress.progress();
  ASSERT_EQ(of.told.size(), 2u);
  EXPECT_EQ(of.told[0].rank, 3);
  EXPECT_EQ(of.told[0].code, 7);
  EXPECT_EQ(of.told[1].rank, 1);
}

TEST(failure_callback, tells_who_asks_later_of_what_was_before) {
  program of;
  engine progress;
  failure_list failures;
  failure_callback to{progress, failures};
  failures.add({2});
  to.look();
  progress.progress();
  to.tell(of.watch());
  progress.progress();
  ASSERT_EQ(of.told.size(), 1u);
  to.tell({});
  EXPECT_EQ(of.dropped, 1);
  failures.add({4});
  to.look();
  progress.progress();
  EXPECT_EQ(of.told.size(), 1u);
}

TEST(failure_callback, says_nothing_of_silent_ones) {
  program of;
  engine progress;
  failure_list failures;
  failure_callback to{progress, failures};
  to.tell(of.watch());
  failures.add({2, failure_cause::signal, 9, true});
  failures.add({5});
  to.look();
  for (int turn = 0; turn != 4; ++turn) progress.progress();
  ASSERT_EQ(of.told.size(), 1u);
  EXPECT_EQ(of.told[0].rank, 5);
}

TEST(failure_callback, loses_no_failure_when_the_program_throws) {
  program of;
  of.throws = true;
  engine progress;
  failure_list failures;
  failure_callback to{progress, failures};
  to.tell(of.watch());
  failures.add({2});
  failures.add({5});
  to.look();
  EXPECT_THROW(progress.progress(), std::runtime_error);
  EXPECT_THROW(for (int turn = 0; turn != 4 && of.told.size() < 2; ++turn) progress.progress(),
               std::runtime_error);
  EXPECT_EQ(of.told.size(), 2u);
}

}  // namespace
