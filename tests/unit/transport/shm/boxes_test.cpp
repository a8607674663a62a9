#include "transport/shm/boxes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>

#include "base/page.hpp"
#include "unit/transport/ends.hpp"

namespace {

using peal::node_segment;
using peal::segment_plan;
using peal::shm_transport;
using peal::shm::box;
using peal::shm::boxes;
using peal::shm::first_units;
using peal::shm::parts;
using peal::shm::unit;
using peal::shm::units_per_box;

constexpr int ranks = 4;
constexpr std::size_t first_bytes = offsetof(box, data) + first_units * unit;

/// The segment of one process of four, which alone is there.
struct memory {
  /// `beyond_start`: so much may be committed.
  explicit memory(std::size_t beyond_start = std::numeric_limits<std::size_t>::max() / 2)
      : segment{plan(std::numeric_limits<std::size_t>::max())} {
    segment.unlink();
    if (beyond_start < std::numeric_limits<std::size_t>::max() / 2) {
      limited.emplace(plan(peal::page + front_stride() + beyond_start));
      limited->unlink();
    }
  }
  static std::size_t front_stride() {
    node_segment probe{plan(std::numeric_limits<std::size_t>::max())};
    probe.unlink();
    return probe.front(1).offset - probe.front(0).offset;
  }
  static segment_plan plan(std::size_t most) {
    return {.directory = peal::test::segment_directory(),
            .job_name = peal::test::unique_name(),
            .count = ranks,
            .front_bytes = shm_transport::front_bytes(),
            .transport_bytes = shm_transport::transport_bytes(ranks),
            .most_committed = most};
  }
  node_segment& used() { return limited ? *limited : segment; }
  boxes make() { return {used(), parts::of(used(), 0), parts::most_boxes}; }

  node_segment segment;
  std::optional<node_segment> limited;
};

TEST(boxes, one_begins_small_and_doubles_until_it_is_whole) {
  memory here;
  boxes own = here.make();
  EXPECT_EQ(own.bytes(), 0u);
  const int number = own.take();
  ASSERT_EQ(number, 0);
  EXPECT_EQ(own.units(number), first_units);
  EXPECT_EQ(own.bytes(), first_bytes);
  std::uint32_t before = first_units;
  while (own.grow(number)) {
    EXPECT_EQ(own.units(number), 2 * before);
    before *= 2;
    // Memory is there up to the last byte.
    own.at(number).data[before * unit - 1] = std::byte{1};
  }
  EXPECT_EQ(own.units(number), units_per_box);
  EXPECT_EQ(own.bytes(), sizeof(box));
}

TEST(boxes, there_are_as_many_as_other_ranks) {
  memory here;
  boxes own = here.make();
  for (int each = 0; each < ranks - 1; ++each) EXPECT_EQ(own.take(), each);
  EXPECT_LT(own.take(), 0);
}

TEST(boxes, one_that_another_pair_waits_for_keeps_its_memory) {
  memory here;
  boxes own = here.make();
  const int number = own.take();
  ASSERT_TRUE(own.grow(number));
  own.at(number).data[0] = std::byte{7};
  own.closing(number, false);
  EXPECT_NE(own.take(), number) << "the receiver may still read it";
  const std::size_t bytes = own.bytes();
  own.put_back(number);
  EXPECT_EQ(own.bytes(), bytes);
  EXPECT_EQ(own.take(), number) << "one with memory is taken first";
  EXPECT_EQ(own.units(number), 2 * first_units);
  EXPECT_EQ(own.at(number).data[0], std::byte{7});
}

TEST(boxes, an_idle_one_gives_its_memory_back) {
  memory here;
  boxes own = here.make();
  const int number = own.take();
  ASSERT_TRUE(own.grow(number));
  std::memset(own.at(number).data, 7, 2 * first_units * unit);
  own.at(number).consumed = 99;
  own.closing(number, true);
  EXPECT_GT(own.bytes(), first_bytes) << "the receiver may still read it";
  own.put_back(number);
  EXPECT_EQ(own.bytes(), 0u);
  EXPECT_EQ(own.most_bytes(), first_bytes + first_units * unit);
  ASSERT_EQ(own.take(), number);
  EXPECT_EQ(own.bytes(), first_bytes);
  EXPECT_EQ(own.at(number).consumed, 0u) << "the pages are others";
  EXPECT_EQ(own.at(number).data[0], std::byte{0});
}

TEST(boxes, one_that_nobody_takes_gives_its_memory_back_at_the_second_look) {
  memory here;
  boxes own = here.make();
  const int number = own.take(), open = own.take();
  own.closing(number, false);
  own.look_for_unused();
  own.put_back(number);
  own.look_for_unused();
  EXPECT_EQ(own.bytes(), 2 * first_bytes) << "a pair may be about to take it";
  ASSERT_EQ(own.take(), number);
  own.look_for_unused();
  own.closing(number, false);
  own.put_back(number);
  own.look_for_unused();
  EXPECT_EQ(own.bytes(), 2 * first_bytes) << "it was used since";
  own.look_for_unused();
  EXPECT_EQ(own.bytes(), first_bytes);
  own.at(open).data[0] = std::byte{7};
  own.look_for_unused();
  EXPECT_EQ(own.bytes(), first_bytes) << "the other one is open";
  EXPECT_EQ(own.take(), number);
  EXPECT_EQ(own.at(open).data[0], std::byte{7});
}

TEST(boxes, memory_that_is_short_is_no_error_and_may_come_later) {
  memory here{first_bytes + first_units * unit + 4096};
  boxes own = here.make();
  testing::internal::CaptureStderr();
  const int number = own.take();
  ASSERT_EQ(number, 0);
  ASSERT_TRUE(own.grow(number));
  EXPECT_FALSE(own.grow(number));
  EXPECT_EQ(own.units(number), 2 * first_units);
  EXPECT_LT(own.take(), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t at = said.find("slower way");
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find("slower way", at + 1), std::string::npos) << "said twice: " << said;
  own.closing(number, true);
  own.put_back(number);
  ASSERT_EQ(own.take(), number);
  bool grown = false;
  for (int attempt = 0; attempt < 1000 && !grown; ++attempt) grown = own.grow(number);
  EXPECT_TRUE(grown);
}

}  // namespace
