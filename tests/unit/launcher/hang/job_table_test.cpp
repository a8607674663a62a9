#include "hang/job_table.hpp"

#include <gtest/gtest.h>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

TEST(job_table, rates_have_three_digits_at_most) {
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(873.2), "873");
  EXPECT_EQ(rate_text(1234), "1.2k");
  EXPECT_EQ(rate_text(123'456'000), "123M");
}

TEST(job_table, each_rank_has_a_line_with_what_it_did_since_the_last_look) {
  job_snapshot before = modelled_job({0, 0}), now = before;
  now.at(1).activity.messages = 2000;
  now.at(1).activity.bytes = 16'000;
  now.at(1).cpu_seconds = 1.5;
  now.at(0).waits = {receive_from(1, 7)};
  const auto lines = job_table(now, before, 2, 24, 200);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "modelled: 2 ranks, 2 shown here; 1.0k messages/s, 8.0kB/s, 0.8 cores; bytes without "
            "those of messages of 40 B and less inside a node");
  EXPECT_NE(lines[2].find("waits in recv: a message from rank 1 with tag 7"), std::string::npos);
  EXPECT_NE(lines[3].find("75    1.0k    8.0k"), std::string::npos) << lines[3];
}

TEST(job_table, ranks_that_do_the_same_share_a_line_where_there_are_few_lines) {
  job_snapshot job = modelled_job(std::vector<unsigned>(100, 1));
  for (int each = 0; each != 100; ++each)
    if (each != 7) job.at(each).waits = {collective("barrier", 2)};
  const auto lines = job_table(job, job, 1, 10, 200);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[2].starts_with("0-6,8-99      (99)")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("7              107")) << lines[3];
}

TEST(job_table, a_wait_in_which_data_moves_says_so) {
  job_snapshot before = modelled_job({0, 0}), now = before;
  before.at(0).waits = now.at(0).waits = {receive_from(1, 7)};
  before.at(1).waits = now.at(1).waits = {receive_from(0, 7)};
  now.at(0).activity.moves = 600;
  now.compare(before, 2);
  const auto lines = job_table(now, before, 2, 24, 200);
  EXPECT_TRUE(lines[2].ends_with("with tag 7 on the world; data moves meanwhile (300 steps/s)"))
      << lines[2];
  EXPECT_TRUE(lines[3].ends_with("with tag 7 on the world")) << lines[3];
}

TEST(job_table, names_cannot_steer_the_terminal_and_characters_are_not_parted) {
  job_snapshot job = modelled_job({1, 1});
  job.job = "\u00e4\u00f6\u00fc\033[2J";
  EXPECT_TRUE(job_table(job, job, 1, 24, 200)[0].starts_with("\u00e4\u00f6\u00fc?[2J: 2 ranks"));
}

TEST(job_table, a_narrow_terminal_has_room_for_what_a_rank_does) {
  job_snapshot job = modelled_job({1, 1});
  job.job = "a_name";
  job.at(0).waits = {receive_from(1, 7)};
  const auto lines = job_table(job, job, 1, 24, 70);
  EXPECT_TRUE(lines[0].starts_with("2 ranks, 2 shown here; ")) << lines[0];
  EXPECT_NE(lines[2].find("waits in recv: a message from"), std::string::npos) << lines[2];
  EXPECT_EQ(lines[1].find("pid"), std::string::npos) << lines[1];
}

TEST(job_table, it_is_never_higher_or_wider_than_the_terminal) {
  job_snapshot job = modelled_job(std::vector<unsigned>(100));
  for (int each = 0; each != 100; ++each) job.at(each).waits = {receive_from(each, each)};
  for (const std::size_t height : {4, 5, 24}) {
    const auto lines = job_table(job, job, 1, height, 40);
    EXPECT_EQ(lines.size(), height);
    EXPECT_TRUE(lines.back().starts_with("and ")) << lines.back();
    for (const std::string& each : lines) EXPECT_LE(each.size(), 40u);
  }
}

}  // namespace
}  // namespace peal::launcher
