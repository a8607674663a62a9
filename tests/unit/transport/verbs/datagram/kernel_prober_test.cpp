// What this machine's kernel answers, over the loopback interface.
#include "transport/verbs/datagram/kernel_prober.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <optional>

#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using namespace peal::verbs;

gid_entry loopback_v4() {
  return {0, gid_kind::roce_v2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}};
}
gid_entry loopback_v6() {
  return {0, gid_kind::roce_v2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
}

constexpr const char* no_address_here =
    "needs 127.0.0.1 or ::1: a loopback interface that is up (ip link set lo up) and has it";

class kernel_askers : public testing::TestWithParam<gid_entry> {};

TEST_P(kernel_askers, a_node_answers) {
  kernel_prober by{GetParam()};
  if (by.door() == 0) GTEST_SKIP() << no_address_here;
  const int question = by.ask(GetParam().bytes);
  ASSERT_GE(question, 0);
  EXPECT_TRUE(until([] {}, [&] { return by.answered(question); }));
  by.end(question);
}

TEST_P(kernel_askers, a_process_that_is_there_is_quiet_and_one_that_is_not_refuses) {
  kernel_prober by{GetParam()};
  if (by.door() == 0) GTEST_SKIP() << no_address_here;
  std::optional<kernel_prober> other{GetParam()};
  const std::uint16_t door = other->door();
  ASSERT_NE(door, 0);
  gid_bytes where{};
  std::uint16_t which = 0;
  // over the loopback all is delivered at once
  for (int each = 0; each < 1000; ++each) by.probe_process(GetParam().bytes, door);
  EXPECT_FALSE(by.refused(where, which));
  other.reset();
  // Kernels tell so many times a second only.
  EXPECT_TRUE(until([&] { by.probe_process(GetParam().bytes, door); },
                    [&] { return by.refused(where, which); }));
  EXPECT_EQ(which, door);
  EXPECT_EQ(where, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(all, kernel_askers, testing::Values(loopback_v4(), loopback_v6()),
                         [](const auto& each) {
                           return std::string{each.index == 0 ? "ipv4" : "ipv6"};
                         });

TEST(kernel_prober, nobody_there_is_no_answer) {
  gid_bytes nowhere = loopback_v4().bytes;
  nowhere[12] = 224;  // a group: no TCP connection leads there, and no packet leaves
  kernel_prober by{loopback_v4()};
  const int question = by.ask(nowhere);
  ASSERT_GE(question, 0);
  for (int each = 0; each < 100; ++each) EXPECT_FALSE(by.answered(question));
  by.end(question);
}

TEST(kernel_prober, an_infiniband_fabric_has_no_kernel_to_ask) {
  gid_entry own{};
  own.bytes[0] = 0xfe, own.bytes[1] = 0x80, own.bytes[15] = 1;
  kernel_prober by{own};
  EXPECT_EQ(by.door(), 0);
  EXPECT_LT(by.ask(own.bytes), 0);
}

TEST(kernel_prober, without_descriptors_nothing_is_asked) {
  kernel_prober by{loopback_v4()};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_LT(by.ask(loopback_v4().bytes), 0);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
