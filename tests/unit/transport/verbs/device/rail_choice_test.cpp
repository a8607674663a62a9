// Which devices a process uses together, and which of two processes' belong together: on made-up
// machines.
#include "transport/verbs/device/rail_choice.hpp"

#include <gtest/gtest.h>

#include "transport/verbs/wire.hpp"

namespace {

using namespace peal::verbs;

gid_bytes ipv4(std::uint8_t network, std::uint8_t host) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, network, host};
}
gid_bytes link_local(std::uint8_t host) {
  return {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host};
}

port_facts port(const char* device, std::uint8_t network, bool near = true) {
  port_facts made;
  made.device = device;
  made.active = made.ethernet = true;
  made.near = near;
  made.gids = {{1, gid_kind::roce_v2, ipv4(network, 1), 96 + 24}};
  return made;
}

std::vector<std::string> chosen(const std::vector<port_facts>& ports, const std::string& device,
                                unsigned local_index = 0) {
  const rails_result result =
      choose_rails(ports, {.device = device, .gid = {}, .local_index = local_index});
  EXPECT_EQ(result.rails.empty(), !result.problem.empty());
  std::vector<std::string> names;
  for (const choice& each : result.rails) names.push_back(ports[each.port].name());
  return names;
}
std::string problem(const std::vector<port_facts>& ports, const std::string& device) {
  return choose_rails(ports, {.device = device, .gid = {}}).problem;
}
using names = std::vector<std::string>;

const std::vector<port_facts> four{port("a", 0), port("b", 1), port("c", 2), port("d", 3)};

TEST(rail_choice, one_name_or_none_is_one_rail) {
  const rails_result any = choose_rails(four, {});
  EXPECT_EQ(any.rails[0].port, 0u);
  for (std::size_t each = 1; each < any.rails.size(); ++each)
    EXPECT_EQ(any.rails[each].role, choice_role::instead) << "used where that network is not";
  EXPECT_EQ(chosen(four, "c"), (names{"c:1"}));
}

TEST(rail_choice, names_are_taken_in_their_order) {
  EXPECT_EQ(chosen(four, "c,a:1"), (names{"c:1", "a:1"}));
  EXPECT_EQ(chosen(four, "d,c,b,a"), (names{"d:1", "c:1", "b:1", "a:1"}));
}

TEST(rail_choice, a_wrong_list_is_told_by_name) {
  std::vector<port_facts> five = four;
  five.push_back(port("e", 4));
  EXPECT_EQ(problem(five, "a,b,c,d,e"),
            "PEAL_VERBS_DEVICE=a,b,c,d,e: these are 5 devices, and a rank uses 4 at most");
  EXPECT_EQ(problem(four, "a,b,a:1"), "PEAL_VERBS_DEVICE=a,b,a:1: a:1 is named twice");
  EXPECT_EQ(problem(four, "a,x"),
            "PEAL_VERBS_DEVICE=x: there is no such device; there are a:1, b:1, c:1, d:1");
  EXPECT_EQ(problem(four, "a,"),
            "PEAL_VERBS_DEVICE=a,: a name is missing before or behind a comma");
  EXPECT_EQ(problem(four, "a,all"), "PEAL_VERBS_DEVICE=a,all: all stands alone");
  std::vector<port_facts> down = four;
  down[1].active = false;
  EXPECT_EQ(problem(down, "a,b"),
            "no port of b is active: is the cable in, is the interface up (ip link), does a subnet "
            "manager run?");
  EXPECT_NE(problem({}, "all").find("no RDMA device"), std::string::npos);
  for (port_facts& each : down) each.active = false;
  EXPECT_NE(problem(down, "all").find("no port of a:1, b:1, c:1, d:1 is active"),
            std::string::npos);
}

TEST(rail_choice, all_are_those_that_can_be_used_and_four_at_most) {
  std::vector<port_facts> ports = four;
  ports[1].active = false;
  ports[2].gids.clear();
  EXPECT_EQ(chosen(ports, "all"), (names{"a:1", "d:1"}));
  ports = four;
  ports.push_back(port("e", 4));
  EXPECT_EQ(chosen(ports, "all"), (names{"a:1", "b:1", "c:1", "d:1"}));
}

TEST(rail_choice, of_all_the_first_is_in_one_network_for_everyone) {
  std::vector<port_facts> ports{port("a", 0, false), port("b", 1), port("c", 2)};
  for (unsigned rank = 0; rank < 3; ++rank)
    EXPECT_EQ(chosen(ports, "all", rank), (names{"a:1", "b:1", "c:1"})) << rank;
}

