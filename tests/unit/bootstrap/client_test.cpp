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
    for (const char* each : {"PMIX_NAMESPACE", "PMIX_RANK", "SLURM_NTASKS"}) ::unsetenv(each);
  }
  void TearDown() override { ::unsetenv("SLURM_NTASKS"); }
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

TEST_F(job_of_one, takes_one_task_of_slurm_but_not_several_without_pmix) {
  ::setenv("SLURM_NTASKS", "1", 1);
  EXPECT_TRUE(peal::bootstrap_client{}.alone());
  ::setenv("SLURM_NTASKS", "8", 1);
  try {
    peal::bootstrap_client refused;
    FAIL() << "eight jobs of one would start";
  } catch (const peal::error& problem) {
    EXPECT_EQ(problem.code(), peal::errc::bootstrap_failed);
    EXPECT_NE(std::string{problem.what()}.find("8 tasks"), std::string::npos) << problem.what();
    EXPECT_NE(std::string{problem.what()}.find("add --mpi=pmix"), std::string::npos) << problem.what();
  }
}

}  // namespace
