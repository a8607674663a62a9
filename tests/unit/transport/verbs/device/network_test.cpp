// Partitions, and how ports and networks are told apart.
#include "transport/verbs/device/network.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace {

using namespace peal::verbs;

rail_address ib(std::uint16_t pkey, std::uint16_t manager = 1) {
  rail_address made;
  made.gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  made.link_layer = rail_address::infiniband;
  made.pkey = pkey;
  made.manager = manager;
  made.set_name("mlx5_0:1");
  return made;
}
rail_address roce(std::uint8_t flags, bool local = false) {
  rail_address made;
  made.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3};
  if (local) made.gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  made.link_layer = rail_address::ethernet;
  made.flags = flags;
  return made;
}

TEST(verbs_network, two_members_of_a_partition_need_a_full_one_among_them) {
  EXPECT_EQ(reach_of(ib(0x8001), ib(0x8001)), reach::same_network);
  EXPECT_EQ(reach_of(ib(0x8001), ib(0x0001)), reach::same_network);
  EXPECT_EQ(reach_of(ib(0x0001), ib(0x0001)), reach::none);
  EXPECT_EQ(reach_of(ib(0x8001), ib(0x8002)), reach::none);
}

TEST(verbs_network, a_wrong_partition_is_told_with_both_keys) {
  const rail_address here = ib(0x8001), there = ib(0x8002), limited = ib(0x0001);
  EXPECT_NE(no_network({&here, 1}, {&there, 1})
                .find("the P_Keys 0x8002 and 0x8001 are of different partitions"),
            std::string::npos);
  EXPECT_NE(no_network({&limited, 1}, {&limited, 1}).find("are of limited members both"),
            std::string::npos);
}

TEST(verbs_network, another_subnet_manager_is_perhaps_another_fabric) {
  EXPECT_EQ(reach_of(ib(0xffff, 1), ib(0xffff, 1)), reach::same_network);
  EXPECT_EQ(reach_of(ib(0xffff, 1), ib(0xffff, 9)), reach::perhaps)
      << "it may have taken over since the other rank asked";
}

TEST(verbs_network, versions_and_families_do_not_mix) {
  EXPECT_EQ(reach_of(roce(0), roce(0)), reach::same_network);
  EXPECT_EQ(reach_of(roce(0), roce(rail_address::roce_v1)), reach::none);
  EXPECT_EQ(reach_of(roce(0), roce(0, true)), reach::none);
  EXPECT_EQ(reach_of(roce(0), ib(0xffff)), reach::none);
}

/// 10.net.0.host
rail_address in_network(std::uint8_t net, std::uint8_t host) {
  rail_address made = roce(0);
  made.gid[13] = net;
  made.gid[15] = host;
  return made;
}

TEST(verbs_network, two_ranks_use_the_best_network_that_both_have_and_find_the_same_ports) {
  // Ranks of one kind have the networks 1 and 2, those of the other one 2 and 3.
  const std::vector<rail_address> one{in_network(1, 1), in_network(2, 1)},
      like_one{in_network(1, 2), in_network(2, 2)}, other{in_network(2, 3), in_network(3, 3)};
  const auto among = way_between(one, like_one, true);
  ASSERT_TRUE(among);
  EXPECT_EQ(std::pair(among->own, among->remote), std::pair(std::uint8_t{0}, std::uint8_t{0}));
  const auto between = way_between(one, other, true), back = way_between(other, one, false);
  ASSERT_TRUE(between && back);
  EXPECT_EQ(std::pair(between->own, between->remote), std::pair(std::uint8_t{1}, std::uint8_t{0}));
  EXPECT_EQ(std::pair(back->own, back->remote), std::pair(std::uint8_t{0}, std::uint8_t{1}));
}

TEST(verbs_network, both_sides_find_the_same_ports_where_they_rank_them_differently) {
  const std::vector<rail_address> one{in_network(1, 1), in_network(2, 1)},
      other{in_network(2, 2), in_network(1, 2)};
  const auto there = way_between(one, other, true), back = way_between(other, one, false);
  ASSERT_TRUE(there && back);
  EXPECT_EQ(there->own, back->remote);
  EXPECT_EQ(there->remote, back->own);
  EXPECT_EQ(network_of(one[there->own]), network_of(other[there->remote]));
}

TEST(verbs_network, a_router_is_trusted_only_where_no_network_is_common) {
  const std::vector<rail_address> one{in_network(1, 1), in_network(2, 1)},
      other{in_network(3, 2), in_network(2, 2)}, far{in_network(4, 3)};
  const auto common = way_between(one, other, true), routed = way_between(one, far, true);
  ASSERT_TRUE(common && routed);
  EXPECT_EQ(network_of(one[common->own]), network_of(in_network(2, 9)));
  EXPECT_EQ(routed->own, 0u);
  EXPECT_FALSE(way_between(one, std::vector{ib(0xffff)}, true));
  EXPECT_FALSE(way_between(one, {}, true));
}

TEST(verbs_network, one_network_is_one_although_ports_stand_in_other_places) {
  const std::vector<rail_address> one{in_network(1, 1), in_network(2, 1)},
      other{in_network(2, 2), in_network(1, 2)};
  EXPECT_TRUE(in_one_network({one, other, {}}, {0, 1, 0}));
  EXPECT_FALSE(in_one_network({one, other, {}}, {0, 0, 0}));
  EXPECT_TRUE(in_one_network({}, {}));
}

TEST(verbs_network, nobody_told_anything) {
  EXPECT_EQ(first_rails({}), (std::vector<std::uint8_t>{}));
  EXPECT_EQ(first_rails({{}, {}}), (std::vector<std::uint8_t>{0, 0}));
}

TEST(pkey_index, a_value_is_looked_up_and_full_membership_preferred) {
  port_facts port;
  port.pkeys = {0x7fff, 0x0001, 0xffff, 0, 0x8001};
  EXPECT_EQ(pkey_index(port, {}), 2);
  EXPECT_EQ(pkey_index(port, 0x0001), 4);
  EXPECT_EQ(pkey_index(port, 0x8001), 4);
  EXPECT_EQ(pkey_index(port, 0x8002), std::nullopt);
  port.pkeys = {0x7fff, 0x0001};
  EXPECT_EQ(pkey_index(port, 0x8001), 1) << "a limited one where there is no other";
  EXPECT_EQ(pkey_index(port, {}), 0);
  port.pkeys = {0x7fff, 0x8005};
  EXPECT_EQ(pkey_index(port, {}), 1);
  port.pkeys.clear();
  EXPECT_EQ(pkey_index(port, {}), 0);
}

TEST(pkey_index, a_partition_of_which_no_port_is_a_member_is_told) {
  port_facts port;
  port.device = "mlx5_0";
  port.active = true;
  port.gids = {{0, gid_kind::infiniband, ib(0).gid}};
  port.pkeys = {0xffff, 0x8001};
  choice_wishes wishes;
  wishes.fabric.pkey = 0x8002;
  std::string problem;
  EXPECT_TRUE(usable_ports({port}, wishes, problem).empty());
  EXPECT_EQ(problem,
            "PEAL_VERBS_PKEY=0x8002: no active port is a member of that partition; their P_Keys "
            "are 0xffff, 0x8001");
}

}  // namespace
