#include "bootstrap/client.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "bootstrap/owner.hpp"
#include "peal/error.hpp"

namespace {

// A test may itself run below a launcher: what that says is not for the clients made here.
class job_of_one : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* each : {"PMIX_NAMESPACE", "PMIX_RANK"}) ::unsetenv(each);
    TearDown();
  }
  void TearDown() override {
    for (const char* each : {"SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "PMI_SIZE"}) ::unsetenv(each);
  }
};

TEST_F(job_of_one, is_rank_0_of_1) {
  peal::bootstrap_client client;
  EXPECT_EQ(client.rank(), 0);
  EXPECT_EQ(client.size(), 1);
  EXPECT_TRUE(client.alone());
  EXPECT_EQ(client.local_ranks(), std::vector<int>{0});
  EXPECT_EQ(client.cores(), 0) << "there is no launcher to say";
  EXPECT_EQ(peal::owner_in(client.job_name()), peal::this_process()) << client.job_name();
}

TEST_F(job_of_one, exchanges_with_itself_and_never_waits) {
  peal::bootstrap_client client;
  const std::string mine{"a\0b", 3};
  EXPECT_EQ(client.exchange(mine), std::vector<std::string>{mine});
  EXPECT_TRUE(client.fence([] { return true; }));
  EXPECT_TRUE(client.fence({}));
  EXPECT_TRUE(client.failures().empty());
  client.abort(3, "nobody to tell");  // returns: there is no launcher
  client.finish(false);
  client.finish(true);
}

void expect_refusal(const std::string& count, const std::string& remedy) {
  try {
    peal::bootstrap_client refused;
    FAIL() << "several jobs of one would start";
  } catch (const peal::error& problem) {
    EXPECT_EQ(problem.code(), peal::errc::bootstrap_failed);
    EXPECT_NE(std::string{problem.what()}.find(count), std::string::npos) << problem.what();
    EXPECT_NE(std::string{problem.what()}.find(remedy), std::string::npos) << problem.what();
  }
}

TEST_F(job_of_one, takes_one_task_of_slurm_but_not_several_without_pmix) {
  ::setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_TRUE(peal::bootstrap_client{}.alone());
  ::setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  expect_refusal("8 tasks", "add --mpi=pmix");
}

TEST_F(job_of_one, runs_in_a_batch_script_of_slurm) {
  ::setenv("SLURM_NTASKS", "8", 1);  // of the allocation
  EXPECT_TRUE(peal::bootstrap_client{}.alone());
}

TEST_F(job_of_one, is_not_started_several_times_by_a_launcher_without_pmix) {
  ::setenv("PMI_SIZE", "1", 1);
  EXPECT_TRUE(peal::bootstrap_client{}.alone());
  ::setenv("PMI_SIZE", "4", 1);
  expect_refusal("4 processes", "use pealrun");
}

}  // namespace
