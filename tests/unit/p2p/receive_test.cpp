// Short messages that are taken where they lie, several with one call.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "transport/short_path.hpp"
#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

constexpr std::uint64_t this_lap = 4;

/// Cells as rank 0 writes them.
struct cell_row {
  std::array<short_path::cell, short_path::cells> cells{};
  std::uint32_t written = 0;

  void write(int tag, std::uint64_t value, envelope_kind kind = envelope_kind::eager,
             std::uint32_t context = 0) {
    short_path::cell& next = cells.at(short_path::place_of(written++));
    const envelope e = envelope::make(context, tag, 0, kind, sizeof value);
    next.match = e.match;
    next.rest = e.rest;
    std::memcpy(next.payload, &value, sizeof value);
    next.stamp.store(this_lap);
  }
  [[nodiscard]] short_run from(std::uint32_t first) const {
    return {cells.data(), short_path::place_of(first), short_path::cells - first, this_lap};
  }
};

struct landing {
  std::uint64_t value = 0;
  operation* op = nullptr;

  void post(fake_job& job, int source, int tag, completion_hook hook = {}) {
    op = &job.receive(1, source, tag, &value, sizeof value, hook);
  }
};

TEST(arrived_short, fills_the_receives_in_their_order_up_to_the_first_that_does_not_match) {
  fake_job job{2};
  std::array<landing, 4> posted;
  posted[0].post(job, 0, 7);
  posted[1].post(job, detail::any_source_value, 7);
  posted[2].post(job, 0, detail::any_tag_value);
  posted[3].post(job, 0, 8);
  cell_row row;
  for (std::uint64_t value = 0; value < 5; ++value) row.write(7, 100 + value);
  EXPECT_EQ(job[1].arrived_short(row.from(0)), 3u);
  for (std::uint64_t each = 0; each < 3; ++each) {
    ASSERT_TRUE(over(*posted[each].op)) << each;
    EXPECT_EQ(posted[each].value, 100 + each);
    EXPECT_EQ(posted[each].op->result.tag, 7);
    EXPECT_EQ(posted[each].op->result.source, 0);
    EXPECT_EQ(posted[each].op->result.bytes, sizeof(std::uint64_t));
    job[1].release(*posted[each].op);
  }
  EXPECT_FALSE(over(*posted[3].op));
  EXPECT_EQ(job[1].arrived_short(row.from(3)), 0u);
  // The list is whole: a message behind them is for the receive that is left.
  cell_row later;
  later.write(8, 200);
  EXPECT_EQ(job[1].arrived_short(later.from(0)), 1u);
  EXPECT_EQ(posted[3].value, 200u);
  job[1].release(*posted[3].op);
}

TEST(arrived_short, takes_as_many_cells_as_it_is_given_and_none_that_is_not_written) {
  fake_job job{2};
  std::array<landing, 4> posted;
  for (landing& each : posted) each.post(job, 0, 7);
  cell_row row;
  for (std::uint64_t value = 0; value < 3; ++value) row.write(7, value);
  short_run run = row.from(0);
  run.most = 2;
  EXPECT_EQ(job[1].arrived_short(run), 2u);
  EXPECT_FALSE(over(*posted[2].op));
  EXPECT_EQ(job[1].arrived_short(row.from(2)), 1u);
  EXPECT_TRUE(over(*posted[2].op));
  EXPECT_FALSE(over(*posted[3].op));
  EXPECT_EQ(job[1].arrived_short(row.from(3)), 0u);
  EXPECT_TRUE(job[1].cancel(*posted[3].op));
  for (const landing& each : posted) job[1].release(*each.op);
}

TEST(arrived_short, leaves_what_is_unusual) {
  fake_job job{2};
  landing first, second;
  first.post(job, 0, 7);
  std::uint32_t small = 0;
  operation& short_receive = job.receive(1, 0, 7, &small, sizeof small);
  cell_row row;
  row.write(7, 1, envelope_kind::announce);
  row.write(7, 2, envelope_kind::eager, 5);
  row.write(7, 3);
  row.write(7, 4);
  EXPECT_EQ(job[1].arrived_short(row.from(0)), 0u) << "an announcement";
  EXPECT_EQ(job[1].arrived_short(row.from(1)), 0u) << "another context";
  EXPECT_EQ(job[1].arrived_short(row.from(2)), 1u) << "the next receive is too small";
  EXPECT_EQ(first.value, 3u);
  EXPECT_FALSE(over(short_receive));
  EXPECT_TRUE(job[1].cancel(short_receive));
  job[1].release(*first.op);
  job[1].release(short_receive);
  // A user who is to be told is told in a progress call.
  second.post(job, 0, 7);
  bool told = false;
  ASSERT_TRUE(
      job[1].on_finish(*second.op, [](void* to) { *static_cast<bool*>(to) = true; }, &told));
  EXPECT_EQ(job[1].arrived_short(row.from(3)), 0u);
  EXPECT_TRUE(job[1].cancel(*second.op));
  job.poll(1);
  EXPECT_TRUE(told);
  job[1].release(*second.op);
}

TEST(arrived_short, a_completion_hook_may_post_the_next_receive) {
  fake_job job{2};
  struct chain {
    fake_job& job;
    landing first, second;
    bool was_over = false;
  } at{job, {}, {}};
  at.first.post(job, 0, 7,
                {[](void* context, operation& ended) noexcept {
                   auto& it = *static_cast<chain*>(context);
                   it.was_over = over(ended);
                   it.job[1].release(ended);
                   it.second.post(it.job, 0, 7);
                 },
                 &at});
  cell_row row;
  row.write(7, 1);
  row.write(7, 2);
  std::uint32_t taken = job[1].arrived_short(row.from(0));
  EXPECT_EQ(taken, 1u);
  EXPECT_TRUE(at.was_over);
  taken += job[1].arrived_short(row.from(taken));
  EXPECT_EQ(taken, 2u);
  EXPECT_EQ(at.first.value, 1u);
  EXPECT_EQ(at.second.value, 2u);
  // The hook was of the first use of the operation alone.
  EXPECT_EQ(at.second.op->hook.call, nullptr);
  job[1].release(*at.second.op);
}

/// From a rank whose memory is damaged, say.
TEST(arrived, what_is_no_message_is_dropped_and_told) {
  fake_job job{2};
  landing posted;
  posted.post(job, 0, 7);
  sink& into = job[1];
  const std::array<std::byte, 64> payload{};
  testing::internal::CaptureStderr();
  for (const auto kind : {envelope_kind::announce, envelope_kind::fetched,
                          static_cast<envelope_kind>(3), static_cast<envelope_kind>(255)}) {
    into.arrived(0, envelope::make(0, 7, 0, kind, 8), payload.data());
    EXPECT_FALSE(over(*posted.op)) << static_cast<int>(kind);
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("rank 0 sent what is no message, of kind 1 and 8 bytes: dropped"),
            std::string::npos)
      << told;
  const std::uint64_t value = 11;
  into.arrived(0, envelope::make(0, 7, 0, envelope_kind::eager, sizeof value),
               reinterpret_cast<const std::byte*>(&value));
  ASSERT_TRUE(over(*posted.op)) << "others are delivered";
  EXPECT_EQ(posted.value, value);
  job[1].release(*posted.op);
}

}  // namespace
}  // namespace peal::test
