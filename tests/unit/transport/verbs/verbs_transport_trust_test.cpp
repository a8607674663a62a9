// What a peer that lies can do: nothing that concerns memory which was not exposed to it. On cards
// of this process's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "memory/unmap_hooks.hpp"
#include "peal/error.hpp"
#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/connect/handshake_packing.hpp"
#include "transport/verbs/datagram/datagram.hpp"
#include "transport/verbs/wire.hpp"
#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/injection.hpp"

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
    of.words[2] = peal::verbs::exposed::number(of);
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

/// Regions that peers can write to.
std::size_t writable() {
  const verbs_double::lock hold{verbs_double::guard()};
  return static_cast<std::size_t>(std::ranges::count_if(
      verbs_double::everything().regions,
      [](const auto* each) { return (each->access & IBV_ACCESS_REMOTE_WRITE) != 0; }));
}

TEST_F(verbs_trust, memory_can_be_written_to_by_a_peer_only_while_it_was_asked_to) {
  for (const char* mode : {"read", "write", "both"}) {
    begin_with(mode);
    std::vector<std::byte> target(large);
    const bool writes = std::string_view{mode} != "read";
    for (int round = 0; round < 3; ++round) {
      const remote_region where = at(1).expose(0, source.data(), large);
      tracked_fetch fetching{1, where, target.data(), large};
      const std::uint64_t before = count(0, "verbs.registrations");
      at(0).start_fetch(fetching);
      // The first one brings the queue pairs.
      EXPECT_EQ(writable(), writes && round > 0 ? 1u : 0u) << mode;
      EXPECT_TRUE(wait([&] { return fetching.calls > 0; }));
      EXPECT_EQ(writable(), 0u) << mode << ": it ended with the message";
      EXPECT_EQ(target, source);
      // The rest is registered already, the second time, and each share that is written anew.
      if (round > 0 && use_unmap_hooks().work) {
        EXPECT_EQ(count(0, "verbs.registrations"), before + (writes ? 1 : 0)) << mode;
      }
      at(1).withdraw(0, where);
    }
  }
}

/// Whether these bytes stand in that packet.
bool holds(std::span<const std::byte> packet, std::span<const std::byte> bytes) {
  return !std::ranges::search(packet, bytes).empty();
}

/// The rank that would have told it may have no device.
TEST_F(verbs_trust, the_secret_of_the_job_is_one_without_rank_0_too_and_is_never_sent) {
  mute = {0};
  begin(3);
  const auto told = peal::verbs::address_from(at(1).address());
  ASSERT_TRUE(told);
  ASSERT_NE(told->job, peal::verbs::secret{});
  const peal::verbs::authenticator by{told->job};
  int handshakes = 0;
  for (verbs_double::card* each : cards)
    each->listens = [&](const std::byte* packet, std::size_t bytes) {
      EXPECT_FALSE(holds({packet, bytes}, std::as_bytes(std::span{told->job})));
      peal::verbs::packed_handshake said;
      if (bytes < sizeof said) return;
      std::memcpy(&said, packet, sizeof said);
      EXPECT_TRUE(by.matches(said.proof, &said, offsetof(peal::verbs::packed_handshake, proof)));
      ++handshakes;
    };
  meet(1, 2);
  EXPECT_GE(handshakes, 2);
}

/// Datagrams to a card, as they came.
std::vector<std::vector<std::byte>> recorded(verbs_double::card& at, auto during) {
  std::vector<std::vector<std::byte>> all;
  at.listens = [&](const std::byte* packet, std::size_t bytes) {
    all.emplace_back(packet, packet + bytes);
  };
  during();
  at.listens = {};
  return all;
}

