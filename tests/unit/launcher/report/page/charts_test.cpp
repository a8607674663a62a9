#include "report/page/charts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace peal::launcher {
namespace {

noted_rank of_time(double time) {
  noted_rank made;
  made.known = made.ended = true;
  made.time = time;
  return made;
}

TEST(time_chart, has_marks_with_few_digits) {
  gathered_run run;
  run.ranks.push_back(of_time(0.153));
  const std::string chart = time_chart(run);
  for (const char* const mark : {">0 s<", ">50 ms<", ">100 ms<", ">150 ms<"})
    EXPECT_NE(chart.find(mark), std::string::npos) << chart;
  EXPECT_EQ(chart.find("200 ms"), std::string::npos);
}

TEST(time_chart, shows_which_ranks_did_not_end_and_of_which_nothing_is_known) {
  gathered_run run;
  run.ranks = {of_time(1), of_time(1), {}};
  run.ranks[1].ended = false;
  const std::string chart = time_chart(run);
  EXPECT_NE(chart.find("rank 1 did not end"), std::string::npos);
  EXPECT_EQ(chart.find("rank 0 did not end"), std::string::npos);
  EXPECT_NE(chart.find("rank 2: nothing is known"), std::string::npos);
}

TEST(time_chart, numbers_of_many_ranks_do_not_meet) {
  gathered_run run;
  for (int rank = 0; rank < 1000; ++rank) run.ranks.push_back(of_time(1));
  const std::string chart = time_chart(run);
  EXPECT_NE(chart.find(">8</text>"), std::string::npos);
  EXPECT_EQ(chart.find(">4</text>"), std::string::npos);
}

TEST(time_chart, is_empty_where_no_time_has_passed) {
  gathered_run run;
  run.ranks.emplace_back();
  EXPECT_EQ(time_chart(run), "");
}

TEST(share_bar, is_never_longer_than_the_whole) {
  EXPECT_NE(share_bar(2, "waiting").find("width:100.0%"), std::string::npos);
  EXPECT_NE(share_bar(-1, "waiting").find("width:0.0%"), std::string::npos);
}

}  // namespace
}  // namespace peal::launcher
