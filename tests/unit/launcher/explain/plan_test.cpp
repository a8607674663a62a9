#include "explain/plan.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

using namespace peal::launcher;

job_request two_programs() {
  job_request made;
  application first;
  first.ranks = 2;
  first.arguments = {"solver", "in put"};
  first.program = "/bin/solver";
  first.variables = {{"LEVEL", "it's"}, {"OMP_NUM_THREADS", "4"}};
  application second;
  second.arguments = {"./view"};
  second.program = "./view";
  second.folder = "/tmp";
  made.applications = {first, second};
  made.placement.bind_to = binding::none;
  return made;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(plan, of_a_job_that_pealrun_starts_itself_has_programs_variables_and_places) {
  const std::string text = explain(two_programs());
  EXPECT_TRUE(has(text, "Engine     local: ")) << text;
  EXPECT_TRUE(has(text, "ranks 0-1: /bin/solver 'in put'\n")) << text;
  EXPECT_TRUE(has(text, "rank 2: ./view (in /tmp)\n")) << text;
  EXPECT_TRUE(has(text, R"(ranks 0-1: 'LEVEL=it'\''s' OMP_NUM_THREADS=4)")) << text;
  EXPECT_TRUE(has(text, "ranks 0-2 are not bound (--bind-to none)")) << text;
  EXPECT_FALSE(has(text, "Command")) << text;
}

TEST(plan, tells_of_inherited_variables_but_not_of_what_pealrun_sets_itself) {
  ::setenv("PEAL_RESTART", "0", 1);
  ::setenv("PEAL_LOG", "error", 1);
  const std::string text = explain(two_programs());
  ::unsetenv("PEAL_RESTART");
  ::unsetenv("PEAL_LOG");
  EXPECT_TRUE(has(text, "from the environment: PEAL_LOG=error\n")) << text;
  EXPECT_FALSE(has(text, "PEAL_RESTART")) << text;
}

}  // namespace
