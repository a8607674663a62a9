#include "engine/prterun_command.hpp"

#include <gtest/gtest.h>

#include "request_maker.hpp"

namespace {

using namespace peal::launcher;

words translated(const job_request& request) { return prterun_command(request, false); }

std::string refusal_for(given_option option) {
  return refusal_of([&] { translated(request_with({option})); });
}

TEST(prterun_command, holds_hosts_and_several_programs) {
  job_request request = request_with({});
  request.applications = {program(1, "server"), program(2, "worker", {":"})};
  request.applications[1].folder = "/data";
  request.applications[1].variables = {{"LEVEL", "2"}};
  request.hosts = "a:2,b";
  EXPECT_EQ(prterun_command(request, true),
            (words{"prterun", "--allow-run-as-root", "--host", "a:2,b", "--map-by",
                   "slot:OVERSUBSCRIBE", "--np", "1", "/bin/server", ":", "--np", "2", "--wdir",
                   "/data", "-x", "LEVEL=2", "/bin/worker", ":"}));
}

TEST(prterun_command, translates_options) {
  EXPECT_TRUE(has_in_a_row(translated(request_with({{"--map-by", {"l3:PE=2"}}})),
                           {"--map-by", "l3cache:PE=2:OVERSUBSCRIBE"}));
  EXPECT_TRUE(
      has_in_a_row(translated(request_with({{"--ppn", {"2"}}, {"--no-oversubscribe", {"true"}}})),
                   {"--map-by", "ppr:2:node:NOOVERSUBSCRIBE"}));
  EXPECT_TRUE(has_in_a_row(translated(request_with({{"--bind-to", {"socket"}}})),
                           {"--bind-to", "package"}));
  EXPECT_TRUE(
      has_in_a_row(translated(request_with({{"--tag-output", {"true"}}})), {"--output", "tag"}));
  EXPECT_TRUE(has_in_a_row(translated(request_with({{"--stdin", {"all"}}})), {"--stdin", "all"}));
  EXPECT_TRUE(has_in_a_row(
      translated(request_with({{"--timestamp-output", {"true"}}, {"--tag-output", {"true"}}})),
      {"--output", "tag,timestamp"}));
}

TEST(prterun_command, binds_ranks_that_have_several_cores_to_these) {
  EXPECT_TRUE(has_in_a_row(translated(request_with({{"--map-by", {"slot:PE=2"}}})),
                           {"--map-by", "slot:PE=2:OVERSUBSCRIBE", "--bind-to", "core"}));
  EXPECT_NE(refusal_of([&] {
              translated(request_with({{"--map-by", {"slot:PE=2"}}, {"--bind-to", {"none"}}}));
            }).find("--bind-to none"),
            std::string::npos);
}

TEST(prterun_command, hides_quotes_from_prterun_which_takes_the_last_one_away) {
  job_request request = request_with({});
  request.applications = {program(1, "say", {"\"a b\""})};
  EXPECT_TRUE(has_in_a_row(translated(request), {"sh", "-c", "exec /bin/say '\"a b\"'"}));
  request.applications = {program(1, "say")};
  request.applications[0].variables = {{"NAME", "\"x\""}};
  EXPECT_TRUE(has_in_a_row(translated(request), {"sh", "-c", "exec env 'NAME=\"x\"' /bin/say"}));
}

TEST(prterun_command, writes_files_as_pealrun_names_them) {
  job_request request = request_with({{"--output", {"/out dir"}}});
  request.applications = {program(12, "say")};
  EXPECT_TRUE(has_in_a_row(translated(request),
                           {"sh", "-c",
                            "exec /bin/say >'/out dir'/rank.$(printf %02d \"$PMIX_RANK\").out "
                            "2>'/out dir'/rank.$(printf %02d \"$PMIX_RANK\").err"}));
  request.given.push_back({"--merge-stderr", {"true"}});
  EXPECT_TRUE(has_in_a_row(translated(request),
                           {"exec /bin/say >'/out dir'/rank.$(printf %02d \"$PMIX_RANK\").out "
                            "2>&1"}));
}

TEST(prterun_command, refuses_what_it_cannot_say) {
  job_request request = request_with({});
  request.nodes = 2;
  EXPECT_NE(refusal_of([&] { translated(request); }).find("--nodes 2"), std::string::npos);
  EXPECT_NE(refusal_for({"--rankfile", {"ranks"}}).find("prterun"), std::string::npos);
  EXPECT_NE(refusal_for({"--stdin", {"3"}}).find("gives input to rank 0, all or none"),
            std::string::npos);
  EXPECT_NE(refusal_for({"--unheard-of", {"3"}}).find("--unheard-of 3"), std::string::npos);
  EXPECT_NE(refusal_of([&] {
              translated(request_with({{"--ppn", {"2"}}, {"--map-by", {"core"}}}));
            }).find("--ppn 2"),
            std::string::npos);
}

TEST(prterun_command, goes_with_the_libpmix_that_prrte_needs) {
  const std::string debian = "OpenPMIx 4.2.2 (PMIx Standard: 4.2)", newer = "5.0.3";
  EXPECT_EQ(objection_to_prterun("prterun (PRRTE) 3.0.0\n", debian), "");
  const std::string text = objection_to_prterun("prterun (PRRTE) 3.0.6\n", debian);
  EXPECT_NE(text.find("PRRTE 3.0.6, which needs libpmix 4.2.4"), std::string::npos) << text;
  EXPECT_NE(text.find("4.2.2"), std::string::npos) << text;
  EXPECT_EQ(objection_to_prterun("prterun (PRRTE) 3.0.6\n", newer), "");
  EXPECT_NE(objection_to_prterun("prterun (PRRTE) 4.0.0\n", newer).find("6.0.0"),
            std::string::npos);
  EXPECT_NE(objection_to_prterun("hello\nyou", debian).find("'hello'"), std::string::npos);
}

}  // namespace
