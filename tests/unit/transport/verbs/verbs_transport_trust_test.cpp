// What a peer that lies can do: nothing that concerns memory which was not exposed to it. On cards
// of this process's own.
#include <gtest/gtest.h>

#include <cstring>

#include "peal/error.hpp"
#include "transport/verbs/wire.hpp"
#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_trust : public verbs_on_cards {
 protected:
  static constexpr std::size_t large = 100'000;
  const std::vector<std::byte> source = pattern(large, 1);

  void begin_with(const char* rendezvous) {
    verbs_options made;
    made.set.rendezvous = rendezvous_named(rendezvous);
    made.set.push = 0;
    begin(3, made);
    meet(0, 1);
    meet(1, 2);
  }
  /// Of one whose memory could not be registered, so that its process sends it.
  static remote_region unregistered(remote_region of) {
    of.words[2] &= ~(std::uint64_t{1} << 63);
    return of;
  }
  /// Whether rank 0 gets it from rank 1; if not, the question was refused.
  bool gets(const remote_region& where, std::size_t bytes) {
    const std::uint64_t refused = count(1, "verbs.packets_refused");
    std::vector<std::byte> target(bytes);
    tracked_fetch fetching{1, where, target.data(), bytes};
    at(0).start_fetch(fetching);
    EXPECT_TRUE(
        wait([&] { return fetching.calls > 0 || count(1, "verbs.packets_refused") > refused; }));
    if (fetching.calls > 0) return target == source;
    poll(500);
    EXPECT_EQ(fetching.calls, 0);
    EXPECT_EQ(target, std::vector<std::byte>(bytes));
    at(0).peer_failed(1);
    EXPECT_EQ(fetching.error, errc::peer_failed);
    return false;
  }
};

TEST_F(verbs_trust, an_address_that_was_not_exposed_is_not_read_for_a_peer) {
  begin_with("read");
  remote_region forged;
  forged.words[0] = reinterpret_cast<std::uint64_t>(source.data());
  EXPECT_FALSE(gets(forged, large));
}

TEST_F(verbs_trust, a_peer_gets_what_was_exposed_to_it_as_long_as_it_is) {
  struct {
    const char* what;
    peer_id to;
    bool withdrawn;
    std::size_t bytes;
    std::uint64_t other_number;
    bool expected;
  } const cases[] = {
      {"all of it", 0, false, large, 0, true},
      {"more than that", 0, false, large + 4096, 0, false},
      {"what was another's", 2, false, large, 0, false},
      {"what was withdrawn", 0, true, large, 0, false},
      {"a number that was not dealt out", 0, false, large, 1 << 16, false},
      {"a number with another generation", 0, false, large, std::uint64_t{1} << 32, false}};
  for (const char* mode : {"read", "write"})
    for (const auto& each : cases) {
      begin_with(mode);
      remote_region where = at(1).expose(each.to, source.data(), large);
      if (each.withdrawn) at(1).withdraw(each.to, where);
      where.words[2] ^= each.other_number;
      // the device of rank 1 checks what is read
      const bool asks = std::string_view{mode} == "write";
      EXPECT_EQ(gets(asks ? where : unregistered(where), each.bytes), each.expected)
          << mode << ": " << each.what;
    }
}

/// The rank that would have told it may have no device.
TEST_F(verbs_trust, the_secret_of_the_job_is_one_without_rank_0_too) {
  std::vector<peal::verbs::secret> seen;
  mute = {0};
  begin(3);
  for (verbs_double::card* each : cards)
    each->listens = [&](const std::byte* packet, std::size_t bytes) {
      peal::verbs::handshake_packet said;
      if (bytes < sizeof said) return;
      std::memcpy(&said, packet, sizeof said);
      if (said.magic != peal::verbs::handshake_packet::mark) return;
      seen.push_back(said.job);
    };
  meet(1, 2);
  ASSERT_GE(seen.size(), 2u);
  for (const peal::verbs::secret& each : seen) {
    EXPECT_NE(each, peal::verbs::secret{});
    EXPECT_EQ(each, seen.front());
  }
}

}  // namespace
