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
