// How packets are addressed, on cards of this process's own: what the fabric asks for, LIDs with a
// mask, and addresses that change.
#include "transport/verbs/device/device.hpp"

#include <gtest/gtest.h>

#include "topology/machine.hpp"
#include "unit/transport/verbs/double/card.hpp"

namespace {

using namespace peal;
using namespace peal::verbs;

class verbs_device_address : public testing::Test {
 protected:
  machine here;
  verbs_double::card* card = nullptr;
  choice_wishes wishes;

  void SetUp() override {
    verbs_double::remove_cards();
    card = &verbs_double::add_card(1, 1);
  }
  void TearDown() override { verbs_double::remove_cards(); }
  void make_infiniband() {
    card->ports[0] = verbs_double::port{{.host = 0x40, .infiniband = true}};
  }
};

TEST_F(verbs_device_address, packets_carry_what_the_fabric_asks_for) {
  wishes.fabric.service_level = 3;
  wishes.fabric.traffic_class = 106;
  wishes.fabric.hop_limit = 5;
  const std::vector<device> opened = open_rails(here, wishes);
  const ibv_ah_attr way = opened[0].route_to(opened[0].address());
  EXPECT_EQ(way.is_global, 1) << "RoCE knows no other address";
  EXPECT_EQ(way.sl, 3);
  EXPECT_EQ(way.grh.traffic_class, 106);
  EXPECT_EQ(way.grh.hop_limit, 5);
  EXPECT_EQ(way.dlid, 0);
}

TEST_F(verbs_device_address, on_infiniband_a_network_header_is_there_where_it_is_needed) {
  make_infiniband();
  const std::vector<device> opened = open_rails(here, wishes);
  rail_address there = opened[0].address();
  there.lid = 0x41;
  EXPECT_EQ(opened[0].route_to(there).is_global, 0) << "it costs 40 bytes a packet";
  EXPECT_EQ(opened[0].route_to(there).dlid, 0x41);
  rail_address asks = there;
  asks.flags |= rail_address::needs_grh;
  EXPECT_EQ(opened[0].route_to(asks).is_global, 1) << "the other port asks for it";
  rail_address elsewhere = there;
  elsewhere.gid[7] = 2;
  EXPECT_EQ(opened[0].route_to(elsewhere).is_global, 1) << "another subnet";
  card->ports[0].attributes.flags = IBV_QPF_GRH_REQUIRED;
  const std::vector<device> again = open_rails(here, wishes);
  EXPECT_EQ(again[0].route_to(there).is_global, 1) << "the own port asks for it";
  EXPECT_NE(again[0].address().flags & rail_address::needs_grh, 0) << "and the other is told";
}

TEST_F(verbs_device_address, ranks_are_dealt_out_over_the_lids_of_a_port) {
  make_infiniband();
  card->ports[0].attributes.lmc = 2;
  std::vector<int> lids;
  for (wishes.local_index = 0; wishes.local_index < 5; ++wishes.local_index) {
    const std::vector<device> opened = open_rails(here, wishes);
    lids.push_back(opened[0].address().lid);
    EXPECT_EQ(opened[0].route_to(opened[0].address()).src_path_bits, lids.back() - 0x40)
        << "a connection knows its peer by the LID that was told";
  }
  EXPECT_EQ(lids, (std::vector<int>{0x40, 0x41, 0x42, 0x43, 0x40}));
}

TEST_F(verbs_device_address, the_mtu_is_at_most_what_is_set) {
  EXPECT_EQ(open_rails(here, wishes)[0].mtu(), IBV_MTU_4096);
  wishes.fabric.mtu = 1024;
  EXPECT_EQ(open_rails(here, wishes)[0].mtu(), IBV_MTU_1024);
  EXPECT_EQ(open_rails(here, wishes)[0].address().mtu, IBV_MTU_1024);
  card->ports[0].attributes.active_mtu = IBV_MTU_512;
  EXPECT_EQ(open_rails(here, wishes)[0].mtu(), IBV_MTU_512) << "and never more than the port's";
}

TEST_F(verbs_device_address, a_change_is_seen_when_it_is_read_again) {
  make_infiniband();
  std::vector<device> opened = open_rails(here, wishes);
  device& on = opened[0];
  EXPECT_FALSE(on.read_address()) << "nothing has changed";
  card->ports[0].attributes.lid = 0x50;
  EXPECT_TRUE(on.read_address());
  EXPECT_EQ(on.address().lid, 0x50);
  card->ports[0].gids[0].gid.raw[7] = 4;
  EXPECT_TRUE(on.read_address());
  EXPECT_EQ(on.address().gid[7], 4);
  card->ports[0].gids[0].gid = {};
  EXPECT_FALSE(on.read_address()) << "an address that was taken away is no other one";
  EXPECT_EQ(on.address().gid[7], 4);
  card->ports[0].attributes.lid = 0x60;
  card->ports[0].attributes.state = IBV_PORT_DOWN;
  EXPECT_FALSE(on.read_address()) << "a port that is down has no address";
}

}  // namespace
