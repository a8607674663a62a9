#include "bootstrap/start_host.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "bootstrap/start_member.hpp"

namespace {

using peal::start_host;
using peal::start_member;

class a_start_host : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* each : {"PEALRUN_JOB", "PMIX_NAMESPACE", "PMIX_RANK"}) ::unsetenv(each);
  }
  static std::unique_ptr<start_member> rank_0_of(const start_host& host) {
    ::setenv("PEALRUN_JOB", host.variable().c_str() + std::string{"PEALRUN_JOB="}.size(), 1);
    ::setenv("PMIX_NAMESPACE", "peal-x", 1);
    ::setenv("PMIX_RANK", "0", 1);
    return start_member::of_environment();
  }
};

TEST_F(a_start_host, sees_a_rank_come_and_leave) {
  const auto host = start_host::make({"peal-x", 1, "", {0, 0}});
  ASSERT_NE(host, nullptr);
  EXPECT_FALSE(host->state_of(0).connected);
  const auto rank = rank_0_of(*host);
  EXPECT_TRUE(host->state_of(0).connected);
  EXPECT_FALSE(host->state_of(0).finalized);
  EXPECT_FALSE(host->state_of(1).connected);
  rank->leave();
  EXPECT_TRUE(host->state_of(0).finalized);
  const auto next = rank_0_of(*host);
  EXPECT_FALSE(host->state_of(0).finalized) << "the next program of the same rank has come";
}

TEST_F(a_start_host, hears_why_a_rank_aborts) {
  const auto host = start_host::make({"peal-x", 1, "", {0, 0}});
  ASSERT_NE(host, nullptr);
  const auto rank = rank_0_of(*host);
  std::uint32_t seen = 0;
  std::thread caller{[&] { rank->abort(42, "no bread"); }};
  host->await_call(seen);
  caller.join();
  const peal::start_state told = host->state_of(0);
  EXPECT_TRUE(told.aborted);
  EXPECT_EQ(told.abort_code, 42);
  EXPECT_EQ(told.abort_text, "no bread");
  EXPECT_FALSE(host->state_of(1).aborted);
}

TEST_F(a_start_host, keeps_its_memory_as_long_as_it_is) {
  const auto host = start_host::make({"peal-x", 1, "", {0}});
  ASSERT_NE(host, nullptr);
  EXPECT_NE(::ftruncate(host->descriptor(), 0), 0) << "a rank could take the others' memory away";
}

TEST_F(a_start_host, is_not_made_where_files_may_not_be_long_enough) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 512;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto host = start_host::make({"peal-x", 1, "", {0}});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(host, nullptr);
}

}  // namespace
