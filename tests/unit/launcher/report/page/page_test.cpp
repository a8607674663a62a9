#include "report/page/page.hpp"

#include <gtest/gtest.h>

#include <string>

namespace peal::launcher {
namespace {

bool has(const std::string& page, const std::string& what) {
  return page.find(what) != std::string::npos;
}

noted_rank known_rank(int ranks) {
  noted_rank made;
  made.known = made.ended = true;
  made.time = 1;
  made.peers.resize(static_cast<std::size_t>(ranks));
  made.lengths.resize(record::length_classes);
  return made;
}

TEST(page, of_a_run_that_recorded_nothing_has_no_empty_tables) {
  gathered_run run;
  run.ranks.resize(2);
  const std::string page = page_of(run);
  EXPECT_TRUE(has(page, "nothing was recorded"));
  EXPECT_FALSE(has(page, "<table"));
  EXPECT_FALSE(has(page, "<svg"));
}

TEST(page, of_a_run_without_communication_says_so) {
  gathered_run run;
  run.ranks = {known_rank(2), known_rank(2)};
  const std::string page = page_of(run);
  EXPECT_TRUE(has(page, "No rank sent a message."));
  EXPECT_TRUE(has(page, "No rank called peal"));
  EXPECT_FALSE(has(page, "Calls of all ranks"));
  EXPECT_FALSE(has(page, "class=\"map\""));
}

TEST(page, says_of_how_many_calls_the_time_was_taken) {
  gathered_run run;
  run.ranks = {known_rank(1)};
  run.ranks[0].timed = 123;
  run.ranks[0].sites.push_back({.call = "send", .file = "x.cpp", .line = 1, .calls = 4567});
  EXPECT_TRUE(has(page_of(run), "of 4,567 calls the whole time was taken of 123"));
}

TEST(page, has_a_table_behind_each_picture_and_no_picture_without_a_name) {
  gathered_run run;
  run.ranks = {known_rank(2), known_rank(2)};
  run.ranks[0].peers[1].sent = 1;
  run.ranks[0].peers[1].sent_bytes = 8;
  const std::string page = page_of(run);
  std::size_t pictures = 0;
  for (std::size_t at = page.find("<svg"); at != std::string::npos;
       at = page.find("<svg", at + 1)) {
    ++pictures;
    const std::string head = page.substr(at, page.find('>', at) - at);
    EXPECT_TRUE(has(head, "role=\"img\"")) << head;
    EXPECT_TRUE(has(head, "the table below has the numbers")) << head;
    EXPECT_NE(page.find("<table", at), std::string::npos);
  }
  EXPECT_EQ(pictures, 2u);
}

TEST(page, is_valid_whatever_bytes_the_command_has) {
  gathered_run run;
  run.ranks = {known_rank(1)};
  run.command = "-n 1 ./\xff<b>";
  const std::string page = page_of(run);
  EXPECT_FALSE(has(page, "\xff"));
  EXPECT_TRUE(has(page, "./\xef\xbf\xbd&lt;b&gt;"));
}

}  // namespace
}  // namespace peal::launcher