TEST_F(verbs_trust, a_handshake_that_was_recorded_is_refused_in_its_job_and_in_the_next) {
  begin(2);
  const auto all = recorded(*cards[0], [&] { meet(1, 0); });
  ASSERT_GE(all.size(), 2u) << "a request and an acknowledgement";
  for (const auto& each : all) verbs_double::inject_datagram(*cards[0], each);
  poll(100);
  EXPECT_EQ(count(0, "verbs.handshakes_stale"), all.size());
  EXPECT_EQ(count(0, "verbs.connections"), 1u);
  EXPECT_TRUE(at(0).lost().empty());
  meet(0, 1);  // over the connection that there is

  begin(2);
  for (const auto& each : all) verbs_double::inject_datagram(*cards[0], each);
  poll(100);
  EXPECT_EQ(count(0, "verbs.packets_refused"), all.size());
  EXPECT_EQ(count(0, "verbs.connections"), 0u);
  meet(0, 1);
}

TEST_F(verbs_trust, a_handshake_with_any_bit_changed_is_refused) {
  begin(2);
  std::vector<std::byte> request;
  cards[0]->copies = [&](const std::byte* packet, std::size_t bytes) {
    if (request.empty()) request.assign(packet, packet + bytes);
    return 0u;
  };
  EXPECT_FALSE(at(1).send(0, message(0), nullptr));
  ASSERT_TRUE(wait([&] { return !request.empty(); }));
  std::uint64_t refused = 0;
  for (std::size_t each = 0; each < sizeof(peal::verbs::packed_handshake); ++each) {
    std::vector<std::byte> forged = request;
    forged[each] ^= std::byte{1} << (each % 8);
    verbs_double::inject_datagram(*cards[0], forged);
    poll(20);
    EXPECT_EQ(count(0, "verbs.packets_refused"), ++refused) << "byte " << each;
  }
  EXPECT_EQ(count(0, "verbs.connections"), 0u);
  cards[0]->copies = {};
  verbs_double::inject_datagram(*cards[0], request);
  EXPECT_TRUE(wait([&] { return count(0, "verbs.connections") == 1; })) << "as it was sent";
}

TEST_F(verbs_trust, a_datagram_whose_header_was_changed_is_refused) {
  verbs_options made;
  made.set.max_rc = 1;  // ranks 0 and 2 are connected, rank 1 sends datagrams
  begin(3, made);
  meet(0, 2);
  std::vector<std::byte> packet;
  cards[0]->copies = [&](const std::byte* data, std::size_t bytes) {
    std::uint64_t magic = 0;
    std::memcpy(&magic, data, sizeof magic);
    if (magic == peal::verbs::datagram_header::mark && packet.empty())
      packet.assign(data, data + bytes);
    return 0u;
  };
  const std::size_t before = got(0).size();
  ASSERT_TRUE(send(1, 0, message(8, 7), "12345678"));
  ASSERT_TRUE(wait([&] { return !packet.empty(); }));
  std::uint64_t refused = count(0, "verbs.packets_refused");
  for (std::size_t each = 0; each < sizeof(peal::verbs::datagram_header); ++each) {
    std::vector<std::byte> forged = packet;
    forged[each] ^= std::byte{1} << (each % 8);
    verbs_double::inject_datagram(*cards[0], forged);
    poll(20);
    EXPECT_EQ(count(0, "verbs.packets_refused"), ++refused) << "byte " << each;
  }
  EXPECT_EQ(got(0).size(), before);
  verbs_double::inject_datagram(*cards[0], packet);
  poll(20);
  ASSERT_EQ(got(0).size(), before + 1) << "as it was sent";
  verbs_double::inject_datagram(*cards[0], packet);
  poll(20);
  EXPECT_EQ(got(0).size(), before + 1) << "once more";
  cards[0]->copies = {};
}

std::vector<std::byte> staged_packet(peal::verbs::payload_kind kind, std::uint32_t detail,
                                     std::uint64_t number, std::uint64_t position,
                                     std::uint64_t bytes, std::size_t behind = 0) {
  const peal::verbs::payload_header header{kind, detail, number, position, bytes};
  std::vector<std::byte> made(sizeof header + behind);
  std::memcpy(made.data(), &header, sizeof header);
  return made;
}

