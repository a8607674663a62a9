// Registered memory in pieces: grows, is used again, and says why it cannot grow. On a card of this
// process's own.
#include "transport/verbs/device/slots.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
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

/// What /proc/self/smaps says of the mapping that this address lies in.
std::string smaps_of(const void* address, const std::string& field) {
  std::ifstream all{"/proc/self/smaps"};
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool here = false;
  for (std::string line; std::getline(all, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      here = begin <= wanted && wanted < end;
    else if (here && line.starts_with(field + ":")) return line;
  }
  return {};
}

TEST(verbs_slots, lie_in_huge_pages_where_there_are_any) {
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
    GTEST_SKIP() << "needs a kernel with transparent huge pages";
  const machine here;
  const auto rails = verbs::open_rails(here, {});
  constexpr std::size_t slab = verbs::slot_pool::per_slab;
  verbs::slot_pool of{rails.front().domain()};
  ASSERT_TRUE(of.grow(40 * slab));  // in two mappings
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(of.at(0)) % verbs::slot_pool::huge_page, 0u);
  EXPECT_EQ(of.at(slab), of.at(0) + slab * verbs::slot_bytes) << "slabs share huge pages";
  for (const std::size_t each : {std::size_t{0}, 20 * slab, 40 * slab - 1})
    EXPECT_NE(smaps_of(of.at(static_cast<verbs::slot_id>(each)), "VmFlags").find(" hg"),
              std::string::npos)
        << each;
  of.at(0)[0] = std::byte{1};
  RecordProperty("huge_pages", smaps_of(of.at(0), "AnonHugePages"));
}

TEST(verbs_slots, no_more_is_registered_than_asked_for_rounded_up_to_slabs) {
  verbs_double::remove_cards();
  verbs_double::card& card = verbs_double::add_card(1, 1);
  constexpr std::size_t slab = verbs::slot_pool::per_slab;
  card.most_locked = 3 * slab * verbs::slot_bytes;
  const machine here;
  const auto rails = verbs::open_rails(here, {});
  verbs::slot_pool of{rails.front().domain()};
  EXPECT_TRUE(of.grow(1));
  EXPECT_EQ(of.size(), slab);
  EXPECT_TRUE(of.grow(slab + 1));
  EXPECT_EQ(of.size(), 3 * slab);
  EXPECT_FALSE(of.grow(1));
  EXPECT_EQ(of.size(), 3 * slab);
  card.most_locked = verbs_double::card::no_limit;
  EXPECT_TRUE(of.grow(1)) << "where it was refused before";
  EXPECT_EQ(of.at(3 * slab), of.at(0) + 3 * slab * verbs::slot_bytes);
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
