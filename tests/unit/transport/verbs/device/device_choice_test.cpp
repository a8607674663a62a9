#include "transport/verbs/device/device_choice.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

gid_bytes ipv4(std::uint8_t last) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, last};
}
gid_bytes link_local() { return {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}; }
gid_bytes global() { return {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}; }

port_facts port(std::string device,
                std::vector<gid_entry> gids = {{0, gid_kind::roce_v2, ipv4(1)}}) {
  port_facts made;
  made.device = std::move(device);
  made.active = made.ethernet = true;
  made.gids = std::move(gids);
  return made;
}

std::string chosen(const std::vector<port_facts>& among, const choice_wishes& wishes = {}) {
  const choice_result result = choose(among, wishes);
  return result.chosen ? among[result.chosen->port].name() : "problem: " + result.problem;
}

TEST(device_choice, prefers_routable_gids) {
  const port_facts all = port("a", {{0, gid_kind::roce_v1, link_local()},
                                    {1, gid_kind::roce_v2, link_local()},
                                    {2, gid_kind::roce_v2, global()},
                                    {3, gid_kind::roce_v2, ipv4(1)},
                                    {4, gid_kind::roce_v2, {}}});
  EXPECT_EQ(best_gid(all)->index, 3);
  port_facts fewer = all;
  fewer.gids.erase(fewer.gids.begin() + 3);
  EXPECT_EQ(best_gid(fewer)->index, 2);
  fewer.gids.erase(fewer.gids.begin() + 2);
  EXPECT_EQ(best_gid(fewer)->index, 1);
  EXPECT_EQ(best_gid(port("b", {{0, gid_kind::roce_v2, {}}})), nullptr);
  EXPECT_EQ(best_gid(port("b", {{0, gid_kind::infiniband, global()}})), nullptr)
      << "of another link layer";
}

TEST(device_choice, near_before_far_and_active_before_all) {
  std::vector<port_facts> ports{port("far"), port("down"), port("near")};
  ports[0].near = false;
  ports[1].active = false;
  EXPECT_EQ(chosen(ports), "near:1");
  ports[2].active = false;
  EXPECT_EQ(chosen(ports), "far:1");
  ports[0].active = false;
  EXPECT_NE(chosen(ports).find("no port of far:1, down:1, near:1 is active"), std::string::npos)
      << chosen(ports);
}

TEST(device_choice, ranks_are_dealt_out_to_adapters_before_ports) {
  std::vector<port_facts> ports{port("a"), port("a"), port("b")};
  ports[1].port = 2;
  choice_wishes wishes;
  std::vector<std::string> dealt;
  for (wishes.local_index = 0; wishes.local_index < 4; ++wishes.local_index)
    dealt.push_back(chosen(ports, wishes));
  EXPECT_EQ(dealt, (std::vector<std::string>{"a:1", "b:1", "a:2", "a:1"}));
}

TEST(device_choice, ranks_that_are_dealt_out_share_a_kind_of_gid) {
  const std::vector<port_facts> ports{port("a", {{0, gid_kind::roce_v2, link_local()}}), port("b")};
  choice_wishes wishes;
  wishes.local_index = 1;
  EXPECT_EQ(chosen(ports, wishes), "b:1");
}

TEST(device_choice, wishes_are_kept_or_refused_by_name) {
  const std::vector<port_facts> ports{port("a"), port("b", {{0, gid_kind::roce_v2, link_local()},
                                                            {5, gid_kind::roce_v2, ipv4(2)}})};
  choice_wishes wishes;
  wishes.device = "b";
  EXPECT_EQ(chosen(ports, wishes), "b:1");
  wishes.device = "b:1";
  wishes.gid = 0;
  const choice_result result = choose(ports, wishes);
  ASSERT_TRUE(result.chosen);
  EXPECT_EQ(result.chosen->gid.index, 0);
  wishes.gid = 3;
  EXPECT_EQ(chosen(ports, wishes),
            "problem: PEAL_VERBS_GID=3: no active port has a GID with that index");
  wishes = {};
  wishes.device = "c";
  EXPECT_EQ(chosen(ports, wishes),
            "problem: PEAL_VERBS_DEVICE=c: there is no such device; there are a:1, b:1");
}

TEST(device_choice, says_what_is_wrong_with_a_machine) {
  EXPECT_NE(chosen({}).find("no RDMA device"), std::string::npos);
  EXPECT_NE(chosen({port("a", {})}).find("ip addr add"), std::string::npos);
}

TEST(device_choice, addresses_are_written_as_usual) {
  EXPECT_EQ(to_text(ipv4(7)), "10.9.0.7");
  EXPECT_EQ(to_text(link_local()), "fe80::1");
}

}  // namespace
