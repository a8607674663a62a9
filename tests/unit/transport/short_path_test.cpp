// Short messages written without a call: what is taken, and what the peer finds.
#include "transport/short_path.hpp"

#include <gtest/gtest.h>

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
      const short_path::cell& place = cells[at % short_path::cells];
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

}  // namespace