TEST_F(verbs_trust, a_peer_that_sends_what_makes_no_sense_is_given_up_with_a_sentence) {
  using peal::verbs::immediate, peal::verbs::payload_kind;
  const envelope too_long = message(100);
  std::vector<std::byte> cut(sizeof too_long + 8), whole(sizeof too_long + 100);
  std::memcpy(cut.data(), &too_long, sizeof too_long);
  std::memcpy(whole.data(), &too_long, sizeof too_long);
  struct {
    const char* sentence;
    std::uint32_t flags;
    std::vector<std::byte> packet;
  } const cases[] = {
      {"it sent half an envelope", 0, std::vector<std::byte>(8)},
      {"it sent a message that is longer than its packet", 0, cut},
      {"it sent part of a payload without a header", immediate::staged, std::vector<std::byte>(8)},
      {"it sent part of a payload of no known kind", immediate::staged,
       staged_packet(static_cast<payload_kind>(77), 0, 0, 0, 0)},
      {"it sent a question of another length", immediate::staged,
       staged_packet(payload_kind::ask, 0, 1, 0, 1, 4)},
      {"it sent a question for memory that was not exposed to it", immediate::staged,
       staged_packet(payload_kind::ask, 0, 1, 0, 1, 8)},
      {"it sent a question to write memory that was not exposed to it", immediate::staged,
       staged_packet(payload_kind::write, 0, 1, 4096, 1, sizeof(peal::verbs::write_source))},
      {"it sent a question to write beyond the end of memory", immediate::staged,
       staged_packet(payload_kind::write, 0, 1, ~std::uint64_t{0}, 2,
                     sizeof(peal::verbs::write_source))},
      {"it sent part of a payload cut short", immediate::staged,
       staged_packet(payload_kind::data, 0, 1, 0, 16, 8)},
      {"it sent part of a payload that nobody asked for", immediate::staged,
       staged_packet(payload_kind::data, 0, 1, 0, 8, 8)},
      {"it sent news of a write that nobody asked for", immediate::staged,
       staged_packet(payload_kind::written, 0, 1, 0, 0)},
      {"it sent news of writes over rails that there are not", immediate::staged,
       staged_packet(payload_kind::written, 1u << 9, 1, 0, 0)},
      {"it sent more credits than it may grant", 65, {}},
      {"it sent more credits than it may grant", immediate::credit_bits, {}},
      {"it sent news of credits given up that it did not have", immediate::gives_up | 64, {}},
      {"it sent a packet without a credit for it", immediate::uncounted, whole},
      {"it sent news of a rail that there is not", immediate::staged,
       staged_packet(payload_kind::left_out, 9, 0, 0, 0)},
      {"it sent more of the beginning of a payload than it announced", immediate::staged,
       staged_packet(payload_kind::push, 0, 1, std::uint64_t{4} << 32, 8, 8)},
      {"it sent a piece of the beginning of a payload that was not its turn", immediate::staged,
       staged_packet(payload_kind::push, 0, 1, std::uint64_t{16} << 32, 8, 8)},
      {"it sent keys cut short", immediate::staged,
       staged_packet(payload_kind::keys, 1, 1, 0, 16, 8)},
      {"it sent keys to nothing", immediate::staged,
       staged_packet(payload_kind::keys, 1, 0, 0, 16, 16)},
      {"it sent keys that were not their turn", immediate::staged,
       staged_packet(payload_kind::keys, 1, 1, 0, 16, 16)},
  };
  for (const auto& each : cases) {
    begin(2);
    meet(0, 1);
    const std::size_t before = got(0).size();
    verbs_double::lying_host liar{*cards[1], *cards[0]};
    testing::internal::CaptureStderr();
    std::vector<peer_id> lost;
    for (int times = 0; times < 2 && lost.empty(); ++times) {  // the last one lies the second time
      liar.send(each.packet, each.flags);
      poll(20);
      lost = at(0).lost();
    }
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(lost, std::vector<peer_id>{1}) << each.sentence;
    EXPECT_NE(told.find(each.sentence), std::string::npos) << told;
    EXPECT_EQ(got(0).size(), before) << each.sentence;
    at(0).peer_failed(1);
    poll(20);
  }
}

