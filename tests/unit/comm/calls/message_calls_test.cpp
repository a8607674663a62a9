#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "peal/detail/core.hpp"

namespace {

namespace core = peal::detail;
using core::room;

/// In a process of its own, since a process has one job in its life.
void in_job(const std::function<void(core::communicator_state&)>& run) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    run(core::start_job({.threads = true}, core::location::current()));
    core::end_job(false, core::location::current());
    _exit(testing::Test::HasFailure() ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(message_calls, messages_of_a_room_are_seen_in_that_room_only) {
  in_job([](core::communicator_state& world) {
    const auto here = core::location::current();
    const int sent[3] = {7, 8, 9};
    int plain = 0, first = 0, second = 0;
    core::outcome found;
    core::operation* const out = core::start_send_in(room::first, world, &sent[0], 4, 0, 5, here);
    EXPECT_FALSE(core::try_probe(world, core::any_source_value, core::any_tag_value, found, here));
    core::operation* const in_second =
        core::start_recv_in(room::second, world, &second, 4, core::any_source_value, 5, here);
    core::operation* const ordinary = core::start_recv(world, &plain, 4, 0, 5, here);
    EXPECT_FALSE(core::test(*in_second));
    EXPECT_FALSE(core::test(*ordinary));
    core::operation* const in_first =
        core::start_recv_in(room::first, world, &first, 4, 0, 5, here);
    EXPECT_TRUE(core::wait(*in_first));
    EXPECT_EQ(first, 7);
    EXPECT_FALSE(core::test(*in_second));
    core::operation* const more = core::start_send_in(room::second, world, &sent[1], 4, 0, 5, here);
    EXPECT_TRUE(core::wait(*in_second));
    EXPECT_EQ(second, 8);
    EXPECT_FALSE(core::test(*ordinary));
    core::send(world, &sent[2], 4, 0, 5, here);
    EXPECT_TRUE(core::wait(*ordinary));
    EXPECT_EQ(plain, 9);
    for (core::operation* each : {out, in_second, ordinary, in_first, more}) core::drop(each);
  });
}

TEST(message_calls, a_room_refuses_what_ordinary_messages_refuse_and_ignores_nobody) {
  in_job([](core::communicator_state& world) {
    const auto here = core::location::current();
    int value = 0;
    EXPECT_THROW((void)core::start_send_in(room::first, world, &value, 4, 1, 0, here), peal::error);
    EXPECT_THROW((void)core::start_send_in(room::first, world, &value, 4, 0, -1, here),
                 peal::error);
    EXPECT_THROW((void)core::start_recv_in(room::first, world, &value, 4, 1, 0, here), peal::error);
    core::operation* const out =
        core::start_send_in(room::first, world, &value, 4, core::proc_null_value, 0, here);
    core::operation* const in =
        core::start_recv_in(room::first, world, &value, 4, core::proc_null_value, 0, here);
    EXPECT_TRUE(core::ended_well(*out));
    EXPECT_TRUE(core::ended_well(*in));
    EXPECT_EQ(core::result_of(*in).source, core::proc_null_value);
    core::drop(out), core::drop(in);
  });
}

}  // namespace
