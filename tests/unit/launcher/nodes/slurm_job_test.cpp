#include "nodes/slurm_job.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

TEST(slurm_job, only_a_job_that_runs_has_nodes) {
  const auto found = running_in("11|COMPLETING|n[1-2]\n12|RUNNING|n[3-4]\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, "12");
  EXPECT_EQ(found->second, "n[3-4]");
  for (const char* each : {"", "\n", "12|PENDING|\n", "12|RUNNING|\n", "RUNNING", "|RUNNING|n1"})
    EXPECT_FALSE(running_in(each)) << each;
}

}  // namespace
}  // namespace peal::launcher
