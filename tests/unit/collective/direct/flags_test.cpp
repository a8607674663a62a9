#include "collective/direct/flags.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/collective/direct/ranks_in_threads.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using test::shared_block;

constexpr std::uint32_t kind = 3;

std::vector<std::byte> bytes_of(std::size_t count, int seed) {
  std::vector<std::byte> made(count);
  for (std::size_t i = 0; i != count; ++i)
    made[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed) * 13 + 1);
  return made;
}

TEST(direct_flags, a_payload_of_any_length_is_read_where_it_was_stamped) {
  shared_block memory{2};
  flags writer{*memory, 0, 2}, reader{*memory, 1, 2};
  for (std::size_t bytes = 0; bytes <= area_bytes;
       bytes = bytes < 130 ? bytes + 1 : bytes * 2 + 1) {
    const auto data = bytes_of(bytes, static_cast<int>(bytes));
    writer.next();
    reader.next();
    ASSERT_TRUE(writer.has_room(bytes)) << bytes;
    EXPECT_FALSE(reader.has_come(0));
    writer.stamp(kind, data.data(), bytes);
    ASSERT_TRUE(reader.has_come(0));
    EXPECT_EQ(flags::bytes_in(reader.stamp_of(0)), bytes);
    EXPECT_EQ(flags::kind_in(reader.stamp_of(0)), kind);
    if (bytes != 0) {
      EXPECT_EQ(std::memcmp(reader.payload_of(0), data.data(), bytes), 0) << bytes;
    }
    ASSERT_TRUE(reader.has_room(0));
    reader.stamp(kind, nullptr, 0);
    ASSERT_TRUE(writer.has_come(1));
  }
}

TEST(direct_flags, who_shares_the_core_of_a_rank_that_waits_is_missed) {
  shared_block memory{3};
  flags one{*memory, 0, 3}, two{*memory, 1, 3}, three{*memory, 2, 3};
  for (flags* const each : {&one, &two, &three}) each->next();
  constexpr std::uint32_t nowhere_here = 4000;
  EXPECT_TRUE(one.misses_some_on(nowhere_here)) << "nobody has told where it runs";
  const std::uint32_t here = two.note_core();
  ASSERT_NE(here, 0u);
  EXPECT_TRUE(one.misses_some_on(nowhere_here)) << "the third has not";
  three.stamp(kind, nullptr, 0);
  EXPECT_FALSE(one.misses_some_on(nowhere_here)) << "the third has come";
  EXPECT_TRUE(one.misses_some_on(here));
  two.stamp(kind, nullptr, 0);
  EXPECT_FALSE(one.misses_some_on(here));
}

TEST(direct_flags, nobody_gets_further_ahead_than_there_are_lines) {
  shared_block memory{3};
  flags fast{*memory, 0, 3}, slow{*memory, 1, 3}, third{*memory, 2, 3};
  const auto step = [](flags& each) {
    each.next();
    if (!each.has_room(0)) return false;
    each.stamp(kind, nullptr, 0);
    return true;
  };
  // A rank that has not stamped its first operation yet may still read nothing but that one.
  for (std::uint32_t i = 0; i != depth - 1; ++i) {
    ASSERT_TRUE(step(fast)) << i;
    ASSERT_TRUE(step(third)) << i;
  }
  EXPECT_FALSE(step(fast));
  ASSERT_TRUE(step(slow));
  EXPECT_TRUE(fast.has_room(0)) << "of the same operation, asked again";
}

TEST(direct_flags, an_area_is_written_again_only_when_all_have_read_it) {
  shared_block memory{3};
  flags writer{*memory, 0, 3}, one{*memory, 1, 3}, other{*memory, 2, 3};
  const auto listen = [](flags& each) {
    each.next();
    ASSERT_TRUE(each.has_room(0));
    each.stamp(kind, nullptr, 0);
  };
  std::vector<std::vector<std::byte>> sent;
  for (std::uint32_t i = 0; i != areas; ++i) {
    sent.push_back(bytes_of(1000, static_cast<int>(i)));
    writer.next();
    ASSERT_TRUE(writer.has_room(1000));
    writer.stamp(kind, sent.back().data(), 1000);
  }
  writer.next();
  EXPECT_FALSE(writer.has_room(1000));
  EXPECT_TRUE(writer.has_room(line_payload)) << "the lines are more";
  listen(one);
  listen(other);
  EXPECT_FALSE(writer.has_room(1000)) << "they have come, and may still read";
  listen(one);
  EXPECT_FALSE(writer.has_room(1000));
  EXPECT_EQ(std::memcmp(other.payload_of(0), sent[0].data(), 1000), 0);
  listen(other);
  EXPECT_TRUE(writer.has_room(1000));
  EXPECT_EQ(std::memcmp(other.payload_of(0), sent[1].data(), 1000), 0);
}

TEST(direct_flags, what_one_rank_reads_waits_for_all_only_where_it_writes_over_what_was_for_all) {
  shared_block memory{3};
  flags writer{*memory, 0, 3}, reader{*memory, 1, 3}, far{*memory, 2, 3};
  const auto give = [](flags& each) { each.stamp_area(kind, 1000, true, false); };
  const auto listen = [](flags& each) {
    each.next();
    each.stamp(kind, nullptr, 0);
  };
  writer.next();
  ASSERT_TRUE(writer.has_room(1000));
  give(writer);  // for all
  listen(reader);
  listen(far);
  writer.next();
  writer.to_one();
  ASSERT_TRUE(writer.has_room_for_one(1)) << "there is a second area";
  give(writer);
  listen(reader);
  writer.next();
  EXPECT_FALSE(writer.has_room_for_one(1)) << "one has not read what was for all";
  listen(far);
  ASSERT_TRUE(writer.has_room_for_one(1));
  give(writer);
  writer.next();
  EXPECT_FALSE(writer.has_room_for_one(1)) << "the reader has not read";
  listen(reader);
  EXPECT_TRUE(writer.has_room_for_one(1)) << "the other one need not";
  EXPECT_FALSE(writer.has_room(1000)) << "for all it does";
}

TEST(direct_flags, an_area_that_was_not_used_for_ages_needs_what_a_line_needs) {
  const std::uint64_t written = 5 * one_operation;
  for (std::uint64_t later = depth; later != 0; later <<= 1) {
    const std::uint64_t now = written + later * one_operation;
    if (later * one_operation / one_operation != later) break;
    EXPECT_EQ(flags::needs(now, written), now - (depth - 1) * one_operation) << later;
  }
  EXPECT_EQ(flags::needs(written + 2 * one_operation, written), written + one_operation);
  EXPECT_EQ(flags::needs(one_operation, 0 - one_operation), 0u)
      << "nobody has stamped anything yet";
}

TEST(direct_flags, all_have_come_goes_on_where_it_stopped) {
  shared_block memory{4};
  std::vector<flags> ranks;
  for (int rank = 0; rank != 4; ++rank) ranks.emplace_back(*memory, rank, 4);
  const auto come = [&](std::size_t rank) {
    ranks[rank].next();
    ASSERT_TRUE(ranks[rank].has_room(0));
    ranks[rank].stamp(kind, nullptr, 0);
  };
  come(1);
  int next = 0;
  EXPECT_FALSE(ranks[1].all_have_come(next));
  EXPECT_EQ(next, 0);
  come(0);
  come(3);
  EXPECT_FALSE(ranks[1].all_have_come(next));
  EXPECT_EQ(next, 2);
  come(2);
  EXPECT_TRUE(ranks[1].all_have_come(next));
}

}  // namespace
