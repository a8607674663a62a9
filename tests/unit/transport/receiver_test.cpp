// A process is rung for when it sleeps, and only then.
#include "transport/receiver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace peal;

struct counting_ringer final : ringer {
  void ring(int index) noexcept override { rung.push_back(index); }
  std::vector<int> rung;
};

TEST(receiver, is_rung_for_when_it_sleeps) {
  for (const bool fences : {false, true}) {
    attention says{};
    counting_ringer bell;
    const receiver of{.says = &says, .ringer = &bell, .index = 5, .fences = fences};
    of.wake_for_message();
    EXPECT_TRUE(bell.rung.empty());
    for (const std::uint32_t sleeps : {for_messages, for_room_too}) {
      says.asks.store(sleeps);
      of.wake_for_message();
    }
    EXPECT_EQ(bell.rung, (std::vector<int>{5, 5}));
  }
}

}  // namespace
