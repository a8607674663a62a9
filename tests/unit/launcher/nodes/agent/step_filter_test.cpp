#include "nodes/agent/step_filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace peal::launcher {
namespace {

std::string variables(const std::string& job, const std::string& step, const std::string& node) {
  const std::string end(1, '\0');
  return "PATH=/bin" + end + "SLURM_JOB_ID=" + job + end + "SLURM_STEP_ID=" + step + end +
         "SLURM_JOB_NAME=solve.host.17" + end + "SLURMD_NODENAME=" + node + end;
}

TEST(step_filter, a_job_a_step_or_a_name_is_looked_for_on_one_node) {
  EXPECT_TRUE((step_filter{"job=12", "n1"}.fits(variables("12", "0", "n1"))));
  EXPECT_TRUE((step_filter{"job=12.0", "n1"}.fits(variables("12", "0", "n1"))));
  EXPECT_TRUE((step_filter{"name=solve.host.17", "n1"}.fits(variables("12", "0", "n1"))));
  EXPECT_TRUE((step_filter{"job=12", ""}.fits(variables("12", "0", "n7"))));
}

TEST(step_filter, others_are_left_out) {
  EXPECT_FALSE((step_filter{"job=12", "n1"}.fits(variables("12", "0", "n2"))));
  EXPECT_FALSE((step_filter{"job=12", "n1"}.fits(variables("123", "0", "n1"))));
  EXPECT_FALSE((step_filter{"job=12.1", "n1"}.fits(variables("12", "0", "n1"))));
  EXPECT_FALSE((step_filter{"name=solve.host.1", "n1"}.fits(variables("12", "0", "n1"))));
  EXPECT_FALSE((step_filter{"job=12", "n1"}.fits("")));
  EXPECT_FALSE((step_filter{"job=12", "n1"}(0)));  // no such process
}

}  // namespace
}  // namespace peal::launcher