TEST_F(verbs_trust, a_peer_that_sends_more_packets_than_it_has_credits_for_is_given_up) {
  verbs_options made;
  made.window = 8;
  begin(2, made);
  meet(0, 1);
  verbs_double::lying_host liar{*cards[1], *cards[0]};
  testing::internal::CaptureStderr();
  for (int each = 0; each < 20; ++each) ASSERT_TRUE(liar.send({}, 0));
  poll(20);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("it sent more packets than it had credits for"), std::string::npos) << told;
  EXPECT_EQ(at(0).lost(), std::vector<peer_id>{1});
}

/// The announcement says that the first bytes are sent unasked, and that there are none of them.
TEST_F(verbs_trust, a_fetch_ends_once_whatever_its_announcement_says_of_what_is_pushed) {
  begin_with("read");
  remote_region where = at(1).expose(0, source.data(), large);
  where.words[3] = std::uint64_t{7} << 32;
  std::vector<std::byte> target(large);
  tracked_fetch fetching{1, where, target.data(), large};
  at(0).start_fetch(fetching);
  ASSERT_TRUE(wait([&] { return fetching.calls > 0; }));
  EXPECT_EQ(target, source);
  at(0).peer_failed(1);
  EXPECT_EQ(fetching.calls, 1);
}

/// Queue pairs of a card in this state of being open to its peers.
std::size_t open_to(const verbs_double::card& of, unsigned access) {
  const verbs_double::lock hold{verbs_double::guard()};
  return static_cast<std::size_t>(std::ranges::count_if(of.pairs, [&](const auto* each) {
    return each->base.qp_type == IBV_QPT_RC && each->attributes.qp_access_flags == access;
  }));
}

/// That for messages carries WRITEs of nothing, which ask for a sign of life.
TEST_F(verbs_trust, queue_pairs_are_open_to_reads_and_to_writes_where_this_rank_asks_for_them) {
  constexpr unsigned reads = IBV_ACCESS_REMOTE_READ, writes = IBV_ACCESS_REMOTE_WRITE;
  struct {
    rendezvous_mode mode;
    unsigned cpus;  // of the node; two ranks of it are too many for halves by both ends
    std::size_t read_only, for_both;
  } const cases[] = {{rendezvous_mode::read, 8, 1, 0},
                     {rendezvous_mode::write, 8, 1, 1},
                     {rendezvous_mode::both, 8, 1, 1},
                     {rendezvous_mode::automatic, 1, 1, 0}};
  for (const auto& each : cases) {
    verbs_options made;
    made.set.rendezvous = each.mode;
    made.cpus = each.cpus;
    begin(2, made);
    meet(0, 1);
    for (peer_id to = 0; to < 2; ++to) {
      std::vector<std::byte> target(large);
      tracked_fetch fetching{1 - to, at(1 - to).expose(to, source.data(), large), target.data(),
                             large};
      at(to).start_fetch(fetching);
      ASSERT_TRUE(wait([&] { return fetching.calls > 0; }));
      EXPECT_EQ(target, source);
      at(1 - to).withdraw(to, fetching.where);
    }
    for (const verbs_double::card* card : cards) {
      const int mode = static_cast<int>(each.mode);
      EXPECT_EQ(open_to(*card, writes), 1u) << mode;
      EXPECT_EQ(open_to(*card, reads), each.read_only) << mode;
      EXPECT_EQ(open_to(*card, reads | writes), each.for_both) << mode;
    }
  }
}

}  // namespace
