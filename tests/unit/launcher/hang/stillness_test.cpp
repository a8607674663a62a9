#include "hang/stillness.hpp"

#include <gtest/gtest.h>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

TEST(stillness, a_job_stands_still_when_all_ranks_wait_long_enough) {
  job_snapshot job = modelled_job({0, 0});
  for (const int each : {0, 1}) job.at(each).waits = {receive_from(1 - each, 7)};
  EXPECT_TRUE(stands_still(job, 30));
  job.at(1).waits[0].seconds = 2;
  EXPECT_FALSE(stands_still(job, 30));
}

TEST(stillness, a_rank_that_computes_counts_only_once_it_has_been_quiet_so_long) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  EXPECT_TRUE(stands_still(job, 30));
  job.at(1).quiet = 5;
  EXPECT_FALSE(stands_still(job, 30));
  job.at(1).quiet.reset();
  EXPECT_FALSE(stands_still(job, 30));
}

TEST(stillness, a_job_in_which_all_ranks_compute_does_not_stand_still) {
  EXPECT_FALSE(stands_still(modelled_job({0, 0}), 30));
}

TEST(stillness, ranks_that_have_ended_do_not_count) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  job.at(1).shows = false;
  EXPECT_FALSE(stands_still(job, 30));  // what it does is not known
  job.at(1).ended = "exited with code 0";
  EXPECT_TRUE(stands_still(job, 30));
  job.at(0).ended = "exited with code 0";
  EXPECT_FALSE(stands_still(job, 30));
}

TEST(stillness, a_rank_that_waits_for_the_others_at_its_end_stands_still) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).phase = state::phase::ending;
  job.at(0).phase_seconds = 31;
  EXPECT_TRUE(stands_still(job, 30));
  job.at(0).phase_seconds = 3;
  job.at(0).quiet = 3;
  EXPECT_FALSE(stands_still(job, 30));
}

}  // namespace
}  // namespace peal::launcher
