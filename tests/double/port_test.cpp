#include "unit/transport/verbs/double/port.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "double/raw_end.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;
using verbs_double::add_card;
using verbs_double::card;

/// How a message between two fresh ends on these cards ends.
ibv_wc_status talk(card& one, card& other, const raw_path& path = {}, const raw_plan& plan = {},
                   std::uint32_t bytes = 100) {
  raw_end from{one, plan}, to{other, plan};
  from.connect(to, path);
  to.connect(from, path);
  EXPECT_EQ(to.post_receive(1), 0);
  EXPECT_EQ(from.send(2, bytes), 0);
  const auto ended = from.next(5s);
  EXPECT_TRUE(ended);
  return ended ? ended->status : IBV_WC_GENERAL_ERR;
}

verbs_double::port_plan infiniband(unsigned network, unsigned host) {
  return {.network = network, .host = host, .infiniband = true};
}

TEST(verbs_double_port, infiniband_needs_no_gid_within_a_subnet) {
  card& one = add_card({infiniband(1, 5)});
  card& other = add_card({infiniband(1, 6)});
  EXPECT_EQ(one.ports[0].attributes.lid, 5);
  EXPECT_EQ(talk(one, other, {.with_gid = false}), IBV_WC_SUCCESS);
  EXPECT_EQ(talk(one, other, {.with_gid = true}), IBV_WC_SUCCESS);
}

TEST(verbs_double_port, a_port_that_requires_a_gid_takes_no_packet_without) {
  auto plan = infiniband(1, 6);
  plan.grh_required = true;
  card& one = add_card({infiniband(1, 5)});
  card& other = add_card({plan});
  EXPECT_EQ(talk(one, other, {.with_gid = false}), IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(talk(one, other, {.with_gid = true}), IBV_WC_SUCCESS);
}

TEST(verbs_double_port, another_subnet_is_reached_through_a_router_and_with_a_gid) {
  card& one = add_card({infiniband(1, 5)});
  card& other = add_card({infiniband(2, 6)});
  EXPECT_EQ(talk(one, other), IBV_WC_RETRY_EXC_ERR);
  verbs_double::route_between_networks(true);
  EXPECT_EQ(talk(one, other), IBV_WC_SUCCESS);
  EXPECT_EQ(talk(one, other, {.with_gid = false}), IBV_WC_RETRY_EXC_ERR);
}

TEST(verbs_double_port, infiniband_and_ethernet_do_not_meet) {
  card& one = add_card({infiniband(1, 5)});
  card& other = add_card({{.network = 1, .host = 6}});
  EXPECT_EQ(talk(one, other), IBV_WC_RETRY_EXC_ERR);
  EXPECT_GT(one.vanished, 0u);
}

TEST(verbs_double_port, every_lid_of_the_mask_is_the_port) {
  auto plan = infiniband(1, 3);
  plan.lmc = 2;
  const verbs_double::port to{plan};
  const verbs_double::port from{infiniband(1, 1)};
  ibv_ah_attr way{};
  for (std::uint16_t lid = 12; lid < 16; ++lid) {
    way.dlid = lid;
    EXPECT_TRUE(from.reaches(to, way, false)) << lid;
  }
  way.dlid = 16;
  EXPECT_FALSE(from.reaches(to, way, false));
}

TEST(verbs_double_port, members_of_different_partitions_do_not_hear_each_other) {
  auto plan = infiniband(1, 5);
  plan.keys = {0xffff, 0x8001, 0x0002};
  card& one = add_card({plan});
  plan.host = 6;
  plan.keys = {0xffff, 0x8003, 0x0002};
  card& other = add_card({plan});
  EXPECT_EQ(talk(one, other, {}, {.key_index = 0}), IBV_WC_SUCCESS);
  EXPECT_EQ(talk(one, other, {}, {.key_index = 1}), IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(talk(one, other, {}, {.key_index = 2}), IBV_WC_RETRY_EXC_ERR) << "both are limited";
}

TEST(verbs_double_port, a_packet_longer_than_a_port_takes_vanishes) {
  card& one = add_card({infiniband(1, 5)});
  auto plan = infiniband(1, 6);
  plan.mtu = IBV_MTU_2048;
  card& other = add_card({plan});
  EXPECT_EQ(talk(one, other, {.mtu = IBV_MTU_4096}, {}, 4000), IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(talk(one, other, {.mtu = IBV_MTU_4096}, {}, 2000), IBV_WC_SUCCESS);
  EXPECT_EQ(talk(one, other, {.mtu = IBV_MTU_2048}, {}, 4000), IBV_WC_SUCCESS);
}

TEST(verbs_double_port, a_card_has_several_ports_with_gids_of_their_own) {
  card& one = add_card({infiniband(1, 5), {.network = 2, .host = 5}});
  card& other = add_card({infiniband(1, 6), {.network = 2, .host = 6}});
  EXPECT_EQ(talk(one, other, {}, {.port = 1}), IBV_WC_SUCCESS);
  EXPECT_EQ(talk(one, other, {}, {.port = 2}), IBV_WC_SUCCESS);
  raw_end end{one};
  ibv_gid_entry table[4];
  ASSERT_EQ(ibv_query_gid_table(end.context, table, 4, 0), 2);
  EXPECT_EQ(table[0].port_num, 1u);
  EXPECT_EQ(table[0].gid_type, static_cast<std::uint32_t>(IBV_GID_TYPE_IB));
  EXPECT_EQ(table[1].port_num, 2u);
  EXPECT_EQ(table[1].gid_type, static_cast<std::uint32_t>(IBV_GID_TYPE_ROCE_V2));
}

TEST(verbs_double_port, one_that_returns_with_another_lid_is_not_found_by_the_old_one) {
  card& one = add_card({infiniband(1, 5)});
  card& other = add_card({infiniband(1, 6)});
  raw_end from{one}, to{other};
  from.connect(to, {.with_gid = false});
  to.connect(from, {.with_gid = false});
  ASSERT_EQ(to.post_receive(1), 0);
  other.take_down();
  other.bring_up(1, 9);
  EXPECT_EQ(to.events(),
            (std::vector<ibv_event_type>{IBV_EVENT_PORT_ERR, IBV_EVENT_LID_CHANGE,
                                         IBV_EVENT_PORT_ACTIVE, IBV_EVENT_CLIENT_REREGISTER}));
  ASSERT_EQ(from.send(2, 10), 0);
  const auto ended = from.next(5s);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->status, IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(talk(one, other, {.with_gid = false}), IBV_WC_SUCCESS);
}

}  // namespace
}  // namespace peal::test
