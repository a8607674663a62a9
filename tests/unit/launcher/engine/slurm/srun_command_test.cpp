#include "engine/slurm/srun_command.hpp"

#include <gtest/gtest.h>

#include "../request_maker.hpp"

namespace {

using namespace peal::launcher;

allocation of_cpus(int cpus) {
  allocation slurm;
  slurm.job = "7";
  slurm.cpus = cpus;
  return slurm;
}

words translated(const job_request& request, const allocation& slurm = of_cpus(16)) {
  return srun_command(request, slurm, "solver.here.1", "/proc/self/fd/3");
}

std::string refusal_for(given_option option) {
  return refusal_of([&] { translated(request_with({option})); });
}

TEST(srun_command, holds_what_every_job_needs) {
  EXPECT_EQ(translated(request_with({})),
            (words{"srun", "--mpi=pmix", "--job-name=solver.here.1", "--ntasks=4", "--export=ALL",
                   "--disable-status", "--kill-on-bad-exit=1", "--input=0",
                   "--error=/proc/self/fd/3", "/bin/solver", "input"}));
}

TEST(srun_command, leaves_the_number_of_ranks_to_the_allocation_when_none_is_given) {
  job_request request = request_with({});
  request.given.clear();
  for (const std::string& each : translated(request))
    EXPECT_FALSE(each.starts_with("--ntasks")) << each;
  EXPECT_TRUE(has(translated(request, {}), "--ntasks=4")) << "there is no allocation";
}

TEST(srun_command, allows_more_ranks_than_processors_unless_forbidden) {
  EXPECT_TRUE(has(translated(request_with({}, 17)), "--overcommit"));
  EXPECT_FALSE(has(translated(request_with({}, 16)), "--overcommit"));
  EXPECT_FALSE(
      has(translated(request_with({{"--no-oversubscribe", {"true"}}}, 17)), "--overcommit"));
}

TEST(srun_command, gives_threads_as_processors) {
  job_request request = request_with({{"--threads", {"3"}}});
  request.applications[0].variables = {{"OMP_NUM_THREADS", "3"}};
  EXPECT_TRUE(has(translated(request), "--cpus-per-task=3"));
  EXPECT_TRUE(has(translated(request), "OMP_NUM_THREADS=3"));
  allocation slurm = of_cpus(16);
  slurm.cpus_per_task = 2;
  EXPECT_TRUE(has(translated(request_with({}), slurm), "--cpus-per-task=2"));
}

TEST(srun_command, names_nodes_and_hosts) {
  job_request request = request_with({{"--ppn", {"2"}}});
  request.nodes = 2;
  request.hosts = "a,b";
  const words all = translated(request);
  for (const char* each : {"--nodes=2", "--nodelist=a,b", "--ntasks-per-node=2"})
    EXPECT_TRUE(has(all, each)) << each;
  request = request_with({});
  request.hosts = "a:2,b:2";
  EXPECT_TRUE(has(translated(request), "--ntasks-per-node=2"));
  EXPECT_TRUE(has(translated(request), "--nodes=2")) << "an allocation may have more";
  request.hosts = "a:2,b:3";
  EXPECT_NE(refusal_of([&] { translated(request); }).find("the same slots"), std::string::npos);
}

TEST(srun_command, translates_options_of_input_and_output) {
  EXPECT_TRUE(has(translated(request_with({{"--tag-output", {"true"}}})), "--label"));
  EXPECT_TRUE(has(translated(request_with({{"--stdin", {"all"}}})), "--input=all"));
  EXPECT_FALSE(has(translated(request_with({{"--stdin", {"all"}}})), "--input=0"));
  const words files = translated(request_with({{"--output", {"/data/out"}}}, 12));
  EXPECT_TRUE(has(files, "--output=/data/out/rank.%2t.out"));
  EXPECT_TRUE(has(files, "--error=/data/out/rank.%2t.err"));
  EXPECT_FALSE(has(files, "--error=/proc/self/fd/3"));
}

TEST(srun_command, translates_options_of_placement) {
  EXPECT_TRUE(has(translated(request_with({{"--bind-to", {"core"}}})), "--cpu-bind=cores"));
  EXPECT_TRUE(has(translated(request_with({{"--bind-to", {"none"}}})), "--cpu-bind=none"));
  EXPECT_TRUE(has(translated(request_with({{"--bind-to", {"socket"}}, {"--report-bindings", {}}})),
                  "--cpu-bind=verbose,sockets"));
  EXPECT_TRUE(has(translated(request_with({{"--map-by", {"node"}}})), "--distribution=cyclic"));
  EXPECT_TRUE(has(translated(request_with({{"--map-by", {"slot:PE=2"}}})), "--cpus-per-task=2"));
  for (const std::string& each : translated(request_with({})))
    EXPECT_FALSE(each.starts_with("--cpu-bind")) << each;
}

TEST(srun_command, gives_each_rank_a_hardware_thread_of_a_list) {
  job_request request = request_with({{"--cpu-set", {"0-1,5"}}});
  request.placement.cpu_set = {0, 1, 5};
  EXPECT_TRUE(has(translated(request), "--cpu-bind=map_cpu:0,1,5"));
  request.given.push_back({"--bind-to", {"core"}});
  EXPECT_TRUE(has(translated(request), "--cpu-bind=map_cpu:0,1,5"));
  EXPECT_FALSE(has(translated(request), "--cpu-bind=cores"));
  request.given.back() = {"--bind-to", {"socket"}};
  EXPECT_NE(refusal_of([&] { translated(request); }).find("with --bind-to socket"),
            std::string::npos);
}

TEST(srun_command, refuses_what_it_cannot_say) {
  EXPECT_NE(refusal_for({"--bind-to", {"l3"}}).find("--bind-to l3"), std::string::npos);
  EXPECT_NE(refusal_for({"--map-by", {"l3"}}).find("--map-by l3"), std::string::npos);
  EXPECT_NE(refusal_for({"--map-by", {"core:X=2"}}).find("core:X=2"), std::string::npos);
  EXPECT_NE(refusal_for({"--on-failure", {"notify"}}).find("notify"), std::string::npos);
  EXPECT_NE(refusal_for({"--timestamp-output", {"true"}}).find("without a time"),
            std::string::npos);
  EXPECT_EQ(refusal_for({"--restart", {"2"}}), "");
  EXPECT_NE(refusal_for({"--rankfile", {"f"}}).find("--rankfile f"), std::string::npos);
  const std::string text = refusal_for({"--unheard-of", {"true"}});
  EXPECT_EQ(text,
            "pealrun: --unheard-of cannot be translated to srun's options: leave it out, or give "
            "--engine local for one node\n");
  EXPECT_EQ(refusal_for({"--on-failure", {"kill"}}), "");
}

TEST(srun_command, of_several_programs_chooses_by_the_number_of_the_task) {
  job_request request = request_with({});
  request.applications = {program(1, "server"), program(2, "worker")};
  const words all = translated(request);
  EXPECT_TRUE(has(all, "--ntasks=3"));
  EXPECT_TRUE(has_in_a_row(all, {"sh", "-c",
                                 "[ \"$SLURM_PROCID\" -lt 1 ] && exec env PEALRUN_APPNUM=0 "
                                 "/bin/server; exec env PEALRUN_APPNUM=1 /bin/worker"}));
}

TEST(srun_command, gives_each_node_its_own_folder_where_ranks_note_what_they_do) {
  for (const char* each : {"--report", "--trace"})
    EXPECT_TRUE(has_in_a_row(
        translated(request_with({{each, {"file"}}})),
        {"sh", "-c", "export PEAL_RECORD=\"$PEAL_RECORD/$SLURMD_NODENAME\"; exec \"$@\"", "sh",
         "/bin/solver", "input"}))
        << each;
  EXPECT_FALSE(has(translated(request_with({{"--hang-after", {"30"}}})), "sh"));
}

}  // namespace
