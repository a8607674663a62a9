#include "collective/kernels/join_order.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "unit/collective/model.hpp"

namespace {

using namespace peal;
using test::compose;
using test::map;

std::string by_pairs(int ranks) {
  return join_by_pairs(
      ranks, [](int rank) { return std::to_string(rank); },
      [](const std::string& lower, const std::string& higher, int) {
        return "(" + lower + " " + higher + ")";
      });
}

TEST(join_order, by_pairs_is_the_order_of_halving) {
  EXPECT_EQ(by_pairs(1), "0");
  EXPECT_EQ(by_pairs(2), "(0 1)");
  EXPECT_EQ(by_pairs(3), "((0 1) 2)");
  EXPECT_EQ(by_pairs(4), "((0 1) (2 3))");
  EXPECT_EQ(by_pairs(5), "(((0 1) 2) (3 4))");
  EXPECT_EQ(by_pairs(6), "(((0 1) (2 3)) (4 5))");
  EXPECT_EQ(by_pairs(7), "(((0 1) (2 3)) ((4 5) 6))");
  EXPECT_EQ(by_pairs(8), "(((0 1) (2 3)) ((4 5) (6 7)))");
}

// The rooms are enough, no sum is lost in them, and the result may lie where any operand does.
TEST(join_order, joins_all_operands_in_order_and_in_place) {
  for (const auto kind : {detail::collective::allreduce, detail::collective::scan})
    for (int ranks = 2; ranks <= most_ranks_with_rooms; ++ranks)
      for (int own = -1; own != (joins_left_to_right(kind) ? 0 : ranks); ++own) {
        std::mt19937 random{static_cast<unsigned>(ranks)};
        std::vector<map> given(static_cast<std::size_t>(ranks));
        for (map& each : given)
          each = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
        map wanted = given[0], apart{};
        for (std::size_t rank = 1; rank != given.size(); ++rank)
          wanted = compose(wanted, given[rank]);
        map* const result = own < 0 ? &apart : &given[static_cast<std::size_t>(own)];
        const std::vector<map> before = given;
        std::vector<map> rooms(most_rooms);
        int joins = 0;
        join_in_order(
            kind, ranks,
            [&](int rank) {
              return reinterpret_cast<std::byte*>(&given[static_cast<std::size_t>(rank)]);
            },
            reinterpret_cast<std::byte*>(result), reinterpret_cast<std::byte*>(rooms.data()),
            sizeof(map),
            [&](const std::byte* lower, const std::byte* higher, std::byte* to) {
              map one, two;
              std::memcpy(&one, lower, sizeof one);
              std::memcpy(&two, higher, sizeof two);
              one = compose(one, two);
              std::memcpy(to, &one, sizeof one);
              ++joins;
            });
        EXPECT_EQ(*result, wanted) << ranks << " ranks, result at " << own;
        EXPECT_EQ(joins, ranks - 1);
        for (std::size_t rank = 0; rank != given.size(); ++rank) {
          if (static_cast<int>(rank) != own) {
            EXPECT_EQ(given[rank], before[rank]) << "written over";
          }
        }
      }
}

}  // namespace
