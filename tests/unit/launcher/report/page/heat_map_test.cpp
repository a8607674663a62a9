#include "report/page/heat_map.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace peal::launcher {
namespace {

std::size_t count_of(const std::string& in, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++count;
  return count;
}

noted_rank with_peers(std::vector<record::peer_traffic> peers) {
  noted_rank made;
  made.known = true;
  made.peers = std::move(peers);
  return made;
}

TEST(heat_map, has_a_square_for_each_pair_with_exact_numbers) {
  const std::string map = heat_map({{0, 1, 3, 24}, {1, 0, 1, 4096}}, 2, "traffic");
  EXPECT_EQ(count_of(map, "<rect"), 4u);
  EXPECT_EQ(count_of(map, "class=\"cell\""), 2u);
  EXPECT_NE(map.find("data-from=\"0\" data-to=\"1\" data-messages=\"3\" data-bytes=\"24\""),
            std::string::npos);
  EXPECT_NE(map.find("data-from=\"1\" data-to=\"0\" data-messages=\"1\" data-bytes=\"4096\""),
            std::string::npos);
}

TEST(heat_map, puts_many_ranks_into_groups_and_loses_none) {
  const int ranks = 1000;
  std::vector<pair_traffic> pairs;
  for (int rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks, 1, 8});
  const std::string map = heat_map(pairs, ranks, "traffic");
  EXPECT_EQ(count_of(map, "<rect"), 63u * 63u);  // groups of 16, of which the last has 8
  std::uint64_t messages = 0;
  const std::string mark = "data-messages=\"";
  for (std::size_t at = map.find(mark); at != std::string::npos; at = map.find(mark, at + 1))
    messages += std::stoull(map.substr(at + mark.size()));
  EXPECT_EQ(messages, 1000u);
  EXPECT_NE(map.find("data-from=\"992–999\" data-to=\"0–15\""), std::string::npos);
}

TEST(heat_map, an_empty_message_is_to_be_seen) {
  EXPECT_EQ(count_of(heat_map({{0, 0, 1, 0}}, 1, "x"), "class=\"cell\""), 1u);
}

TEST(pairs, are_as_the_sender_counted_them) {
  gathered_run run;
  run.ranks.push_back(with_peers({{},
                                  {.sent = 2,
                                   .sent_bytes = 16,
                                   .received = 9,
                                   .received_bytes = 9,
                                   .collective_sent = 1,
                                   .collective_bytes = 5}}));
  run.ranks.push_back(with_peers({{}, {}}));
  const std::vector<pair_traffic> pairs = pairs_of(run);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].messages, 2u);
  EXPECT_EQ(pairs[0].bytes, 16u);
  ASSERT_EQ(collective_pairs_of(run).size(), 1u);
  EXPECT_EQ(collective_pairs_of(run)[0].bytes, 5u);
}

TEST(pairs, of_a_sender_that_left_no_record_are_as_the_receiver_counted_them) {
  gathered_run run;
  run.ranks.emplace_back();
  run.ranks.push_back(with_peers({{.sent = 0,
                                   .sent_bytes = 0,
                                   .received = 3,
                                   .received_bytes = 30,
                                   .collective_sent = 0,
                                   .collective_bytes = 0},
                                  {}}));
  const std::vector<pair_traffic> pairs = pairs_of(run);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].from, 0);
  EXPECT_EQ(pairs[0].to, 1);
  EXPECT_EQ(pairs[0].bytes, 30u);
}

}  // namespace
}  // namespace peal::launcher
