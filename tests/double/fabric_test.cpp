// The fabric that a text describes, what happens to it, and processes that are cut off from each
// other and joined again.
#include "unit/transport/verbs/double/fabric/fabric.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "unit/transport/verbs/double/fabric/schedule.hpp"
#include "unit/transport/verbs/double/objects.hpp"

namespace peal::test {
namespace {

class verbs_double_fabric : public testing::Test {
 protected:
  void SetUp() override { verbs_double::remove_cards(); }

  static const verbs_double::card& card_at(unsigned node, unsigned place) {
    for (const auto& each : verbs_double::everything().cards)
      if (each->node == node && each->place == place) return *each;
    throw std::out_of_range{"no such card"};
  }
  static std::string problem(const std::string& text) {
    try {
      verbs_double::make_fabric(text, 0);
      return {};
    } catch (const std::invalid_argument& why) {
      return why.what();
    }
  }
};

TEST_F(verbs_double_fabric, each_node_has_the_cards_but_those_with_their_own) {
  verbs_double::make_fabric(
      R"({"nodes": 3,
          "cards": [{"network": 1, "infiniband": true, "gigabits": 200, "keys": ["0x8001"]},
                    {"name": "storage0", "network": 2, "mtu": 1024}],
          "of": {"1": [{"ports": [{"network": 1, "infiniband": true, "down": true}, {}]}]}})",
      2);
  const verbs_double::card &first = card_at(0, 0), &second = card_at(0, 1), &apart = card_at(1, 0);
  EXPECT_TRUE(first.elsewhere);
  EXPECT_FALSE(card_at(2, 0).elsewhere);
  EXPECT_STREQ(first.device.name, "double0");
  EXPECT_STREQ(second.device.name, "storage0");
  EXPECT_FALSE(first.ports[0].ethernet());
  EXPECT_EQ(first.ports[0].keys, std::vector<std::uint16_t>{0x8001});
  EXPECT_TRUE(second.ports[0].ethernet());
  EXPECT_EQ(second.ports[0].attributes.active_mtu, IBV_MTU_1024);
  EXPECT_EQ(second.ports[0].network, 2u);
  ASSERT_EQ(apart.ports.size(), 2u);
  EXPECT_EQ(apart.ports[0].attributes.state, IBV_PORT_DOWN);
  EXPECT_EQ(apart.ports[1].attributes.state, IBV_PORT_ACTIVE);
  EXPECT_THROW(card_at(1, 1), std::out_of_range);
}

TEST_F(verbs_double_fabric, limits_are_those_of_the_text) {
  verbs_double::make_fabric(
      R"({"cards": [{"limits": {"pairs": 9, "locked": 4096, "inline": 60}, "resizes": false}]})",
      0);
  const verbs_double::card& only = card_at(0, 0);
  EXPECT_EQ(only.limits.max_qp, 9);
  EXPECT_EQ(only.most_locked, 4096u);
  EXPECT_EQ(only.most_inline, 60u);
  EXPECT_FALSE(only.resizes);
}

TEST_F(verbs_double_fabric, what_is_not_known_is_refused) {
  EXPECT_NE(problem(R"({"cards": [{"netwrok": 1}]})").find("unknown word: netwrok"),
            std::string::npos);
  EXPECT_NE(problem(R"({"cards": [{"mtu": 1500}]})").find("no MTU: 1500"), std::string::npos);
  EXPECT_NE(problem(R"({"nodes": 2, "of": {"2": []}})").find("no such node: 2"), std::string::npos);
  EXPECT_NE(problem("nonsense"), "");
}

TEST_F(verbs_double_fabric, ports_go_and_return_with_other_addresses) {
  verbs_double::make_fabric(R"({"nodes": 2, "cards": [{"infiniband": true}, {"network": 2}]})", 0);
  const verbs_double::port &first = card_at(1, 0).ports[0], &second = card_at(1, 1).ports[0];
  verbs_double::happen("down 1/0/1");
  EXPECT_FALSE(first.works());
  verbs_double::happen("up 1/0/1 lid 77");
  EXPECT_TRUE(first.works());
  EXPECT_EQ(first.attributes.lid, 77);
  verbs_double::happen("cut 1/1/1");
  EXPECT_FALSE(second.works());
  EXPECT_TRUE(card_at(0, 1).ports[0].works());
  verbs_double::happen("mend 1/1/1");
  verbs_double::happen("down 1/1/1");
  verbs_double::happen("up 1/1/1 host 9");
  EXPECT_TRUE(second.works());
  EXPECT_EQ(second.gids[0].gid.raw[15], 9);
  verbs_double::happen("keys 0/0/1 0xffff 0x8002");
  EXPECT_EQ(card_at(0, 0).ports[0].keys, (std::vector<std::uint16_t>{0xffff, 0x8002}));
  verbs_double::happen("lose 0/0/1 3");
  EXPECT_EQ(card_at(0, 0).ports[0].loses_every, 3u);
  verbs_double::happen("take 0/0/1 1024");
  EXPECT_FALSE(card_at(0, 0).ports[0].gets(1025));
  verbs_double::happen("die 0/0");
  EXPECT_TRUE(card_at(0, 0).cut);
  EXPECT_THROW(verbs_double::happen("cut 2/0/1"), std::invalid_argument);
  EXPECT_THROW(verbs_double::happen("burn 0/0/1"), std::invalid_argument);
}

}  // namespace
}  // namespace peal::test
