#include "engine/slurm/step_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace peal::launcher;

// A folder that looks as /proc does, without processes.
class step_watch : public testing::Test {
 protected:
  step_watch() {
    std::string name = testing::TempDir() + "/step_watch.XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~step_watch() override { std::filesystem::remove_all(folder_); }

  void add(int pid, int parent, const std::string& words, const std::string& variables = "",
           char state = 'S') {
    const std::string process = fmt::format("{}/{}", folder_, pid);
    std::filesystem::create_directory(process);
    std::ofstream{process + "/stat"} << pid << " (a) b) " << state << " " << parent << " 7 7";
    std::ofstream{process + "/cmdline"} << words;
    std::string list = variables;
    for (char& each : list)
      if (each == ' ') each = '\0';
    std::ofstream{process + "/environ"} << list;
  }
  void add_rank(int pid, int parent, const std::string& node, char state = 'S') {
    add(pid, parent, "solver",
        fmt::format("A=b SLURM_JOB_NAME=s.h.1 SLURMD_NODENAME={} SLURM_TASK_PID={} ", node, pid),
        state);
  }
  step_processes on(const std::string& node) { return step_on_node(folder_, "s.h.1", node); }

  std::string folder_;
};

TEST_F(step_watch, finds_the_daemon_as_the_parent_of_ranks_of_its_own_node) {
  add(3000001, 1, "slurmstepd: [1.0]");
  add(3000002, 1, "slurmstepd: [1.0]");
  add_rank(3000011, 3000001, "n1");
  add_rank(3000012, 3000002, "n2");
  EXPECT_EQ(on("n1").daemon, 3000001);
  EXPECT_EQ(on("n2").daemon, 3000002);
  EXPECT_EQ(on("n2").ranks, std::vector<pid_t>{3000012});
  EXPECT_EQ(on("n3").daemon, -1);
  EXPECT_TRUE(on("n3").ranks.empty());
}

TEST_F(step_watch, takes_ranks_that_another_process_has_adopted_for_left_alone) {
  add(3000001, 1, "slurmstepd: [1.0]");
  add(3000009, 1, "/lib/systemd/systemd");
  add_rank(3000011, 1, "n1");
  EXPECT_EQ(on("n1").daemon, -1);
  EXPECT_EQ(on("n1").ranks.size(), 1u);
  add_rank(3000012, 3000009, "n2");
  EXPECT_EQ(on("n2").daemon, -1);
  add(3000005, 1, "");
  add_rank(3000013, 3000005, "n3");
  EXPECT_EQ(on("n3").daemon, 3000005) << "processes of other users may be hidden";
}

TEST_F(step_watch, knows_what_ranks_have_started_from_ranks_and_leaves_out_the_dead) {
  add(3000001, 1, "slurmstepd: [1.0]");
  add_rank(3000011, 3000001, "n1");
  add_rank(3000012, 3000001, "n1", 'Z');
  add(3000021, 1, "helper", "SLURM_JOB_NAME=s.h.1 SLURMD_NODENAME=n1 SLURM_TASK_PID=3000011 ");
  add(3000022, 1, "other", "SLURM_JOB_NAME=s.h.11 SLURMD_NODENAME=n1 SLURM_TASK_PID=3000022 ");
  EXPECT_EQ(on("n1").ranks, std::vector<pid_t>{3000011});
  EXPECT_EQ(on("n1").started, std::vector<pid_t>{3000021});
  EXPECT_FALSE(on("n1").left);
  add(3000023, 1, "helper", "SLURM_JOB_NAME=s.h.1 SLURMD_NODENAME=n1 SLURM_TASK_PID=3000010 ");
  EXPECT_TRUE(on("n1").left) << "its rank has ended";
}

}  // namespace
