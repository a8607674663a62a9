// The job's secret is that of the first rank that has told an address.
#include "transport/verbs/addresses.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace {

using namespace peal::verbs;

std::optional<address> told(std::uint64_t word) {
  address made;
  made.job = {word, word};
  return made;
}

TEST(verbs_addresses, the_first_that_has_told_one_gives_the_secret) {
  addresses of{2, {}};
  EXPECT_EQ(of.self(), 2u);
  of.meet({std::nullopt, told(5), told(6)});
  EXPECT_EQ(of.job(), (secret{5, 5}));
  EXPECT_EQ(of.of(0), nullptr) << "it has told none";
  ASSERT_NE(of.of(2), nullptr);
  EXPECT_EQ(of.of(2)->job, (secret{6, 6}));
  EXPECT_EQ(of.of(3), nullptr);
}

TEST(verbs_addresses, where_nobody_told_one_the_secret_is_its_own) {
  addresses of{0, {}};
  of.meet({std::nullopt, std::nullopt});
  EXPECT_EQ(of.job(), of.own().job);
}

rail_address port_in(std::uint8_t net, std::uint8_t host) {
  rail_address made;
  made.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, net, 0, host};
  made.link_layer = rail_address::ethernet;
  return made;
}
/// With a port in each of these networks.
address with_ports(std::uint8_t host, const std::vector<std::uint8_t>& networks) {
  address made;
  made.job = {7, 7};
  made.rail_count = static_cast<std::uint8_t>(networks.size());
  for (std::size_t each = 0; each < networks.size(); ++each)
    made.rails[each] = port_in(networks[each], host);
  return made;
}

TEST(verbs_addresses, without_a_network_of_all_each_pair_has_its_own) {
  addresses of{0, {}};
  of.own() = with_ports(1, {1, 2});
  of.meet({with_ports(1, {1, 2}), with_ports(2, {2, 3}), with_ports(3, {3, 1})});
  ASSERT_TRUE(of.by_pair());
  ASSERT_TRUE(of.ways()[1] && of.ways()[2]);
  EXPECT_EQ(of.ways()[1]->own, 1u);
  EXPECT_EQ(of.ways()[2]->own, 0u);
  const addresses second = of.over(1, false);
  EXPECT_EQ(second.own().first().gid, port_in(2, 1).gid);
  EXPECT_EQ(second.own().used().size(), 1u);
  EXPECT_EQ(second.own().told().size(), 2u) << "what it has is still told where something is wrong";
  EXPECT_EQ(second.own().incarnation, of.own().incarnation);
  EXPECT_EQ(second.job(), of.job());
  ASSERT_NE(second.of(1), nullptr);
  EXPECT_EQ(second.of(1)->first().gid, port_in(2, 2).gid);
  EXPECT_EQ(second.of(2), nullptr) << "it is reached by the other port";
  const addresses first = of.over(0, true);
  EXPECT_EQ(first.of(1), nullptr);
  EXPECT_EQ(first.of(2)->first().gid, port_in(1, 3).gid);
}

TEST(verbs_addresses, a_network_of_all_is_used_by_all) {
  addresses of{0, {}};
  of.own() = with_ports(1, {1, 2});
  of.meet({with_ports(1, {1, 2}), with_ports(2, {1, 2}), with_ports(3, {2})});
  EXPECT_FALSE(of.by_pair());
  EXPECT_EQ(of.of(1)->first().gid, port_in(2, 2).gid);
}

TEST(verbs_addresses, queue_keys_follow_from_the_secret_and_differ) {
  addresses of{2, {}}, another{1, {}};
  std::vector<std::optional<address>> all{std::nullopt, told(5), told(6)};
  all[2]->incarnation = of.own().incarnation;
  all[1]->incarnation = another.own().incarnation;
  of.meet(all);
  another.meet(all);
  EXPECT_EQ(of.own().handshake_key, of.of(2)->handshake_key);
  EXPECT_EQ(of.of(1)->handshake_key, another.own().handshake_key) << "known without being told";
  EXPECT_NE(of.of(1)->handshake_key, of.of(2)->handshake_key);
  EXPECT_LT(of.own().handshake_key, 0x80000000u) << "a privileged one";
  const std::uint32_t before = of.own().handshake_key;
  all[1]->job = {7, 7};
  of.meet(all);
  EXPECT_NE(of.own().handshake_key, before) << "in a job with another secret";
}

TEST(verbs_addresses, no_two_processes_are_alike) {
  const addresses one{0, {}}, other{0, {}};
  EXPECT_NE(one.own().incarnation, other.own().incarnation);
  EXPECT_NE(one.own().job, other.own().job);
}

}  // namespace
