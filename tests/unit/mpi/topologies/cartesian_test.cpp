#include "mpi/topologies/cartesian.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;
using ints = std::vector<int>;

TEST(cartesian, ranks_are_counted_row_by_row) {
  const ints dims{2, 3, 4}, periods{0, 0, 0};
  const cartesian grid{dims, periods};
  EXPECT_EQ(grid.size(), 24);
  int rank = 0;
  for (int x = 0; x != 2; ++x)
    for (int y = 0; y != 3; ++y)
      for (int z = 0; z != 4; ++z, ++rank) {
        EXPECT_EQ(grid.coordinates(rank), (ints{x, y, z}));
        EXPECT_EQ(grid.rank_at(ints{x, y, z}), rank);
      }
}

TEST(cartesian, coordinates_of_periodic_dimensions_wrap_round) {
  const cartesian grid{ints{3, 4}, ints{5, 0}};
  EXPECT_EQ(grid.periods(), (ints{1, 0}));
  EXPECT_EQ(grid.rank_at(ints{-1, 2}), grid.rank_at(ints{2, 2}));
  EXPECT_EQ(grid.rank_at(ints{7, 2}), grid.rank_at(ints{1, 2}));
  EXPECT_EQ(grid.rank_at(ints{std::numeric_limits<int>::min(), 0}), grid.rank_at(ints{1, 0}));
  EXPECT_EQ(class_thrown_by([&] { (void)grid.rank_at(ints{0, 4}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([&] { (void)grid.rank_at(ints{0, -1}); }), MPI_ERR_ARG);
}

TEST(cartesian, a_shift_of_one_rank_meets_that_of_the_other) {
  std::mt19937 random{6};
  for (int round = 0; round != 200; ++round) {
    ints dims, periods;
    for (unsigned each = 0, count = 1 + random() % 4; each != count; ++each) {
      dims.push_back(static_cast<int>(1 + random() % 4));
      periods.push_back(static_cast<int>(random() % 2));
    }
    const cartesian grid{dims, periods};
    const int direction = static_cast<int>(random() % dims.size());
    const int by = static_cast<int>(random() % 15) - 7;
    for (int rank = 0; rank != grid.size(); ++rank) {
      const auto near = grid.shift(rank, direction, by);
      ints at = grid.coordinates(rank);
      int& along = at[static_cast<std::size_t>(direction)];
      along += by;
      const int extent = dims[static_cast<std::size_t>(direction)];
      const bool beyond = along < 0 || along >= extent;
      if (periods[static_cast<std::size_t>(direction)] == 0 && beyond) {
        EXPECT_EQ(near.destination, MPI_PROC_NULL);
      } else {
        EXPECT_EQ(near.destination, grid.rank_at(at));
        EXPECT_EQ(grid.shift(near.destination, direction, by).source, rank);
      }
    }
  }
}

TEST(cartesian, the_longest_shifts_do_not_overflow) {
  const cartesian ring{ints{3}, ints{1}}, row{ints{3}, ints{0}};
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  EXPECT_EQ(ring.shift(2, 0, least).destination, 0);  // -2^31 is 1 more than a multiple of 3
  EXPECT_EQ(ring.shift(2, 0, least).source, 1);
  EXPECT_EQ(ring.shift(2, 0, most).destination, 0);
  EXPECT_EQ(row.shift(2, 0, least).source, MPI_PROC_NULL);
  EXPECT_EQ(row.shift(2, 0, most).destination, MPI_PROC_NULL);
}

TEST(cartesian, parts_are_the_ranks_that_differ_in_kept_dimensions_alone) {
  const cartesian grid{ints{2, 3, 4}, ints{1, 0, 1}};
  const ints kept{0, 1, 1};
  const cartesian part = grid.part(kept);
  EXPECT_EQ(part.dims(), (ints{3, 4}));
  EXPECT_EQ(part.periods(), (ints{0, 1}));
  for (int rank = 0; rank != grid.size(); ++rank)
    for (int other = 0; other != grid.size(); ++other)
      EXPECT_EQ(grid.part_of(rank, kept) == grid.part_of(other, kept), rank / 12 == other / 12);
  EXPECT_EQ(grid.part(ints{0, 0, 0}).size(), 1);
  EXPECT_EQ(grid.part(ints{0, 0, 0}).dimensions(), 0);
}

TEST(cartesian, what_is_no_grid_and_no_rank_of_it_is_refused) {
  EXPECT_EQ(class_thrown_by([] { (void)cartesian{ints{2, 0}, ints{0, 0}}; }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)cartesian{ints{-2}, ints{0}}; }), MPI_ERR_DIMS);
  EXPECT_EQ(
      class_thrown_by([] { (void)cartesian{ints{1 << 20, 1 << 20, 1 << 30}, ints{0, 0, 0}}; }),
      MPI_ERR_DIMS);
  const cartesian grid{ints{2, 2}, ints{0, 0}};
  EXPECT_EQ(class_thrown_by([&] { (void)grid.coordinates(4); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)grid.coordinates(-1); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)grid.shift(0, 2, 1); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([&] { (void)grid.shift(0, -1, 1); }), MPI_ERR_DIMS);
}

TEST(cartesian, a_grid_of_no_dimension_has_one_rank) {
  const cartesian grid{ints{}, ints{}};
  EXPECT_EQ(grid.size(), 1);
  EXPECT_TRUE(grid.coordinates(0).empty());
  EXPECT_EQ(grid.rank_at(ints{}), 0);
}

}  // namespace
