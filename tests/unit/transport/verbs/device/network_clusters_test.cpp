// Which ports the ranks of a job use, on machines and clusters as they are built: each rank chooses
// from its own ports, all tell, and all decide.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transport/verbs/device/rail_choice.hpp"

namespace {

using namespace peal::verbs;

using node = std::vector<port_facts>;

/// 10.`network`.0.`host`/16
port_facts roce(const char* device, std::uint8_t network, std::uint8_t host, double gigabits,
                bool near = true) {
  port_facts made;
  made.device = device;
  made.active = made.ethernet = true;
  made.near = near;
  made.gids = {{3,
                gid_kind::roce_v2,
                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, network, 0, host},
                96 + 16}};
  made.gigabits = gigabits;
  made.pkeys = {0xffff};
  return made;
}
/// `subnet` 0: the default prefix.
port_facts ib(const char* device, std::uint8_t subnet, std::uint16_t lid, double gigabits,
              bool near = true) {
  port_facts made;
  made.device = device;
  made.active = true;
  made.near = near;
  made.gids = {{0, gid_kind::infiniband, {0xfe, 0x80, 0, 0, 0, 0, 0, 0}}};
  made.gids[0].bytes[15] = static_cast<std::uint8_t>(lid);
  made.gids[0].bytes[8] = 1;
  if (subnet != 0) made.gids[0].bytes[0] = 0xfd, made.gids[0].bytes[7] = subnet;
  made.gigabits = gigabits;
  made.lid = lid;
  made.manager = 1;
  made.pkeys = {0xffff};
  return made;
}

struct job {
  std::vector<std::vector<std::string>> names;  // of the ports that each rank told, by rank
  std::vector<std::vector<rail_address>> told;
  std::vector<std::uint8_t> first;

  void add(const node& ports, unsigned local_index = 0, const choice_wishes& set = {}) {
    choice_wishes wishes = set;
    wishes.local_index = local_index;
    names.emplace_back();
    told.emplace_back();
    for (const choice& each : choose_rails(ports, wishes).rails) {
      names.back().push_back(ports[each.port].name());
      told.back().push_back(address_of(ports[each.port], each.gid, wishes));
    }
  }
  void decide() { first = first_rails({told.begin(), told.end()}); }
  /// What each rank uses for messages; "none" where it has nothing.
  std::vector<std::string> used() {
    decide();
    std::vector<std::string> made;
    for (std::size_t each = 0; each < told.size(); ++each)
      made.push_back(names[each].empty() ? "none" : names[each][first[each]]);
    return made;
  }
  reach between(std::size_t one, std::size_t other) {
    decide();
    return reach_of(told[one][first[one]], told[other][first[other]]);
  }
};
using names = std::vector<std::string>;

TEST(verbs_clusters, infiniband_for_messages_and_a_roce_card_for_storage) {
  const auto ports = [](std::uint8_t host) {
    return node{roce("mlx5_0", 0, host, 200), ib("mlx5_1", 0, host, 200, false)};
  };
  job all;
  for (std::uint8_t host = 1; host <= 3; ++host) all.add(ports(host));
  EXPECT_EQ(all.used(), (names{"mlx5_1:1", "mlx5_1:1", "mlx5_1:1"})) << "though it is far";
  EXPECT_EQ(all.between(0, 2), reach::same_network);
}

TEST(verbs_clusters, ranks_of_both_sockets_use_the_same_link_layer) {
  job all;
  all.add({ib("mlx5_0", 0, 5, 100), roce("mlx5_1", 0, 1, 100, false)}, 0);
  all.add({ib("mlx5_0", 0, 5, 100, false), roce("mlx5_1", 0, 1, 100)}, 1);
  EXPECT_EQ(all.used(), (names{"mlx5_0:1", "mlx5_0:1"}));
}

