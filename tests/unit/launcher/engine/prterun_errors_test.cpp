#include "engine/prterun_errors.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace {

using peal::launcher::describe;
using peal::launcher::prterun_errors;

const std::string edge = std::string(74, '-') + "\n";

std::string all_of(prterun_errors& told, const std::string& text) {
  std::string shown = told.pass(text);
  return shown + told.rest();
}

TEST(prterun_errors, tell_of_the_rank_that_exited_first) {
  prterun_errors told;
  EXPECT_EQ(all_of(told, edge +
                             "prterun detected that one or more processes exited with non-zero "
                             "status, thus causing\nthe job to be terminated. The first process "
                             "to do so was:\n\n  Process name: [prterun-vm-53@1,12]\n  Exit "
                             "code:    3\n" +
                             edge + std::string(1, '\0')),
            "");
  ASSERT_TRUE(told.first());
  EXPECT_EQ(told.first()->code, 3);
  EXPECT_EQ(describe(*told.first(), "./solver"), "rank 12 (./solver) exited with code 3");
  EXPECT_FALSE(told.has_told());
}

TEST(prterun_errors, know_the_signal_and_the_host) {
  prterun_errors told;
  EXPECT_EQ(all_of(told, "mine\n" + edge +
                             "prterun noticed that process rank 1 with PID 0 on node "
                             "n2 exited on signal 11 (Segmentation fault).\n" +
                             edge),
            "mine\n");
  ASSERT_TRUE(told.first());
  EXPECT_EQ(told.first()->code, 128 + SIGSEGV);
  EXPECT_EQ(describe(*told.first(), "x"), "rank 1 on n2 (x) was killed by signal 11 (SIGSEGV)");
}

TEST(prterun_errors, show_other_messages_as_they_are) {
  prterun_errors told;
  const std::string message = edge + "There are not enough slots available\n" + edge;
  EXPECT_EQ(all_of(told, message + std::string(1, '\0')), message);
  EXPECT_TRUE(told.has_told());
  EXPECT_FALSE(told.first());
}

TEST(prterun_errors, show_a_prompt_at_once_and_hold_what_may_become_a_frame) {
  prterun_errors told;
  EXPECT_EQ(told.pass("Name? "), "Name? ");
  EXPECT_EQ(told.pass("yes\n--"), "yes\n");
  EXPECT_EQ(told.pass("verbose\n"), "--verbose\n");
  EXPECT_EQ(told.pass("---"), "");
  EXPECT_EQ(told.rest(), "---");
}

TEST(prterun_errors, notice_a_host_on_which_no_daemon_starts) {
  prterun_errors told;
  EXPECT_EQ(told.pass("ssh: no n2\n[vm:7] UNSUPPORTED DAEMON ERROR STATE: FAILED TO START\n"),
            "ssh: no n2\n");
  EXPECT_TRUE(told.host_missing());
}

TEST(prterun_errors, lose_nothing_of_a_message_that_is_broken_off) {
  prterun_errors told;
  EXPECT_EQ(all_of(told, edge + "half of it\nand a"), edge + "half of it\nand a");
}

}  // namespace
