#include "hang/hang_report.hpp"

#include <gtest/gtest.h>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

TEST(hang_report, an_order_comes_back_as_it_was_written) {
  const report_order given{4711, 30, {{1, "was killed by signal 9 (SIGKILL)"}}, {{3, 40.5}}};
  const report_order read = report_order::from(given.text());
  EXPECT_EQ(read.launcher, given.launcher);
  EXPECT_EQ(read.seconds, given.seconds);
  EXPECT_EQ(read.ended, given.ended);
  EXPECT_EQ(read.quiet, given.quiet);
}

TEST(hang_report, it_has_a_line_for_each_state_and_each_cause_and_the_stacks) {
  job_snapshot job = modelled_job({1, 0, 1});
  for (const int each : {0, 2}) job.at(each).waits = {collective("barrier", 1, 0)};
  EXPECT_EQ(report_text(diagnose(job), job, 30, {{1, {"solve (solve.c:88)"}}}),
            "pealrun: nothing has moved for 30 s (job of 3 ranks, modelled):\n"
            "  ranks 0,2: each waits in barrier: barrier #1 on the world, for 31 s\n"
            "  rank 1: computes, or does something else outside of peal, for 40 s\n"
            "  => rank 1 is missing in barrier #1 on the world, where ranks 0,2 wait; rank 1 "
            "computes, or does something else outside of peal, for 40 s\n"
            "  stack of rank 1 (pid 101):\n"
            "    solve (solve.c:88)\n");
}

TEST(hang_report, very_many_states_are_counted) {
  job_snapshot job = modelled_job(std::vector<unsigned>(100));
  for (int each = 0; each != 100; ++each)
    job.at(each).waits = {receive_from((each + 1) % 100, each)};
  EXPECT_NE(report_text(diagnose(job), job, 0).find("  and 76 more states\n"), std::string::npos);
}

}  // namespace
}  // namespace peal::launcher
