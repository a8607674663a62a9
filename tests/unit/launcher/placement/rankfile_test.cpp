#include "placement/rankfile.hpp"

#include <gtest/gtest.h>

#include <string>

#include "placement/topologies.hpp"
#include "request/request.hpp"

namespace {

using namespace peal::launcher;
using namespace peal::launcher::test;

std::vector<place> read(const std::string& text, int ranks, const node_cores& node) {
  return places_of(read_rankfile(text, "ranks"), node, ranks, "ranks", "node7.example.org");
}

// What pealrun says of such a file; empty: nothing.
std::string complaint(const std::string& text, int ranks = 1) {
  try {
    read(text, ranks, cores_of("pack:2 core:4 pu:2"));
  } catch (const stop& end) {
    EXPECT_EQ(end.code, 2);
    EXPECT_EQ(end.text.find('\n'), end.text.size() - 1) << "one line";
    return end.text;
  }
  return {};
}

constexpr const char* expected = "'rank NUMBER=HOST slot=SOCKET:CORES' was expected\n";

TEST(rankfile, puts_ranks_on_cores_of_sockets) {
  const auto places = read(
      "# a comment\n\nrank 1=node7 slot=1:0-1,3  # the rest\nrank 0=localhost slot=0:*,1:2\n"
      "  rank 2=+n0 slot=0:1,1:1\n",
      3, cores_of("pack:2 core:4 pu:2"));
  EXPECT_EQ(places[0].cores, (std::vector{0, 1, 2, 3, 6}));
  EXPECT_EQ(places[1].cores, (std::vector{4, 5, 7}));
  EXPECT_EQ(places[1].all_threads(), (std::vector{8, 9, 10, 11, 14, 15}));
  EXPECT_EQ(places[2].cores, (std::vector{1, 5}));
}

TEST(rankfile, puts_ranks_on_cores_of_the_machine) {
  const auto places = read("rank 0 slot=5,1-2\r\nrank 1=node7.example.org slot=7\n", 2,
                           cores_of("pack:2 core:4 pu:2"));
  EXPECT_EQ(places[0].cores, (std::vector{1, 2, 5}));
  EXPECT_EQ(places[1].cores, std::vector{7});
}

TEST(rankfile, with_a_bad_line_is_refused_by_file_and_line) {
  EXPECT_EQ(complaint("rank 0 slot=0\nrunk 1 slot=0\n", 2),
            std::string{"pealrun: ranks:2: 'runk' begins no line of a rankfile: "} + expected);
  EXPECT_EQ(complaint("rank x=node7 slot=0:0\n"),
            std::string{"pealrun: ranks:1: 'x=node7' is no rank: "} + expected);
  EXPECT_EQ(complaint("rank -1 slot=0:0\n"),
            std::string{"pealrun: ranks:1: '-1' is no rank: "} + expected);
  EXPECT_EQ(complaint("rank\n"), std::string{"pealrun: ranks:1: '' is no rank: "} + expected);
  EXPECT_EQ(complaint("rank 0=node7\n"),
            std::string{"pealrun: ranks:1: there is no slot=: "} + expected);
  EXPECT_EQ(complaint("rank 0=node7 core=3\n"),
            std::string{"pealrun: ranks:1: 'core=3' is no slot=: "} + expected);
  EXPECT_EQ(complaint("rank 0= slot=0\n"),
            "pealrun: ranks:1: there is no host behind '=': a host's name was expected, or no "
            "'='\n");
  EXPECT_EQ(complaint("rank 0 slot=0 1\n"),
            "pealrun: ranks:1: '1' is too much: the end of the line was expected\n");
  for (const std::string slots :
       {"", "x", "1-", "-1", "3-1", "0:", ":0", "0:1:2", "1,", "*", "p0", "0:0;1", "99999999999"})
    EXPECT_EQ(complaint("rank 0 slot=" + slots + "\n"),
              "pealrun: ranks:1: slot=" + slots +
                  " is no list of cores: SOCKET:CORES such as 0:0-3 or 1:*, or CORES of the "
                  "machine such as 0-3,8 was expected\n");
}

TEST(rankfile, that_does_not_fit_the_machine_is_refused) {
  EXPECT_EQ(complaint("rank 0 slot=2:0\n"),
            "pealrun: ranks:1: there is no socket 2: this machine has 2, from 0 on\n");
  EXPECT_EQ(complaint("rank 0 slot=1:2-4\n"),
            "pealrun: ranks:1: there is no core 4 on socket 1: it has cores 0-3\n");
  EXPECT_EQ(complaint("rank 0 slot=8\n"),
            "pealrun: ranks:1: there is no core 8: this machine has cores 0-7\n");
  EXPECT_NE(complaint("rank 0=node8 slot=0\n").find("node8 is another host"), std::string::npos);
}

TEST(rankfile, that_does_not_fit_the_job_is_refused) {
  EXPECT_EQ(complaint("rank 1 slot=0\n"),
            "pealrun: ranks:1: there is no rank 1: the job has 1, from 0 on\n");
  EXPECT_EQ(complaint("", 2),
            "pealrun: ranks: there is no line for rank 0: one for each of the 2 ranks was "
            "expected\n");
  EXPECT_EQ(complaint("rank 0 slot=0\n#\nrank 0 slot=1\n"),
            "pealrun: ranks:3: rank 0 stands in ranks:1 already: one line for each rank is "
            "allowed\n");
}

TEST(rankfile, does_not_put_ranks_on_cores_that_may_not_be_used) {
  const synthetic machine{"pack:2 core:2 pu:1"};
  const node_cores node = node_cores::of(machine.get(), {1, 2});
  EXPECT_EQ(read("rank 0 slot=0:*\n", 1, node)[0].cores, std::vector{1});
  try {
    read("rank 0 slot=0-1\n", 1, node);
    ADD_FAILURE() << "core 0 may not be used";
  } catch (const stop& end) {
    EXPECT_EQ(end.text,
              "pealrun: ranks:1: core 0 (socket 0, core 0) is not one that pealrun may use here "
              "(cpuset or affinity)\n");
  }
}

}  // namespace
