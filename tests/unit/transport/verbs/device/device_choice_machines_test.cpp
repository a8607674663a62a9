// Which device, port and GID: on made-up machines, since a real one has one answer only.
#include <gtest/gtest.h>

#include "transport/verbs/device/device_choice.hpp"
#include "transport/verbs/device/queue_pair.hpp"

namespace {

using namespace peal::verbs;

gid_entry ipv4_entry(int index, std::uint8_t last) {
  return {index, gid_kind::roce_v2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, last}};
}
gid_entry ipv6(int index, gid_kind kind, std::uint8_t first, std::uint8_t second) {
  return {index, kind, {first, second, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
}
gid_entry link_local_entry(int index, gid_kind kind = gid_kind::roce_v2) {
  return ipv6(index, kind, 0xfe, 0x80);
}
gid_entry global(int index) { return ipv6(index, gid_kind::roce_v2, 0x20, 0x01); }

port_facts ethernet(const char* device, std::vector<gid_entry> gids, bool near = true,
                    int port = 1) {
  port_facts made;
  made.device = device;
  made.port = port;
  made.active = made.ethernet = true;
  made.near = near;
  made.gids = std::move(gids);
  return made;
}

TEST(verbs_choice, the_best_gid_crosses_routers) {
  EXPECT_EQ(best_gid(ethernet("a", {link_local_entry(0), ipv4_entry(1, 1), global(2)}))->index, 1);
  EXPECT_EQ(best_gid(ethernet("a", {link_local_entry(0, gid_kind::roce_v1), link_local_entry(1),
                                    global(2)}))
                ->index,
            2);
  EXPECT_EQ(
      best_gid(ethernet("a", {link_local_entry(0, gid_kind::roce_v1), link_local_entry(1)}))->index,
      1);
  EXPECT_EQ(best_gid(ethernet("a", {link_local_entry(0, gid_kind::roce_v1)}))->index, 0);
  EXPECT_EQ(best_gid(ethernet("a", {gid_entry{0, gid_kind::roce_v2, {}}})), nullptr)
      << "an empty entry";
}

TEST(verbs_choice, infiniband_takes_an_infiniband_gid) {
  port_facts port = ethernet("mlx", {link_local_entry(0, gid_kind::infiniband)});
  EXPECT_EQ(best_gid(port), nullptr);
  port.ethernet = false;
  EXPECT_EQ(best_gid(port)->index, 0);
}

TEST(verbs_choice, a_gid_reads_like_an_address) {
  EXPECT_EQ(to_text(ipv4_entry(0, 7).bytes), "10.9.0.7");
  EXPECT_EQ(to_text(link_local_entry(0).bytes), "fe80::1");
}

TEST(verbs_choice, near_before_far) {
  const std::vector<port_facts> ports{ethernet("far", {ipv4_entry(0, 1)}, false),
                                      ethernet("near", {ipv4_entry(0, 2)})};
  EXPECT_EQ(choose(ports, {}).chosen->port, 1u);
  EXPECT_EQ(choose({ports[0]}, {}).chosen->port, 0u) << "far is better than none";
}

TEST(verbs_choice, ranks_are_dealt_out_to_adapters_before_their_ports) {
  const std::vector<port_facts> ports{ethernet("a", {ipv4_entry(0, 1)}),
                                      ethernet("a", {ipv4_entry(0, 2)}, true, 2),
                                      ethernet("b", {ipv4_entry(0, 3)})};
  std::vector<std::string> names;
  for (unsigned rank = 0; rank < 4; ++rank)
    names.push_back(
        ports[choose(ports, {.device = {}, .gid = {}, .local_index = rank}).chosen->port].name());
  EXPECT_EQ(names, (std::vector<std::string>{"a:1", "b:1", "a:2", "a:1"}));
}

TEST(verbs_choice, a_port_with_a_worse_gid_is_no_equal) {
  const std::vector<port_facts> ports{ethernet("a", {link_local_entry(0)}),
                                      ethernet("b", {ipv4_entry(0, 3)})};
  for (unsigned rank = 0; rank < 3; ++rank)
    EXPECT_EQ(choose(ports, {.device = {}, .gid = {}, .local_index = rank}).chosen->port, 1u);
}

TEST(verbs_choice, what_was_asked_for_wins) {
  const std::vector<port_facts> ports{ethernet("a", {link_local_entry(0), ipv4_entry(1, 1)}),
                                      ethernet("b", {ipv4_entry(0, 3)}, false),
                                      ethernet("b", {ipv4_entry(0, 4)}, false, 2)};
  EXPECT_EQ(choose(ports, {.device = "b", .gid = {}}).chosen->port, 1u);
  EXPECT_EQ(choose(ports, {.device = "b:2", .gid = {}}).chosen->port, 2u);
  EXPECT_EQ(choose(ports, {.device = "a", .gid = 0}).chosen->gid.index, 0);
}

TEST(verbs_choice, what_is_wrong_is_said_with_the_remedy) {
  const auto problem = [](const std::vector<port_facts>& ports, const choice_wishes& wishes) {
    const choice_result result = choose(ports, wishes);
    EXPECT_FALSE(result.chosen);
    return result.problem;
  };
  EXPECT_NE(problem({}, {}).find("no RDMA device"), std::string::npos);
  const std::vector<port_facts> one{ethernet("rxe0", {ipv4_entry(0, 1)})};
  EXPECT_NE(problem(one, {.device = "mlx5_0", .gid = {}})
                .find("PEAL_VERBS_DEVICE=mlx5_0: there is no such device; there are rxe0:1"),
            std::string::npos);
  EXPECT_NE(problem(one, {.device = {}, .gid = 9}).find("PEAL_VERBS_GID=9"), std::string::npos);
  std::vector<port_facts> down = one;
  down[0].active = false;
  EXPECT_NE(problem(down, {}).find("no port of rxe0:1 is active"), std::string::npos);
  EXPECT_NE(problem({ethernet("rxe0", {})}, {}).find("usable GID"), std::string::npos);
}

TEST(verbs_timer, seven_tries_take_about_as_long_as_asked) {
  for (const double wanted : {0.1, 1.0, 4.0, 60.0, 600.0}) {
    const double all = 7 * 4.096e-6 * static_cast<double>(std::uint64_t{1} << timer_for(wanted));
    EXPECT_GE(all, wanted / 1.5) << wanted;
    EXPECT_LE(all, wanted * 1.5) << wanted;
  }
}

}  // namespace
