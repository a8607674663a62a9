// Large messages over several devices, and devices that fail amid them. verbs_double_test brings
// two of its own; tests/lab/devices_test needs real ones, and the lab has as many as asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

std::vector<counter> counters_of(const verbs_transport& of) {
  std::vector<counter> all;
  of.report(all);
  return all;
}

class verbs_rails : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::size_t large = 6'000'001;
  static constexpr std::uint32_t together = 4;

  std::unique_ptr<verbs_pair> pair;
  std::vector<std::vector<std::byte>> sources, targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;

  void SetUp() override {
    pair = make_verbs_pair({.set = {.device = "all",
                                    .push = 0,
                                    .rendezvous = rendezvous_named(GetParam()),
                                    .timeout = 1}});
    if (!pair || bytes_of_rails(0).size() < 2)
      GTEST_SKIP() << "needs two RDMA devices: tests/lab/run --rails 2 -- PROGRAM";
    for (const peer_id from : {0u, 1u})
      ASSERT_TRUE(until([&] { poll(); },
                        [&] {
                          return end(from).send(
                              1 - from, envelope::make(0, 1, 2, envelope_kind::eager, 0), nullptr);
                        }));
    for (const peer_id at : {0u, 1u})
      ASSERT_TRUE(until([&] { poll(); }, [&] { return !pair->arrivals[at].got.empty(); }));
  }

  verbs_transport& end(peer_id which) { return *pair->ends[which]; }
  void poll() {
    end(0).poll();
    end(1).poll();
  }
  /// What each device moved for this end.
  std::vector<std::uint64_t> bytes_of_rails(peer_id which) {
    std::vector<std::uint64_t> found;
    for (const counter& each : counters_of(end(which)))
      if (each.name.starts_with("verbs.rail_bytes.")) found.push_back(each.value);
    return found;
  }
  std::uint64_t left_out(peer_id which) {
    for (const counter& each : counters_of(end(which)))
      if (each.name == "verbs.rails_left_out") return each.value;
    return 0;
  }
  std::vector<std::uint64_t> bytes_of_rails() {
    std::vector<std::uint64_t> all = bytes_of_rails(0);
    const std::vector<std::uint64_t> more = bytes_of_rails(1);
    for (std::size_t each = 0; each < all.size(); ++each) all[each] += more[each];
    return all;
  }

  /// End 0 fetches so many payloads of end 1 at a time.
  void start() {
    fetches.clear();
    sources.assign(together, std::vector<std::byte>(large));
    targets.assign(together, std::vector<std::byte>(large));
    std::uint32_t word = 1;
    for (std::vector<std::byte>& each : sources)
      for (std::byte& byte : each)
        byte = static_cast<std::byte>((word = word * 1664525 + 1013904223) >> 24);
    for (std::size_t each = 0; each < together; ++each) {
      const remote_region where = end(1).expose(0, sources[each].data(), large);
      fetches.push_back(std::make_unique<tracked_fetch>(1, where, targets[each].data(), large));
      end(0).start_fetch(*fetches.back());
    }
  }
  bool over() {
    return std::ranges::all_of(fetches, [](const auto& each) { return each->calls > 0; });
  }
  void finish() {
    ASSERT_TRUE(until([&] { poll(); }, [&] { return over(); }));
    for (std::size_t each = 0; each < together; ++each) {
      EXPECT_EQ(fetches[each]->calls, 1);
      EXPECT_FALSE(fetches[each]->error) << fetches[each]->error.message();
      EXPECT_TRUE(targets[each] == sources[each]) << "payload " << each;
      end(1).withdraw(0, fetches[each]->where);
    }
  }
  void some_parts() {
    const auto moved = [&] {
      const std::vector<std::uint64_t> all = bytes_of_rails();
      return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    };
    const std::uint64_t before = moved();
    ASSERT_TRUE(until([&] { poll(); }, [&] { return moved() > before + large / 2; }));
    ASSERT_FALSE(over()) << "the break would come too late";
  }
};

TEST_P(verbs_rails, every_device_carries_parts) {
  start();
  finish();
  const std::vector<std::uint64_t> moved = bytes_of_rails();
  EXPECT_EQ(std::accumulate(moved.begin(), moved.end(), std::uint64_t{0}), together * large);
  for (const std::uint64_t each : moved) EXPECT_GT(each, 0u);
  EXPECT_EQ(left_out(0) + left_out(1), 0u);
}

TEST_P(verbs_rails, what_a_failed_device_carried_comes_over_the_others) {
  for (const peer_id breaks : {0u, 1u}) {
    if (breaks == 1) SetUp();
    start();
    some_parts();
    end(breaks).break_rail(1 - breaks, 1);
    finish();
    ASSERT_TRUE(until([&] { poll(); }, [&] { return left_out(0) > 0 && left_out(1) > 0; }))
        << "both sides leave it out";
    const std::vector<std::uint64_t> before = bytes_of_rails();
    start();
    finish();
    const std::vector<std::uint64_t> after = bytes_of_rails();
    EXPECT_EQ(after[1], before[1]) << "nothing goes over it any more";
    EXPECT_GT(after[0], before[0]);
    EXPECT_TRUE(end(0).lost().empty()) << "the connection lives";
  }
}

TEST_P(verbs_rails, parts_on_all_devices_end_with_their_peer) {
  start();
  some_parts();
  end(0).peer_failed(1);
  EXPECT_TRUE(over());
  std::size_t failed = 0;
  for (const auto& each : fetches) failed += each->error == make_error_code(errc::peer_failed);
  EXPECT_GT(failed, 0u);
  for (int turn = 0; turn < 1000; ++turn) end(0).poll();
}

INSTANTIATE_TEST_SUITE_P(all, verbs_rails, testing::Values("auto", "read", "write", "both"),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