TEST(verbs_clusters, compute_and_storage_fabrics_of_infiniband_are_told_apart_by_their_prefixes) {
  job all;
  for (const std::uint8_t host : {1, 2})
    for (unsigned local = 0; local < 2; ++local)
      all.add({ib("mlx5_0", 2, host, 100), ib("mlx5_1", 1, host, 200)}, local);
  EXPECT_EQ(all.used(), names(4, "mlx5_1:1")) << "the faster one, for every rank of the node";
  job equal;
  for (unsigned local = 0; local < 2; ++local)
    equal.add({ib("mlx5_0", 2, 1, 200), ib("mlx5_1", 1, 1, 200)}, local);
  EXPECT_EQ(equal.used()[0], equal.used()[1]) << "ranks are not dealt over two fabrics";
}

TEST(verbs_clusters, fabrics_of_the_default_prefix_are_told_apart_by_their_subnet_managers) {
  job all;
  for (const std::uint16_t host : {7, 8})
    for (unsigned local = 0; local < 2; ++local) {
      node ports{ib("mlx5_0", 0, host, 200),
                 ib("mlx5_1", 0, static_cast<std::uint16_t>(host + 40), 200)};
      ports[1].manager = 9;
      all.add(ports, local);
    }
  EXPECT_EQ(all.used(), names(4, "mlx5_0:1"));
  EXPECT_EQ(all.between(0, 3), reach::same_network);
}

TEST(verbs_clusters, ports_with_the_same_lid_are_of_two_fabrics_and_all_ranks_take_the_same_one) {
  job all;
  for (unsigned local = 0; local < 3; ++local)
    all.add({ib("mlx5_1", 0, 7, 200), ib("mlx5_0", 0, 7, 200)}, local);
  EXPECT_EQ(all.used(), names(3, "mlx5_0:1"));
  const rails_result found = choose_rails({ib("mlx5_1", 0, 7, 200), ib("mlx5_0", 0, 7, 200)}, {});
  ASSERT_EQ(found.skipped.size(), 1u);
  EXPECT_NE(found.skipped[0].reason.find("another fabric with the default prefix"),
            std::string::npos);
}

TEST(verbs_clusters,
     eight_cards_beside_the_accelerators_are_dealt_out_and_two_for_storage_stay_out) {
  node ports;
  for (int each = 0; each < 8; ++each)
    ports.push_back(ib(("mlx5_" + std::to_string(each)).c_str(), 0,
                       static_cast<std::uint16_t>(20 + each), 400, each < 4));
  ports.push_back(roce("mlx5_8", 1, 1, 200));
  ports.push_back(roce("mlx5_9", 2, 1, 200));
  job all;
  for (unsigned local = 0; local < 5; ++local) all.add(ports, local);
  EXPECT_EQ(all.used(), (names{"mlx5_0:1", "mlx5_1:1", "mlx5_2:1", "mlx5_3:1", "mlx5_0:1"}))
      << "near ones, and each in turn";
  EXPECT_EQ(all.told[0].size(), 3u) << "one port of each network is told";
}

TEST(verbs_clusters, one_card_in_a_cloud_has_many_gids) {
  port_facts port = roce("mlx5_0", 0, 4, 100);
  const gid_bytes local{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0xff, 0xfe, 4, 5, 6};
  port.gids = {{0, gid_kind::roce_v1, local},
               {1, gid_kind::roce_v2, local},
               {2, gid_kind::roce_v1, port.gids[0].bytes, 112},
               {3, gid_kind::roce_v2, port.gids[0].bytes, 112}};
  job all;
  all.add({port});
  EXPECT_EQ(all.used(), (names{"mlx5_0:1"}));
  EXPECT_EQ(to_text(all.told[0][0]), "mlx5_0:1 (RoCE 10.0.0.4/16, 100 Gb/s)");
}

