#include "report/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace peal::launcher {
namespace {

using record::call_kind;

noted_event sent(std::int64_t at, int to, int tag = 1, std::uint32_t context = 0) {
  return {.begin = at,
          .end = at + 5,
          .bytes = 8,
          .call = "send",
          .kind = call_kind::send,
          .peer = to,
          .tag = tag,
          .context = context,
          .posted = 0};
}
noted_event got(std::int64_t at, int from, std::uint32_t posted, int tag = 1) {
  return {.begin = at,
          .end = at,
          .bytes = 8,
          .call = "message received",
          .kind = call_kind::received,
          .peer = from,
          .tag = tag,
          .context = 0,
          .posted = posted};
}

gathered_run two_ranks(std::vector<noted_event> first, std::vector<noted_event> second) {
  gathered_run run;
  run.ranks.resize(2);
  for (noted_rank& each : run.ranks) each.known = each.ended = true;
  run.ranks[0].events = std::move(first);
  run.ranks[1].events = std::move(second);
  return run;
}

TEST(joined_messages, go_by_the_order_of_sends_and_of_posted_receives) {
  // The second receive that was started was waited for first.
  const auto run = two_ranks({sent(10, 1), sent(20, 1)}, {got(40, 0, 2), got(50, 0, 1)});
  const std::vector<joined_message> joined = joined_messages(run);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].send, 0u);
  EXPECT_EQ(joined[0].receive, 1u);
  EXPECT_EQ(joined[1].send, 1u);
  EXPECT_EQ(joined[1].receive, 0u);
}

TEST(joined_messages, keep_tags_and_communicators_apart) {
  const auto run =
      two_ranks({sent(10, 1, 1), sent(20, 1, 2), sent(25, 1, 1, 8)}, {got(40, 0, 1, 2)});
  const std::vector<joined_message> joined = joined_messages(run);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].send, 1u);
}

TEST(joined_messages, leave_out_what_may_be_joined_wrongly) {
  auto run = two_ranks({sent(10, 1), sent(20, 1), sent(30, 1)}, {got(40, 0, 1), got(50, 0, 3)});
  // Of the second receive the event is missing: the third one cannot be told from it.
  run.ranks[1].events_lost = 1;
  EXPECT_EQ(joined_messages(run).size(), 1u);
}

TEST(trace, is_json_with_a_call_and_both_ends_of_an_arrow) {
  auto run = two_ranks({sent(1000, 1)}, {got(4000, 0, 1)});
  run.command = "a \"b\"\n";
  std::string text;
  write_trace(run, [&](const std::string& part) { text += part; });
  const nlohmann::json read = nlohmann::json::parse(text);
  EXPECT_EQ(read["otherData"]["command"], "a \"b\"\n");
  int calls = 0, begins = 0, ends = 0;
  for (const nlohmann::json& each : read["traceEvents"]) {
    calls += each["ph"] == "X";
    if (each["ph"] == "s") {
      ++begins;
      EXPECT_EQ(each["pid"], 0);
      EXPECT_EQ(each["ts"], 0.0);
    }
    if (each["ph"] == "f") {
      ++ends;
      EXPECT_EQ(each["pid"], 1);
      EXPECT_EQ(each["ts"], 3.0);
    }
  }
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
}

TEST(trace, of_no_events_is_json_all_the_same) {
  std::string text;
  write_trace({}, [&](const std::string& part) { text += part; });
  EXPECT_TRUE(nlohmann::json::parse(text)["traceEvents"].empty());
}

TEST(trace, threads_of_a_rank_have_rows_of_their_own) {
  noted_event second = sent(20, 1);
  second.thread = 2;
  const auto run = two_ranks({sent(10, 1), second}, {got(40, 0, 1), got(50, 0, 2)});
  std::string text;
  write_trace(run, [&text](const std::string& part) { text += part; });
  const auto events = nlohmann::json::parse(text)["traceEvents"];
  std::vector<int> rows, names, arrows;
  for (const auto& each : events) {
    if (each["pid"] != 0) continue;
    if (each["ph"] == "X") rows.push_back(each["tid"]);
    if (each["name"] == "thread_name") names.push_back(each["tid"]);
    if (each["ph"] == "s") arrows.push_back(each["tid"]);
  }
  EXPECT_EQ(rows, (std::vector{1, 2}));
  EXPECT_EQ(names, (std::vector{1, 2}));
  EXPECT_EQ(arrows, (std::vector{1, 2}));
}

TEST(trace, the_error_of_clocks_is_stated_and_no_arrow_goes_back_by_more) {
  gathered_run run = two_ranks({sent(1000, 1), sent(9000, 1)}, {got(1200, 0, 1), got(8100, 0, 2)});
  run.ranks[0].host = "n1";
  run.ranks[1].host = "n2";
  const auto clocks = [&] {
    std::string text;
    write_trace(run, [&](const std::string& part) { text += part; });
    return nlohmann::json::parse(text).at("otherData");
  };
  EXPECT_EQ(clocks().at("clocks"), "those of several hosts were not compared");
  run.clock_error = 400;  // but the second message has come 900 before it was sent
  EXPECT_EQ(clocks().at("clock error us"), 0.9);
  run.clock_error = 2500;
  EXPECT_EQ(clocks().at("clock error us"), 2.5);
  EXPECT_EQ(clocks().at("clocks"), "compared between nodes, wrong by at most 2.5 us");
}

}  // namespace
}  // namespace peal::launcher
