#include "progress/engine_sleeper.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace peal::test {
namespace {

bool rung(const wakeup& bell) {
  pollfd one{bell.descriptor(), POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

struct sleepers : testing::Test {
  sleepers() {
    all.add(leader);
    all.add(for_own);
    all.add(for_any);
  }
  sleeper_list all;
  wakeup bell;
  int operation = 0, other = 0;
  engine_sleeper leader{.bell = &bell, .awaited = &other};
  engine_sleeper for_own{.on = engine_sleeper::kind::word, .awaited = &operation};
  engine_sleeper for_any{.on = engine_sleeper::kind::word};
};

TEST_F(sleepers, a_move_calls_those_on_descriptors_and_those_that_wait_for_anything) {
  all.call_for_move();
  EXPECT_TRUE(leader.is_called() && for_any.is_called());
  EXPECT_TRUE(rung(bell));
  EXPECT_FALSE(for_own.is_called());
  EXPECT_FALSE(all.any_on_descriptors() || all.any_hears_of_moves());
  EXPECT_FALSE(all.remove(leader));
  EXPECT_TRUE(all.remove(for_own));
}

TEST_F(sleepers, the_end_of_an_operation_calls_those_that_wait_for_it) {
  all.call_for_end(&operation);
  EXPECT_TRUE(for_own.is_called());
  EXPECT_FALSE(leader.is_called() || for_any.is_called());
  EXPECT_TRUE(all.any_on_descriptors());
  all.call_for_end(&other);
  EXPECT_TRUE(leader.is_called());
  EXPECT_FALSE(all.any_on_descriptors());
  EXPECT_TRUE(all.any_hears_of_moves()) << "one waits for anything";
}

TEST_F(sleepers, each_is_called_once) {
  all.call_for_move();
  bell.clear();
  all.call_for_end(&other);
  EXPECT_FALSE(rung(bell));
}

TEST_F(sleepers, the_first_one_on_a_word_is_called_to_lead) {
  all.call_first_on_word();
  EXPECT_TRUE(for_own.is_called());
  EXPECT_FALSE(leader.is_called() || for_any.is_called());
}

TEST_F(sleepers, who_has_left_is_not_called) {
  EXPECT_TRUE(all.remove(leader));
  EXPECT_FALSE(all.any_on_descriptors());
  EXPECT_TRUE(all.remove(for_any));
  EXPECT_FALSE(all.any_hears_of_moves());
  all.call_for_move();
  EXPECT_FALSE(leader.is_called() || for_any.is_called());
}

TEST_F(sleepers, a_keeper_is_called_without_a_bell) {
  engine_sleeper keeper;
  all.add(keeper);
  all.call_for_move();
  EXPECT_FALSE(all.remove(keeper));
}

TEST(thread_sleep, knows_what_was_found_of_each_engine) {
  source_list quiet, loud;
  engine_sleeper in_quiet, in_loud;
  thread_sleep on{thread_sleep::deadline::max()};
  on.add(in_quiet, quiet);
  on.add(in_loud, loud);
  loud.waking().ring();
  on.sleep(std::chrono::seconds{10});
  ASSERT_EQ(on.found(in_quiet).size(), 1u);
  EXPECT_EQ(on.found(in_quiet).front().revents, 0);
  EXPECT_EQ(on.found(in_loud).front().revents, POLLIN);
  EXPECT_FALSE(on.by_backstop);
  loud.waking().clear();
  on.sleep(std::chrono::milliseconds{1});
  EXPECT_TRUE(on.by_backstop);
}

}  // namespace
}  // namespace peal::test
