// Ways to the ports of other nodes. On cards of this process's own.
#include "transport/verbs/datagram/routes.hpp"

#include <gtest/gtest.h>

#include "topology/machine.hpp"
#include "transport/verbs/setup/interface.hpp"
#include "unit/transport/verbs/double/card.hpp"

namespace peal::test {
namespace {

struct verbs_routes : testing::Test {
  void SetUp() override {
    verbs_double::remove_cards();
    card = &verbs_double::add_card(1, 1);
    rails = verbs::open_rails(here, verbs::wishes_of(verbs_options{}));
  }
  void TearDown() override {
    of.clear();
    rails.clear();
    verbs_double::remove_cards();
  }
  verbs::rail_address port(std::uint8_t host) const {
    verbs::rail_address made = rails.front().address();
    made.gid.back() = static_cast<std::uint8_t>(host);
    return made;
  }

  machine here;
  verbs_double::card* card = nullptr;
  std::vector<verbs::device> rails;
  verbs::routes of;
};

TEST_F(verbs_routes, all_ranks_behind_a_port_share_a_handle) {
  ibv_ah* const first = of.find(rails.front(), port(7), false);
  ASSERT_NE(first, nullptr);
  for (std::uint32_t rank = 0; rank < 100; ++rank) {
    verbs::rail_address of_rank = port(7);
    of_rank.handshake_qp = 1000 + rank;
    EXPECT_EQ(of.find(rails.front(), of_rank, false), first);
  }
  EXPECT_NE(of.find(rails.front(), port(8), false), first);
  EXPECT_EQ(card->handles, 2u);
}

TEST_F(verbs_routes, so_many_are_remembered_and_none_goes_that_is_in_use) {
  of.remember(4);
  for (std::uint8_t host = 1; host <= 10; ++host)
    ASSERT_NE(of.find(rails.front(), port(host), false), nullptr);
  EXPECT_EQ(card->handles, 10u) << "packets are under way";
  ASSERT_NE(of.find(rails.front(), port(11), true), nullptr);
  EXPECT_EQ(card->handles, 1u);
  of.forget();
  EXPECT_EQ(card->handles, 1u);
  ASSERT_NE(of.find(rails.front(), port(11), false), nullptr);
  EXPECT_EQ(card->handles, 2u) << "made anew; the other may be in use";
  ASSERT_NE(of.find(rails.front(), port(11), true), nullptr);
  EXPECT_EQ(card->handles, 1u);
}

}  // namespace
}  // namespace peal::test
