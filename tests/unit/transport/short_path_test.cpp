// Short messages written without a call: what is taken, and what the peer finds.
#include "transport/short_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using namespace peal;

struct path final : short_path {
  path(cell* where, const receiver& to, std::uint32_t from, std::uint32_t room)
      : short_path{where, to} {
    cell_ = from;
    cell_limit_ = from + room;
  }
};

TEST(short_path, takes_what_fits_while_there_is_room_and_the_peer_wants_it) {
  std::vector<short_path::cell> cells(short_path::cells);
  attention says{};
  path of{cells.data(), {.says = &says}, 0, 1};
  EXPECT_TRUE(of.takes(0));
  EXPECT_TRUE(of.takes(short_path::longest));
  EXPECT_FALSE(of.takes(short_path::longest + 1));
  says.refuses_eager.store(1);
  EXPECT_FALSE(of.takes(0));
  says.refuses_eager.store(0);
  of.write_short(envelope::make(1, 2, 3, envelope_kind::eager, 0), nullptr, 0);
  EXPECT_FALSE(of.takes(0)) << "the room is used";
}

TEST(short_path, the_stamp_tells_of_each_lap_that_a_cell_is_new) {
  std::vector<short_path::cell> cells(short_path::cells);
  attention says{};
  for (const std::uint32_t start : {0u, short_path::cells - 1, 0xfffffffeu}) {
    path of{cells.data(), {.says = &says}, start, short_path::cells + 3};
    for (std::uint32_t each = 0; each < short_path::cells + 3; ++each) {
      const std::uint32_t at = start + each;
      const short_path::cell& place = cells[short_path::place_of(at)];
      const std::uint64_t before = place.stamp.load();
      const std::uint64_t payload = 0x1111 * each;
      const auto e = envelope::make(1, static_cast<int>(each), 2, envelope_kind::eager, 8);
      ASSERT_TRUE(of.takes(8));
      of.write_short(e, &payload, 8);
      ASSERT_EQ(place.stamp.load(), short_path::lap_of(at));
      ASSERT_NE(place.stamp.load(), before);
      ASSERT_EQ(place.match, e.match);
      ASSERT_EQ(place.rest, e.rest);
      ASSERT_EQ(std::memcmp(place.payload, &payload, 8), 0);
    }
    for (short_path::cell& each : cells) each.stamp.store(0);
  }
}

// So that no core that reads them fetches ahead what is about to be written.
TEST(short_path, cells_that_follow_each_other_lie_in_no_regular_order) {
  constexpr std::uint32_t cells = short_path::cells;
  constexpr std::uint32_t a_page = 4096 / sizeof(short_path::cell);
  std::vector<std::uint32_t> position_at(cells, cells);
  int step_before = 0, equal_steps = 0;
  for (std::uint32_t each = 0; each < cells; ++each) {
    const std::uint32_t place = short_path::place_of(each), next = short_path::place_of(each + 1);
    ASSERT_EQ(position_at.at(place), cells) << "two in one place";
    position_at[place] = each;
    EXPECT_EQ(short_path::place_behind(place), next);
    EXPECT_EQ(short_path::place_behind(place, cells - each), short_path::place_of(0));
    EXPECT_NE(place / a_page, next / a_page) << each;
    const int step = static_cast<int>(next) - static_cast<int>(place);
    equal_steps = step == step_before ? equal_steps + 1 : 1;
    EXPECT_LE(equal_steps, 2) << each;
    step_before = step;
  }
  // What lies side by side is not written one soon after the other.
  for (std::uint32_t place = 0; place + 4 < cells; ++place)
    for (std::uint32_t apart = 1; apart <= 4; ++apart) {
      const std::uint32_t behind = (position_at[place + apart] - position_at[place]) % cells;
      EXPECT_GT(std::min(behind, cells - behind), 2 * lines_ahead_to_write) << place;
    }
}

}  // namespace
