// A peer that lies about the keys of a buffer that it exposes piece by piece: on cards of this
// process's own.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "base/page.hpp"
#include "peal/error.hpp"
#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/bulk/pieces/pieces.hpp"
#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/injection.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using peal::verbs::exposed;

/// Rank 1 exposes, and somebody lies in its name; rank 0 fetches.
class verbs_lies_about_keys : public verbs_on_cards {
 protected:
  static constexpr std::size_t bytes = 20 << 20;
  const std::vector<std::byte> source = pattern(bytes, 1);
  std::vector<std::byte> target;
  std::unique_ptr<verbs_double::lying_host> liar;
  remote_region where;
  std::unique_ptr<tracked_fetch> fetching;

  void TearDown() override {
    fetching.reset();
    liar.reset();
    verbs_on_cards::TearDown();
    verbs_double::remove_cards();
  }
  /// Nothing stays registered, so that each message has its pieces registered anew.
  void begin_all(verbs_options settings = {}) {
    liar.reset();
    settings.set.push = 0;
    settings.set.rendezvous = rendezvous_mode::read;
    settings.set.registration_cache = false;
    begin(3, settings);
    meet(0, 1);
    meet(0, 2);
    liar = std::make_unique<verbs_double::lying_host>(*cards[1], *cards[0]);
    expose_and_fetch();  // there are queue pairs for large messages from then on
    comes_whole();
  }
  void expose_and_fetch() {
    where = at(1).expose(0, source.data(), bytes);
    fetch_what_is_exposed();
  }
  void fetch_what_is_exposed() {
    target.assign(bytes, std::byte{});
    fetching = std::make_unique<tracked_fetch>(1, where, target.data(), bytes);
    at(0).start_fetch(*fetching);
  }
  void comes_whole() {
    ASSERT_TRUE(wait([&] { return fetching->calls > 0; }));
    is_whole();
  }
  /// Rank 1 takes no part: it would find that it gets credits for packets that it has not sent.
  void comes_whole_without_its_owner() {
    ASSERT_TRUE(until([&] { at(0).poll(); }, [&] { return fetching->calls > 0; }));
    is_whole();
  }
  void is_whole() {
    EXPECT_FALSE(fetching->error);
    EXPECT_TRUE(target == source);
    at(1).withdraw(0, where);
  }
  std::uint32_t pieces_in_source() const {
    const peal::verbs::pieces of{reinterpret_cast<std::uintptr_t>(source.data())};
    return static_cast<std::uint32_t>(of.of((bytes - 1) / page * page)) + 1;
  }
  /// So many keys, which are of nothing, from this piece on.
  void lie(std::uint64_t number, std::uint32_t piece, std::size_t keys) {
    const std::size_t behind = keys * sizeof(peal::verbs::rail_keys);
    const peal::verbs::payload_header header{peal::verbs::payload_kind::keys, piece, number, 0,
                                             behind};
    std::vector<std::byte> packet(sizeof header + behind, std::byte{0x77});
    std::memcpy(packet.data(), &header, sizeof header);
    ASSERT_TRUE(liar->send(packet, peal::verbs::immediate::staged));
  }
  void poll_one(peer_id which) {
    for (int left = 30; left > 0; --left) at(which).poll();
  }
};

TEST_F(verbs_lies_about_keys, more_keys_than_there_are_pieces_change_nothing) {
  begin_all();
  expose_and_fetch();
  poll_one(1);  // it has told all of them
  lie(exposed::number(where), pieces_in_source(), 512);
  lie(exposed::number(where), pieces_in_source() + 512, 3);
  comes_whole_without_its_owner();
  EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
  EXPECT_TRUE(at(0).lost().empty());
}

TEST_F(verbs_lies_about_keys, behind_the_last_ones_none_are_used) {
  begin_all();
  const std::uint64_t before = count(0, "verbs.read_bytes");
  expose_and_fetch();
  const peal::verbs::pieces of{reinterpret_cast<std::uintptr_t>(source.data())};
  lie(exposed::number(where), 1, 0);
  lie(exposed::number(where), 1, 3);
  // Rank 1 takes no part, so the rest of the payload, which rank 0 asks it for, does not come.
  poll_one(0);
  EXPECT_GT(count(0, "verbs.read_bytes"), before);
  EXPECT_LE(count(0, "verbs.read_bytes") - before, of.begin_of(1));
  EXPECT_EQ(fetching->calls, 0);
  EXPECT_TRUE(at(0).lost().empty());
  at(0).peer_failed(1);
  EXPECT_EQ(fetching->calls, 1);
  EXPECT_EQ(fetching->error, errc::peer_failed);
}

TEST_F(verbs_lies_about_keys, keys_of_what_is_over_are_not_used) {
  begin_all();
  expose_and_fetch();
  comes_whole();
  const std::uint64_t over = exposed::number(where);
  lie(over, 2, 4);  // behind others that nobody knows any more
  lie(over, 1, 4);
  lie(over, 5, 4);
  poll_one(0);
  where = at(1).expose(0, source.data(), bytes);
  EXPECT_EQ(static_cast<std::uint32_t>(exposed::number(where)), static_cast<std::uint32_t>(over));
  poll_one(1);  // it tells those of this one
  fetch_what_is_exposed();
  lie(over, 1, 4);  // amid that
  comes_whole_without_its_owner();
  EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
  EXPECT_TRUE(at(0).lost().empty());
}

TEST_F(verbs_lies_about_keys, keys_that_come_again_are_not_believed) {
  begin_all();
  expose_and_fetch();
  poll_one(1);
  lie(exposed::number(where), 1, 1);
  testing::internal::CaptureStderr();
  std::vector<peer_id> lost;
  ASSERT_TRUE(until([&] { at(0).poll(); },
                    [&] {
                      lost = at(0).lost();
                      return !lost.empty();
                    }));
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  EXPECT_NE(told.find("it sent keys that were not their turn"), std::string::npos) << told;
  at(0).peer_failed(1);
  EXPECT_EQ(fetching->calls, 1);
  EXPECT_EQ(fetching->error, errc::peer_failed);
}

TEST_F(verbs_lies_about_keys, a_fetch_whose_keys_never_come_ends_with_its_peer) {
  begin_all();
  where = at(1).expose(0, source.data(), bytes);
  const remote_region true_one = where;
  where.words[2] += std::uint64_t{5} << 32;  // another generation
  fetch_what_is_exposed();
  poll(50);
  EXPECT_EQ(fetching->calls, 0);
  at(0).peer_failed(1);
  EXPECT_EQ(fetching->calls, 1);
  EXPECT_EQ(fetching->error, errc::peer_failed);
  at(1).withdraw(0, true_one);
}

/// What others tell finds no room then, and comes in messages.
TEST_F(verbs_lies_about_keys, no_more_than_a_limit_is_kept_of_what_nobody_fetches) {
  verbs_options settings;
  settings.kept_pushes = 1000;
  begin_all(settings);
  for (std::uint64_t place = 100; place < 110; ++place) {
    lie(place, 1, 4);
    poll(20);
  }
  const remote_region its = at(2).expose(0, source.data(), bytes);
  poll(20);
  target.assign(bytes, std::byte{});
  tracked_fetch from_other{2, its, target.data(), bytes};
  at(0).start_fetch(from_other);
  ASSERT_TRUE(wait([&] { return from_other.calls > 0; }));
  EXPECT_FALSE(from_other.error);
  EXPECT_TRUE(target == source);
  EXPECT_GT(count(2, "verbs.staged_bytes"), 0u);
  EXPECT_TRUE(at(0).lost().empty());
  at(2).withdraw(0, its);
}

}  // namespace
