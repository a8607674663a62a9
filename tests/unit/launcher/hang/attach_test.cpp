#include "hang/attach.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "request/request.hpp"
#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

std::vector<job_snapshot> jobs_named(const std::vector<std::string>& names) {
  std::vector<job_snapshot> made;
  for (const std::string& each : names) {
    made.push_back(modelled_job({0, 0}));
    made.back().job = each;
  }
  return made;
}

stop refusal(const std::vector<job_snapshot>& jobs, const std::string& wanted) {
  try {
    (void)chosen_job(jobs, wanted);
  } catch (const stop& end) {
    return end;
  }
  return {0, "a job was chosen"};
}

TEST(chosen_job, the_only_job_needs_no_name) {
  EXPECT_EQ(chosen_job(jobs_named({"peal-1-2"}), "").job, "peal-1-2");
}

TEST(chosen_job, a_beginning_that_one_name_has_is_enough) {
  EXPECT_EQ(chosen_job(jobs_named({"peal-1-2", "peal-2-2"}), "peal-2").job, "peal-2-2");
}

TEST(chosen_job, a_whole_name_counts_also_where_another_one_begins_so) {
  EXPECT_EQ(chosen_job(jobs_named({"peal-10", "peal-1"}), "peal-1").job, "peal-1");
}

TEST(chosen_job, a_rank_or_what_has_started_it_names_the_job) {
  std::vector<job_snapshot> jobs = jobs_named({"peal-1", "peal-2"});
  jobs[1].at(1).pid = ::getpid();
  EXPECT_EQ(chosen_job(jobs, std::to_string(::getpid())).job, "peal-2");
  EXPECT_EQ(chosen_job(jobs, std::to_string(::getppid())).job, "peal-2");
}

TEST(chosen_job, several_that_fit_are_listed) {
  const stop end = refusal(jobs_named({"peal-1", "peal-2"}), "");
  EXPECT_EQ(end.code, 1);
  EXPECT_NE(end.text.find("several jobs run here"), std::string::npos) << end.text;
  EXPECT_NE(end.text.find("  peal-2: 2 of 2 ranks"), std::string::npos) << end.text;
}

TEST(chosen_job, one_that_is_not_there_is_told_with_those_that_are) {
  const stop end = refusal(jobs_named({"peal-1"}), "other");
  EXPECT_EQ(end.code, 1);
  EXPECT_TRUE(end.text.starts_with("pealrun: --attach other: no job has that name")) << end.text;
  EXPECT_NE(end.text.find("  peal-1: "), std::string::npos) << end.text;
}

TEST(chosen_job, without_any_job_that_is_said) {
  const stop end = refusal({}, "");
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.text, "pealrun: no job of this user that uses peal runs on this node\n");
}

TEST(attach, a_wrong_word_is_refused_before_anything_is_looked_at) {
  try {
    (void)attach({"--what"});
    FAIL() << "it was taken";
  } catch (const stop& end) {
    EXPECT_EQ(end.code, 2);
    EXPECT_NE(end.text.find("--what"), std::string::npos) << end.text;
  }
}

}  // namespace
}  // namespace peal::launcher