TEST(rail_choice, of_all_near_ones_come_first_and_ranks_are_dealt_out) {
  const std::vector<port_facts> ports{port("a", 0, false), port("b", 0), port("c", 0)};
  EXPECT_EQ(chosen(ports, "all", 0), (names{"b:1", "c:1", "a:1"}));
  EXPECT_EQ(chosen(ports, "all", 1), (names{"c:1", "b:1", "a:1"}));
  EXPECT_EQ(chosen(ports, "all", 2), (names{"b:1", "c:1", "a:1"}));
}

rail_address rail(gid_bytes gid, std::uint8_t bits = 96 + 24, std::uint8_t link_layer = 2) {
  rail_address made;
  made.gid = gid;
  made.network_bits = bits;
  made.link_layer = link_layer;
  return made;
}
std::vector<std::pair<int, int>> matched(const std::vector<rail_address>& own,
                                         const std::vector<rail_address>& remote) {
  std::vector<std::pair<int, int>> found;
  const std::vector<rail_pair> lower = match_rails(own, remote, true),
                               higher = match_rails(remote, own, false);
  EXPECT_EQ(lower.size(), higher.size());
  for (std::size_t each = 0; each < lower.size(); ++each) {
    EXPECT_EQ(lower[each].own, higher[each].remote) << "both sides must find the same";
    EXPECT_EQ(lower[each].remote, higher[each].own);
    found.emplace_back(lower[each].own, lower[each].remote);
  }
  return found;
}
using pairs = std::vector<std::pair<int, int>>;

TEST(rail_match, rails_of_one_network_belong_together) {
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1))}, {rail(ipv4(0, 2)), rail(ipv4(1, 2))}),
            (pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1)), rail(ipv4(2, 1))},
                    {rail(ipv4(0, 2)), rail(ipv4(2, 2)), rail(ipv4(1, 2))}),
            (pairs{{0, 0}, {1, 2}, {2, 1}}));
}

TEST(rail_match, what_only_one_side_has_is_not_used) {
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1))}, {rail(ipv4(0, 2))}), (pairs{{0, 0}}));
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1))}, {rail(ipv4(0, 2)), rail(ipv4(7, 2))}),
            (pairs{{0, 0}}));
  EXPECT_EQ(
      matched({rail(ipv4(0, 1)), rail(ipv4(1, 1))}, {rail(ipv4(0, 2)), rail(ipv4(1, 2), 96 + 16)}),
      (pairs{{0, 0}}));
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(link_local(1), 64)},
                    {rail(ipv4(0, 2)), rail(link_local(2), 64, 1)}),
            (pairs{{0, 0}}))
      << "InfiniBand and Ethernet";
}

TEST(rail_match, rails_of_one_and_the_same_network_go_by_their_place) {
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(0, 3)), rail(ipv4(0, 5))},
                    {rail(ipv4(0, 2)), rail(ipv4(0, 4))}),
            (pairs{{0, 0}, {1, 1}}));
}

TEST(rail_match, behind_a_router_the_place_counts) {
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1))}, {rail(ipv4(10, 2)), rail(ipv4(11, 2))}),
            (pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(matched({rail(ipv4(0, 1)), rail(ipv4(1, 1)), rail(ipv4(2, 1))},
                    {rail(ipv4(10, 2)), rail(ipv4(2, 2)), rail(ipv4(12, 2))}),
            (pairs{{0, 0}, {2, 1}}))
      << "but not of those that have found another";
}

TEST(rail_match, the_length_of_a_network_is_looked_at) {
  EXPECT_TRUE(same_network(ipv4(0, 1), ipv4(1, 1), 96 + 23));
  EXPECT_FALSE(same_network(ipv4(0, 1), ipv4(1, 1), 96 + 24));
  EXPECT_FALSE(same_network(ipv4(0, 1), ipv4(1, 1), 0)) << "usually 24";
  EXPECT_TRUE(same_network(link_local(1), link_local(2), 0)) << "usually 64";
  EXPECT_FALSE(same_network(ipv4(0, 1), link_local(1), 64));
}

TEST(rail_address_text, comes_back_and_is_refused_when_cut) {
  address from;
  from.rail_count = 2;
  from.job = {1, 2};
  from.rails[0].handshake_qp = 77;
  from.rails[1] = rail(ipv4(1, 9));
  const std::string text = to_text(from);
  EXPECT_LT(text.size(), sizeof from);
  const auto back = address_from(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rails[0].handshake_qp, 77u);
  EXPECT_EQ(back->used().size(), 2u);
  EXPECT_EQ(back->rails[1].gid, ipv4(1, 9));
  EXPECT_FALSE(address_from(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(address_from(text + text));
  EXPECT_FALSE(address_from(""));
}

}  // namespace