TEST(verbs_clusters, of_two_rails_each_rank_uses_one_and_both_if_asked) {
  const node ports{roce("mlx5_0", 0, 1, 100), roce("mlx5_1", 1, 1, 100)};
  job one;
  for (unsigned local = 0; local < 2; ++local) one.add(ports, local);
  EXPECT_EQ(one.used(), (names{"mlx5_0:1", "mlx5_0:1"}));
  job both;
  for (unsigned local = 0; local < 2; ++local) both.add(ports, local, {.device = "all", .gid = {}});
  EXPECT_EQ(both.names[1], (names{"mlx5_0:1", "mlx5_1:1"}));
  EXPECT_EQ(both.used(), (names{"mlx5_0:1", "mlx5_0:1"}));
}

TEST(verbs_clusters, nodes_of_different_kinds_meet_in_the_network_that_all_have) {
  job all;
  all.add({ib("mlx5_0", 0, 3, 200), roce("mlx5_1", 0, 1, 25)});
  all.add({ib("mlx5_0", 0, 4, 200), roce("mlx5_1", 0, 2, 25)});
  EXPECT_EQ(all.used(), (names{"mlx5_0:1", "mlx5_0:1"}));
  all.add({roce("rocep1s0", 0, 3, 25)});
  EXPECT_EQ(all.used(), (names{"mlx5_1:1", "mlx5_1:1", "rocep1s0:1"}));
  EXPECT_EQ(all.between(0, 2), reach::same_network);
}

TEST(verbs_clusters, a_network_that_only_one_node_has_is_left_out) {
  job all;
  all.add({roce("mlx5_0", 9, 1, 400), roce("mlx5_1", 0, 1, 100)});
  all.add({roce("mlx5_1", 0, 2, 100)});
  EXPECT_EQ(all.used(), (names{"mlx5_1:1", "mlx5_1:1"}));
}

TEST(verbs_clusters, a_node_without_any_changes_nothing_for_the_others) {
  job all;
  all.add({});
  all.add({ib("mlx5_0", 0, 3, 200)});
  all.add({ib("mlx5_0", 0, 4, 200)});
  EXPECT_EQ(all.used(), (names{"none", "mlx5_0:1", "mlx5_0:1"}));
}

TEST(verbs_clusters, a_port_that_is_down_at_the_start_is_left_out_by_all) {
  job all;
  node broken{ib("mlx5_0", 1, 3, 200), ib("mlx5_1", 2, 3, 200)};
  broken[0].active = false;
  all.add({ib("mlx5_0", 1, 4, 200), ib("mlx5_1", 2, 4, 200)});
  all.add(broken);
  EXPECT_EQ(all.used(), (names{"mlx5_1:1", "mlx5_1:1"}));
}

TEST(verbs_clusters, nodes_without_a_network_in_common_are_told_apart) {
  job all;
  all.add({ib("mlx5_0", 0, 3, 200)});
  all.add({roce("mlx5_0", 0, 2, 100), roce("mlx5_1", 1, 2, 25)});
  EXPECT_EQ(all.between(0, 1), reach::none);
  EXPECT_EQ(no_network(all.told[0], all.told[1]),
            "no network joins mlx5_0:1 (RoCE 10.0.0.2/16, 100 Gb/s), mlx5_1:1 (RoCE 10.1.0.2/16, "
            "25 Gb/s) there and mlx5_0:1 (InfiniBand fe80::/64, P_Key 0xffff, 200 Gb/s) here; "
            "choose ports of one network with PEAL_VERBS_DEVICE or PEAL_VERBS_GID");
}

TEST(verbs_clusters, networks_of_ip_addresses_may_have_a_router_between_them) {
  job all;
  all.add({roce("mlx5_0", 0, 1, 100)});
  all.add({roce("mlx5_0", 1, 1, 100)});
  EXPECT_EQ(all.between(0, 1), reach::perhaps);
  job fabrics;
  fabrics.add({ib("mlx5_0", 1, 1, 100)});
  fabrics.add({ib("mlx5_0", 2, 1, 100)});
  EXPECT_EQ(fabrics.between(0, 1), reach::perhaps);
  fabrics.add({ib("mlx5_0", 0, 1, 100)});
  EXPECT_EQ(fabrics.between(0, 2), reach::none) << "the default prefix crosses no router";
}

