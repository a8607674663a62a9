// Memory for messages that nobody has asked for: blocks that fit, and that are used again.
#include "p2p/unexpected.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

using namespace peal;

TEST(message_pool, a_block_fits_its_payload_and_wastes_little) {
  message_pool of;
  for (const std::size_t payload : {0u, 1u, 31u, 32u, 33u, 100u, 1000u, 4096u, 5000u, 8192u}) {
    detail::matched_message& made = of.take(payload);
    EXPECT_GE(made.block, sizeof made + payload);
    if (payload > 32 && payload <= 4096) {
      EXPECT_LE(made.block, (sizeof made + payload) * 3 / 2 + 64);
    }
    std::memset(made.payload(), 0x5a, payload);
    of.give_back(made);
  }
}

TEST(message_pool, what_was_given_back_is_taken_next_and_no_two_blocks_overlap) {
  message_pool of;
  std::vector<detail::matched_message*> held;
  for (int each = 0; each < 2000; ++each) {
    held.push_back(&of.take(200));
    std::memset(held.back()->payload(), each % 251, 200);
  }
  for (int each = 0; each < 2000; ++each) {
    const std::byte* const payload = held[static_cast<std::size_t>(each)]->payload();
    EXPECT_EQ(payload[0], static_cast<std::byte>(each % 251));
    EXPECT_EQ(payload[199], static_cast<std::byte>(each % 251));
  }
  detail::matched_message* const last = held.back();
  of.give_back(*last);
  held.pop_back();
  EXPECT_EQ(&of.take(199), last);
  held.push_back(last);
  for (detail::matched_message* each : held) of.give_back(*each);
}

TEST(message_pool, some_memory_of_long_messages_stays) {
  message_pool of;
  for (const std::size_t payload : {5000u, 8192u, 16384u, 32768u}) {
    detail::matched_message& made = of.take(payload);
    EXPECT_LE(made.block, (sizeof made + payload) * 3 / 2 + 64);
    of.give_back(made);
    EXPECT_EQ(of.kept_bytes(), made.block);
    EXPECT_EQ(&of.take(payload), &made);
    EXPECT_EQ(of.kept_bytes(), 0U);
    ::operator delete(&made);
  }
  std::vector<detail::matched_message*> held;
  for (std::size_t all = 0; all < 3 * message_pool::most_kept; all += held.back()->block) {
    held.push_back(&of.take(32768));
    std::memset(held.back()->payload(), 1, 32768);
  }
  for (detail::matched_message* each : held) of.give_back(*each);
  EXPECT_LE(of.kept_bytes(), message_pool::most_kept);
  EXPECT_GT(of.kept_bytes(), message_pool::most_kept / 2);
}

}  // namespace
