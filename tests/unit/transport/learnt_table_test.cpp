// The rows that peal-info reads: one a communicator and shape, given up with the communicator.
#include "transport/learnt_table.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace peal;

constexpr std::uint64_t algorithms = 17;

learnt_facts facts_of(std::uint32_t context, std::uint8_t length) {
  return {.context = context, .ranks = 4, .kind = 3, .length = length, .commutative = 1, .ways = 2};
}

/// Zero, as the segment is.
std::unique_ptr<learnt_table> empty_table() { return std::make_unique<learnt_table>(); }

std::size_t used(const learnt_table& of) {
  std::size_t count = 0;
  for (const learnt_row& each : of.rows()) count += each.facts.ranks != 0 ? 1U : 0U;
  return count;
}

TEST(learnt_table, has_nothing_at_first) {
  const auto table = empty_table();
  EXPECT_EQ(used(*table), 0U);
  EXPECT_EQ(table->algorithms(), 0U);
  EXPECT_FALSE(table->left_out());
}

TEST(learnt_table, what_is_put_again_takes_the_place_of_what_was_there) {
  const auto table = empty_table();
  table->put(facts_of(0, 10), algorithms);
  learnt_facts later = facts_of(0, 10);
  later.best = 1;
  table->put(later, algorithms);
  ASSERT_EQ(used(*table), 1U);
  EXPECT_EQ(table->rows()[0].facts.best, 1);
  EXPECT_EQ(table->algorithms(), algorithms);
}

TEST(learnt_table, whatever_tells_shapes_apart_has_a_row_of_its_own) {
  const auto table = empty_table();
  table->put(facts_of(0, 10), algorithms);
  table->put(facts_of(0, 11), algorithms);
  table->put(facts_of(8, 10), algorithms);
  learnt_facts other = facts_of(0, 10);
  other.kind = 4;
  table->put(other, algorithms);
  other = facts_of(0, 10);
  other.in_order = 1;
  table->put(other, algorithms);
  other = facts_of(0, 10);
  other.commutative = 0;
  table->put(other, algorithms);
  EXPECT_EQ(used(*table), 6U);
}

TEST(learnt_table, a_communicator_that_is_gone_leaves_its_rows_to_others) {
  const auto table = empty_table();
  for (std::uint8_t length = 1; length != 6; ++length) {
    table->put(facts_of(8, length), algorithms);
    table->put(facts_of(16, length), algorithms);
  }
  table->remove(8);
  EXPECT_EQ(used(*table), 5U);
  for (const learnt_row& each : table->rows()) EXPECT_NE(each.facts.context, 8U);
  for (std::uint32_t context = 24; used(*table) != learnt_table::most_rows; context += 8)
    table->put(facts_of(context, 1), algorithms);
  EXPECT_FALSE(table->left_out());
  table->put(facts_of(16, 30), algorithms);
  EXPECT_TRUE(table->left_out());
  EXPECT_EQ(used(*table), learnt_table::most_rows);
}

TEST(learnt_table, each_change_counts_two_so_that_an_odd_count_is_a_row_being_written) {
  const auto table = empty_table();
  for (std::uint32_t change = 1; change != 5; ++change) {
    table->put(facts_of(0, 10), algorithms);
    EXPECT_EQ(table->rows()[0].changes.load(), 2 * change);
  }
  table->remove(0);
  EXPECT_EQ(table->rows()[0].changes.load(), 10U);
}

}  // namespace
