#include "engine/slurm/srun_errors.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace {

using peal::launcher::describe;
using peal::launcher::srun_errors;

TEST(srun_errors, tell_of_the_first_rank_that_failed) {
  srun_errors told;
  EXPECT_FALSE(told.take("srun: error: n1: task 2: Exited with exit code 3"));
  EXPECT_FALSE(told.take("srun: launch/slurm: _step_signal: Terminating StepId=1.0"));
  EXPECT_FALSE(told.take("srun: error: n2: task 3: Terminated"));
  EXPECT_FALSE(told.take("srun: Force Terminated StepId=1.0"));
  EXPECT_FALSE(
      told.take("srun: error: eio_message_socket_accept: slurm_receive_msg[1.2.3.4:5]: Zero"));
  EXPECT_FALSE(
      told.take("srun: error: slurm_msg_sendto: address:port=1.2.3.4:5 msg_type=6009: "
                "Unexpected missing socket error"));
  ASSERT_TRUE(told.first());
  EXPECT_EQ(told.first()->code, 3);
  EXPECT_EQ(describe(*told.first(), "./solver"), "rank 2 on n1 (./solver) exited with code 3");
}

TEST(srun_errors, know_signals_by_their_names) {
  srun_errors told;
  told.take("srun: error: n[1-2]: tasks 0-1,4: Segmentation fault (core dumped)");
  ASSERT_TRUE(told.first());
  EXPECT_EQ(told.first()->code, 128 + SIGSEGV);
  EXPECT_EQ(describe(*told.first(), "x"),
            "ranks 0-1,4 on n[1-2] (x) were killed by signal 11 (SIGSEGV), core dumped");
}

TEST(srun_errors, know_what_is_no_signal) {
  srun_errors told;
  told.take("srun: error: n1: task 0: Out Of Memory");
  ASSERT_TRUE(told.first());
  EXPECT_EQ(told.first()->code, 128 + SIGKILL);
  EXPECT_EQ(describe(*told.first(), "x"), "rank 0 on n1 (x): Out Of Memory");
}

TEST(srun_errors, keep_lines_about_broken_connections_back) {
  srun_errors told;
  const std::string read =
      "srun: error: _server_read: fd 16 error reading header: Connection reset by peer";
  const std::string aborts =
      "srun: error: step_launch_notify_io_failure: aborting, io error with slurmstepd on node 0";
  EXPECT_FALSE(told.take(read));
  EXPECT_FALSE(told.take(aborts));
  EXPECT_FALSE(told.first());
  EXPECT_EQ(told.kept_back(), read + "\n" + aborts + "\n");
}

TEST(srun_errors, leave_every_other_line_to_the_user) {
  srun_errors told;
  for (const char* each :
       {"srun: error: Unable to create step for job 7: More processors requested than permitted",
        "srun: job 7 queued and waiting for resources", "srun: error: n1: tasks of x: no", "",
        "error: n1: task 2: Exited with exit code 3", "srun: error: n1: task : Killed"})
    EXPECT_TRUE(told.take(each)) << each;
  EXPECT_FALSE(told.first());
}

}  // namespace
