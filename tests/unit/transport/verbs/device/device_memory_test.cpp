// How memory is registered, on cards of this process's own.
#include "transport/verbs/device/device.hpp"

#include <gtest/gtest.h>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_device_memory = verbs_on_cards;

TEST_F(verbs_device_memory, is_read_and_written_in_any_order) {
  begin(2);
  meet(0, 1);
  const auto source = pattern(1'000'000, 1);
  std::vector<std::byte> target(source.size());
  const remote_region where = at(1).expose(0, source.data(), source.size());
  tracked_fetch fetching{1, where, target.data(), target.size()};
  at(0).start_fetch(fetching);
  ASSERT_TRUE(wait([&] { return fetching.calls > 0; }));
  EXPECT_EQ(target, source);
  EXPECT_GE(count(0, "verbs.registrations"), 1u);
  EXPECT_GE(count(1, "verbs.registrations"), 1u);
  for (const verbs_double::card* each : cards) EXPECT_EQ(each->ordered_regions(), 0u);
}

}  // namespace
