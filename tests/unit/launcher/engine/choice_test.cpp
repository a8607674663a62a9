#include "engine/choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "request_maker.hpp"

namespace {

using namespace peal::launcher;

allocation slurm_of(const std::map<std::string, std::string>& variables) {
  return allocation_of([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// A host file that goes with the test.
class host_file : public testing::Test {
 protected:
  void TearDown() override { ::unlink(path_.c_str()); }
  std::vector<host> hosts_in(const std::string& text) {
    std::ofstream{path_} << text;
    job_request request = request_with({});
    request.host_file = path_;
    return hosts_of(request);
  }
  std::string path_ = testing::TempDir() + "hosts." + std::to_string(::getpid());
};

TEST(choice, is_slurm_inside_of_an_allocation) {
  const allocation slurm = slurm_of({{"SLURM_JOB_ID", "7"}});
  EXPECT_EQ(choose_engine(request_with({}), slurm, "here"), engine::slurm);
  EXPECT_EQ(choose_engine(request_with({}), {}, "here"), engine::local);
}

TEST(choice, is_local_inside_of_a_step_of_one_task) {
  const allocation slurm =
      slurm_of({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(choose_engine(request_with({}), slurm, "here"), engine::local);
}

TEST(choice, is_slurm_in_the_step_of_an_interactive_shell) {
  const allocation slurm = slurm_of({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "4294967290"}});
  EXPECT_EQ(choose_engine(request_with({}), slurm, "here"), engine::slurm);
}

TEST(choice, refuses_a_pealrun_that_srun_has_started_several_times) {
  const allocation slurm =
      slurm_of({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}});
  job_request request = request_with({});
  const std::string text = refusal_of([&] { choose_engine(request, slurm, "here"); });
  EXPECT_NE(text.find("started pealrun itself 3 times"), std::string::npos) << text;
  request.engine = engine_policy::local;
  EXPECT_EQ(choose_engine(request, slurm, "here"), engine::local);
}

TEST(choice, is_prrte_with_hosts_but_local_where_they_are_this_one) {
  job_request request = request_with({});
  request.hosts = "a,b";
  EXPECT_EQ(choose_engine(request, {}, "here"), engine::prrte);
  EXPECT_EQ(choose_engine(request, slurm_of({{"SLURM_JOB_ID", "7"}}), "here"), engine::slurm);
  for (const char* each : {"here", "localhost:4", "here:2,localhost:2"}) {
    request.hosts = each;
    EXPECT_EQ(choose_engine(request, {}, "here.domain"), engine::local) << each;
  }
  request.hosts = "localhost:3";
  EXPECT_NE(refusal_of([&] { choose_engine(request, {}, "here"); }).find("4 ranks on 3 slots"),
            std::string::npos);
}

TEST(choice, refuses_other_nodes_without_an_engine_for_them) {
  job_request request = request_with({});
  request.nodes = 2;
  EXPECT_NE(refusal_of([&] { choose_engine(request, {}, "here"); }).find("--nodes 2"),
            std::string::npos);
  request.engine = engine_policy::slurm;
  EXPECT_EQ(choose_engine(request, {}, "here"), engine::slurm);
  request = request_with({});
  request.engine = engine_policy::local;
  request.hosts = "elsewhere";
  EXPECT_NE(refusal_of([&] { choose_engine(request, {}, "here"); }).find("elsewhere"),
            std::string::npos);
}

TEST(choice, counts_the_processors_of_an_allocation) {
  EXPECT_EQ(slurm_of({{"SLURM_JOB_CPUS_PER_NODE", "8(x2),4"}}).cpus, 20);
  EXPECT_EQ(slurm_of({{"SLURM_JOB_CPUS_PER_NODE", "3,1"}}).cpus, 4);
  EXPECT_EQ(slurm_of({}).cpus, 0);
}

TEST_F(host_file, has_names_slots_and_comments) {
  const auto hosts = hosts_in("# ours\n\na slots=4 max_slots=8\n  b:2 # the second\nc\n");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].slots, 4);
  EXPECT_EQ(hosts[1].name, "b");
  EXPECT_EQ(hosts[1].slots, 2);
  EXPECT_EQ(hosts[2].slots, std::nullopt);
}

TEST_F(host_file, with_a_bad_line_is_told_with_file_and_line) {
  for (const char* each : {"a slots=0", "a slots", "a cores=3", "a:x", "a b", "slots=4"}) {
    const std::string text = refusal_of([&] { hosts_in(std::string{"good\n"} + each + "\n"); });
    EXPECT_NE(text.find(path_ + ":2: '" + each + "'"), std::string::npos) << text;
  }
  EXPECT_NE(refusal_of([&] { hosts_in("# nothing\n"); }).find("names no host"), std::string::npos);
}

}  // namespace
