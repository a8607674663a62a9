// What one who does not have the job's secret cannot make.
#include "transport/verbs/authenticator.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string_view>

namespace {

using namespace peal::verbs;

constexpr secret ours{1, 2}, others{1, 3};
constexpr std::string_view packet{"from 3 to 4: here are my queue pairs"};

TEST(authenticator, a_tag_holds_for_its_packet_and_its_job_alone) {
  const authenticator here{ours}, there{ours}, stranger{others};
  const authenticator::tag told = here.tag_of(packet.data(), packet.size());
  EXPECT_TRUE(there.matches(told, packet.data(), packet.size()));
  EXPECT_FALSE(stranger.matches(told, packet.data(), packet.size()));
  EXPECT_FALSE(there.matches(told, packet.data(), packet.size() - 1));
  for (std::size_t bit = 0; bit < 8 * told.size(); ++bit) {
    authenticator::tag forged = told;
    forged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(there.matches(forged, packet.data(), packet.size())) << "bit " << bit;
  }
}

TEST(authenticator, a_short_tag_holds_for_its_header_and_its_job_alone) {
  const authenticator here{ours}, there{ours}, stranger{others};
  const std::uint64_t told = here.short_tag_of(packet.data(), packet.size());
  EXPECT_EQ(there.short_tag_of(packet.data(), packet.size()), told);
  EXPECT_NE(stranger.short_tag_of(packet.data(), packet.size()), told);
  EXPECT_NE(there.short_tag_of(packet.data(), packet.size() - 1), told);
}

TEST(authenticator, queue_keys_differ_from_job_to_job_rank_to_rank_and_start_to_start) {
  std::set<std::uint32_t> seen;
  for (const secret& job : {ours, others})
    for (const peal::peer_id rank : {0u, 1u})
      for (const std::uint64_t incarnation : {5u, 6u}) {
        const std::uint32_t key = authenticator{job}.queue_key(rank, incarnation);
        EXPECT_TRUE(seen.insert(key).second);
        EXPECT_LT(key, 0x80000000u) << "the highest bit asks for a privileged one";
        EXPECT_EQ(authenticator{job}.queue_key(rank, incarnation), key);
      }
}

TEST(authenticator, secrets_are_made_at_random) {
  EXPECT_NE(random_secret(), random_secret());
  EXPECT_NE(random_secret(), secret{});
  EXPECT_NE(random_word(), random_word());
}

}  // namespace
