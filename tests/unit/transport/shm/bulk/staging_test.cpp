// Which ring a payload goes through, and when another peer may have it.
#include "transport/shm/bulk/staging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "transport/shm/layout.hpp"
#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

TEST(shm_staging, a_peer_keeps_its_ring_and_no_two_share_one) {
  constexpr int peers = shm::staging_rings + 4;
  shm_node node{{.count = peers + 1, .settings = {}}};
  shm::staging of{*node[0].segment};
  std::set<shm::ring*> seen;
  for (int peer = 1; peer <= peers; ++peer) {
    shm::ring* const its = of.of(peer);
    ASSERT_NE(its, nullptr);
    EXPECT_TRUE(seen.insert(its).second) << peer;
    EXPECT_EQ(of.of(peer), its);
    EXPECT_EQ(&of.at(its->offset), its);
    its->users = 2;
  }
  shm::ring* const first = of.of(1);
  shm::ring* const last = of.of(peers);
  EXPECT_GT(first->bytes, last->bytes) << "the last ones have small rings";
  first->filled = 4096;
  of.leave(*first);
  EXPECT_EQ(of.of(1), first) << "another payload is in it";
  of.leave(*first);
  EXPECT_EQ(first->drained, 4096u);
  EXPECT_EQ(of.of(peers), first) << "it is free for who had a small one";
}

TEST(shm_staging, the_ring_of_a_dead_peer_is_free) {
  shm_node node{{.count = 3, .settings = {}}};
  shm::staging of{*node[0].segment};
  shm::ring* const its = of.of(1);
  ASSERT_NE(its, nullptr);
  its->users = 3;
  its->filled = 100;
  of.peer_failed(1);
  EXPECT_EQ(its->peer, -1);
  EXPECT_EQ(its->users, 0u);
  EXPECT_EQ(its->drained, 100u);
  EXPECT_EQ(of.of(2), its);
}

TEST(shm_staging, a_ring_gets_pages_as_pieces_come_to_them) {
  shm_node node{{.count = 2, .settings = {}}};
  shm::staging of{*node[0].segment};
  shm::ring* const its = of.of(1);
  ASSERT_NE(its, nullptr);
  EXPECT_EQ(its->touched, 0u);
  constexpr std::uint32_t piece = 64 << 10;
  std::uint32_t steps = 0;
  for (std::uint32_t before = 0; its->filled < 2 * std::uint64_t{its->bytes};
       its->filled += piece, before = its->touched) {
    of.touch(*its, piece);
    EXPECT_GE(its->touched, std::min<std::uint64_t>(its->filled + piece, its->bytes));
    EXPECT_LE(its->touched, std::min<std::uint64_t>(its->filled + 4 * piece, its->bytes));
    steps += its->touched != before ? 1 : 0;
  }
  EXPECT_EQ(steps, its->bytes / (4 * piece)) << "once each, however often the ring comes round";
}

TEST(shm_staging, pieces_are_an_eighth_of_a_payload_within_bounds) {
  using shm::pieces;
  const shm::ring large{.bytes = 2 << 20, .largest_piece = 256 << 10};
  EXPECT_EQ(large.piece_for(0), 16u << 10);
  EXPECT_EQ(large.piece_for(256 << 10), 32u << 10);
  EXPECT_EQ(large.piece_for(300 << 10), 32u << 10) << "a power of two";
  EXPECT_EQ(large.piece_for(std::uint64_t{1} << 40), 64u << 10);
  EXPECT_EQ(large.piece_for(0, pieces::packed), 4u << 10) << "what is packed goes in smaller ones";
  EXPECT_EQ(large.piece_for(256 << 10, pieces::packed), 32u << 10);
  EXPECT_EQ(large.piece_for(512 << 10, pieces::large), 64u << 10);
  EXPECT_EQ(large.piece_for(1 << 20, pieces::large), 128u << 10);
  EXPECT_EQ(large.piece_for(std::uint64_t{1} << 40, pieces::large), 256u << 10);
  const shm::ring small{.bytes = 32 << 10, .largest_piece = 8 << 10};
  EXPECT_EQ(small.piece_for(1 << 20), 8u << 10);
  EXPECT_EQ(small.piece_for(1 << 20, pieces::large), 8u << 10);
}

TEST(shm_staging, a_ring_has_room_for_eight_pieces_of_any_length) {
  shm_node node{{.count = 2, .settings = {}}};
  shm::staging of{*node[0].segment};
  const shm::ring* const its = of.of(1);
  ASSERT_NE(its, nullptr);
  EXPECT_EQ(its->bytes % its->piece_for(std::uint64_t{1} << 40, shm::pieces::large), 0u);
  EXPECT_GE(its->bytes / its->piece_for(std::uint64_t{1} << 40, shm::pieces::large), 8u);
}

}  // namespace
}  // namespace peal::test
