// Registered memory in pieces: grows, is used again, and says why it cannot grow. On a card of this
// process's own.
#include "transport/verbs/device/slots.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "topology/machine.hpp"
#include "transport/verbs/device/device.hpp"
#include "unit/transport/verbs/double/card.hpp"

namespace peal::test {
namespace {

TEST(verbs_slots, are_apart_and_come_back_last_in_first_out) {
  const machine here;
  const auto rails = verbs::open_rails(here, {});
  verbs::slot_pool of{rails.front().domain()};
  EXPECT_EQ(of.take(), verbs::no_slot);
  ASSERT_TRUE(of.grow(100));
  EXPECT_GE(of.free(), 100u);
  EXPECT_EQ(of.free(), of.size());
  std::vector<verbs::slot_id> held;
  std::set<verbs::slot_id> seen;
  for (verbs::slot_id each = of.take(); each != verbs::no_slot; each = of.take()) {
    EXPECT_TRUE(seen.insert(each).second);
    std::memset(of.at(each), static_cast<int>(held.size() % 251), verbs::slot_bytes);
    held.push_back(each);
  }
  EXPECT_EQ(held.size(), of.size());
  for (std::size_t each = 0; each < held.size(); ++each) {
    EXPECT_EQ(of.at(held[each])[0], static_cast<std::byte>(each % 251));
    EXPECT_EQ(of.at(held[each])[verbs::slot_bytes - 1], static_cast<std::byte>(each % 251));
  }
  of.give_back(held[3]);
  of.give_back(held[7]);
  EXPECT_EQ(of.take(), held[7]);
  EXPECT_EQ(of.take(), held[3]);
  EXPECT_EQ(of.take(), verbs::no_slot);
}

TEST(verbs_slots, a_refusal_says_how_much_is_needed_and_what_to_do) {
  verbs_double::remove_cards();
  verbs_double::add_card(1, 1).most_locked = 600 << 10;
  const machine here;
  const auto rails = verbs::open_rails(here, {});
  verbs::slot_pool of{rails.front().domain()};
  EXPECT_FALSE(of.grow(180));
  EXPECT_EQ(of.size(), 64u);
  EXPECT_NE(of.refusal().find("1548 KiB for messages are needed, and 516 KiB of them could be "
                              "registered: Cannot allocate memory"),
            std::string::npos)
      << of.refusal();
  EXPECT_NE(of.refusal().find("raise it (ulimit -l unlimited"), std::string::npos);
}

}  // namespace
}  // namespace peal::test
