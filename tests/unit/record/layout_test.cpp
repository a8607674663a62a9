#include "record/layout.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace peal::record {
namespace {

TEST(layout, classes_of_lengths_begin_at_powers_of_two) {
  EXPECT_EQ(class_of(0), 0u);
  EXPECT_EQ(class_of(1), 1u);
  EXPECT_EQ(class_of(7), 3u);
  EXPECT_EQ(class_of(8), 4u);
  EXPECT_EQ(class_of(~std::uint64_t{0}), length_classes - 1);
}

struct entered : testing::Test {
  std::unique_ptr<rank_file> file = std::make_unique<rank_file>();
  std::vector<peer_traffic> peers{4};
};

message_run five(call_kind kind, bool further = false) {
  return {.key = key_of_run(further ? 3 : 2, kind),
          .bytes = 8,
          .peer = 2,
          .site = 7,
          .left = 2,
          .from = 7};
}

TEST_F(entered, messages_sent_count_for_place_peer_and_length) {
  enter(*file, peers.data(), five(call_kind::send));
  EXPECT_EQ(file->sites[7].calls, 5u);
  EXPECT_EQ(file->sites[7].bytes, 40u);
  EXPECT_EQ(peers[2].sent, 5u);
  EXPECT_EQ(peers[2].sent_bytes, 40u);
  EXPECT_EQ(peers[2].received, 0u);
  EXPECT_EQ(file->lengths[4].messages, 5u);
}

TEST_F(entered, what_a_blocking_receive_got_is_no_message_sent) {
  enter(*file, peers.data(), five(call_kind::recv));
  EXPECT_EQ(file->sites[7].calls, 5u);
  EXPECT_EQ(peers[2].received, 5u);
  EXPECT_EQ(peers[2].received_bytes, 40u);
  EXPECT_EQ(file->lengths[4].messages, 0u);
}

TEST_F(entered, what_a_function_does_after_the_first_thing_is_no_further_call) {
  enter(*file, peers.data(), five(call_kind::send, true));
  EXPECT_EQ(file->sites[7].calls, 0u);
  EXPECT_EQ(peers[2].sent, 5u);
}

TEST_F(entered, an_empty_place_is_left_alone) {
  message_run none = five(call_kind::send);
  none.key = 0;
  enter(*file, peers.data(), none);
  EXPECT_EQ(file->sites[7].calls, 0u);
}

}  // namespace
}  // namespace peal::record