TEST(verbs_clusters, a_bond_counts_with_the_rate_that_it_has) {
  const node ports{roce("mlx5_2", 0, 9, 100), roce("mlx5_bond_0", 0, 1, 200)};
  job all;
  for (unsigned local = 0; local < 2; ++local) all.add(ports, local);
  EXPECT_EQ(all.used(), (names{"mlx5_bond_0:1", "mlx5_bond_0:1"}));
}

TEST(verbs_clusters, a_near_port_goes_before_a_far_one_that_is_not_twice_as_fast) {
  const auto used = [](double near_rate) {
    job all;
    all.add({ib("mlx5_0", 0, 3, near_rate), ib("mlx5_1", 0, 4, 200, false)});
    return all.used()[0];
  };
  EXPECT_EQ(used(100), "mlx5_0:1");
  EXPECT_EQ(used(56), "mlx5_1:1");
}

TEST(verbs_clusters, of_all_a_slow_port_and_another_link_layer_stay_out) {
  const rails_result found =
      choose_rails({roce("mlx5_0", 0, 1, 200), roce("mlx5_1", 1, 1, 200), roce("mlx5_2", 2, 1, 25)},
                   {.device = "all", .gid = {}});
  EXPECT_EQ(found.rails.size(), 2u);
  ASSERT_EQ(found.skipped.size(), 1u);
  EXPECT_EQ(found.skipped[0].reason, "its rate is less than a quarter of the best one's");
  const rails_result mixed = choose_rails({roce("mlx5_0", 0, 1, 200), ib("mlx5_1", 0, 1, 200)},
                                          {.device = "all", .gid = {}});
  ASSERT_EQ(mixed.rails.size(), 1u);
  EXPECT_EQ(mixed.rails[0].port, 1u);
}

TEST(verbs_clusters, what_is_excluded_by_name_is_left_out_with_all_too) {
  const node ports{ib("mlx5_0", 1, 3, 400), ib("mlx5_1", 2, 3, 200), ib("mlx5_2", 3, 3, 200)};
  const auto names_with = [&](const char* device) {
    std::vector<std::string> found;
    for (const choice& each : choose_rails(ports, {.device = device, .gid = {}}).rails)
      found.push_back(ports[each.port].name());
    return found;
  };
  EXPECT_EQ(names_with("^mlx5_0"), (names{"mlx5_1:1", "mlx5_2:1"}));
  EXPECT_EQ(names_with("^mlx5_0,mlx5_2:1,absent"), (names{"mlx5_1:1"}));
  EXPECT_EQ(names_with("all,^mlx5_0"), (names{"mlx5_1:1", "mlx5_2:1"}));
  EXPECT_EQ(choose_rails(ports, {.device = "^mlx5_0,mlx5_1,mlx5_2", .gid = {}}).problem,
            "PEAL_VERBS_DEVICE=^mlx5_0,mlx5_1,mlx5_2: no other device is left; there are mlx5_0:1, "
            "mlx5_1:1, mlx5_2:1");
}

TEST(verbs_clusters, ten_thousand_ranks_decide_the_same_whatever_their_own_place) {
  job all;
  for (std::uint16_t rank = 0; rank < 10'000; ++rank)
    all.add({ib("mlx5_0", 1, static_cast<std::uint16_t>(rank + 1), 200),
             ib("mlx5_1", 2, static_cast<std::uint16_t>(rank + 1), 200)},
            rank % 64);
  const names used = all.used();
  EXPECT_EQ(std::ranges::count(used, used.front()), 10'000);
}

}  // namespace
