// Payloads from and into memory that went away and came again at the same address, over a real
// device (tests/lab/devices_test): the kernel keeps the pages of what is registered, and doubles
// of devices do not. Skipped where there is none; the lab has one. PEAL_TEST_UNMAP_HOOKS=off runs
// them without the hooks, to show that what arrives is wrong then.
#include <gtest/gtest.h>

#include <cstdlib>

#include "memory/unmap_hooks.hpp"
#include "unit/memory/leaving_memory.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

constexpr std::size_t bytes = 200'000;

class transfers_of_memory : public testing::TestWithParam<std::tuple<way_to_leave, bool>> {
 protected:
  std::unique_ptr<verbs_pair> pair;

  void SetUp() override {
    const char* const set = std::getenv("PEAL_TEST_UNMAP_HOOKS");
    const bool off = set && std::strcmp(set, "off") == 0;
    pair = make_verbs_pair({.set = {}, .without_hooks = off});
    if (!pair) GTEST_SKIP() << no_device_here;
    if (!off && !use_unmap_hooks().work)
      GTEST_SKIP() << "needs unmap hooks: " << use_unmap_hooks().problem;
  }

  /// What arrives in `target` when `source` is fetched.
  void fetch_all(const std::byte* source, std::byte* target) {
    verbs_transport &owner = *pair->ends[1], &reader = *pair->ends[0];
    if (!met_) {
      const auto poll = [&] { reader.poll(), owner.poll(); };
      ASSERT_TRUE(until(poll, [&] {
        return reader.send(1, envelope::make(0, 1, 2, envelope_kind::eager, 0), nullptr);
      }));
      ASSERT_TRUE(until(poll, [&] {
        return owner.send(0, envelope::make(0, 1, 2, envelope_kind::eager, 0), nullptr);
      }));
      met_ = true;
    }
    const remote_region where = owner.expose(0, source, bytes);
    tracked_fetch fetching{1, where, target, bytes};
    reader.start_fetch(fetching);
    ASSERT_TRUE(until([&] { reader.poll(), owner.poll(); }, [&] { return fetching.calls > 0; }));
    ASSERT_FALSE(fetching.error) << fetching.error.message();
    owner.withdraw(0, where);
  }

 private:
  bool met_ = false;
};

TEST_P(transfers_of_memory, are_right_when_it_comes_again) {
  const auto& [way, at_the_target] = GetParam();
  const auto memory = way.make();
  std::byte* at = memory->come(bytes);
  if (!at) GTEST_SKIP() << "needs memory of this kind: System V segments, or room at the break";
  std::vector<std::byte> staying(bytes);
  for (int round = 0; round < 3; ++round) {
    const auto data = pattern(bytes, static_cast<std::uint64_t>(round));
    std::byte* const source = at_the_target ? staying.data() : at;
    std::byte* const target = at_the_target ? at : staying.data();
    std::memcpy(source, data.data(), bytes);
    std::memset(target, 0xee, bytes);
    fetch_all(source, target);
    if (HasFatalFailure()) return;
    EXPECT_EQ(std::memcmp(target, data.data(), bytes), 0) << "round " << round;
    memory->leave();
    at = memory->come_again();
    if (!at) GTEST_SKIP() << "needs the place to itself: another thread has mapped something there";
  }
  memory->end();
}

INSTANTIATE_TEST_SUITE_P(all, transfers_of_memory,
                         testing::Combine(testing::ValuesIn(ways_to_leave()), testing::Bool()),
                         [](const auto& info) {
                           return std::string{std::get<0>(info.param).name} +
                                  (std::get<1>(info.param) ? "_target" : "_source");
                         });

}  // namespace
