#include "comm/counters_text.hpp"

#include <gtest/gtest.h>

namespace {

using peal::counter;
using peal::counters_text;

TEST(counters_text, nothing_counted_is_one_line) {
  EXPECT_EQ(counters_text({}, 3), "peal rank 3: counters: all are 0\n");
  EXPECT_EQ(counters_text({{"shm.parcels", 0, "messages sent outside of boxes"}}, 0),
            "peal rank 0: counters: all are 0\n");
}

TEST(counters_text, zeros_are_left_out_and_shared_counts_are_marked) {
  const std::string text = counters_text(
      {{"a.zero", 0, "never seen"}, {"a.some", 12, "seen"}, {"port.drops", 3, "lost", true}}, 1);
  EXPECT_EQ(text.find("never seen"), std::string::npos);
  EXPECT_NE(text.find("12  seen\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3  lost (by all processes of this machine)\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("doorbell"), std::string::npos) << text;
}

TEST(counters_text, says_what_a_request_and_a_doorbell_were_worth) {
  const std::string text = counters_text(
      {{"verbs.messages", 1000, "m"}, {"verbs.requests", 250, "r"}, {"verbs.doorbells", 100, "d"}},
      0);
  EXPECT_NE(text.find("4.00 messages a work request, 2.50 work requests a doorbell\n"),
            std::string::npos)
      << text;
}

TEST(counters_text, counters_of_lanes_are_added_but_not_those_of_ports) {
  std::vector<counter> all{{"a", 1, "m"}, {"port.drops", 3, "lost", true}};
  peal::add_counters(all, {{"a", 2, "m"}, {"port.drops", 3, "lost", true}, {"b", 5, "n"}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].value, 3u);
  EXPECT_EQ(all[1].value, 3u);
  EXPECT_EQ(all[2].value, 5u);
}

}  // namespace
