#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "../support/modelled_objects.hpp"
#include "mpi/groups/group_table.hpp"

namespace {

using peal::mpi::group;
using peal::mpi::group_of;
using peal::mpi::handle_of;
using ranks = std::vector<int>;

class set_calls : public testing::Test {
 protected:
  ~set_calls() override {
    MPI_Group_free(&one_);
    MPI_Group_free(&other_);
  }
  /// The members of a group that a test has made; gives it back.
  static ranks taken(MPI_Group made) {
    const ranks members = group_of(made).world_ranks();
    EXPECT_EQ(MPI_Group_free(&made), MPI_SUCCESS);
    return members;
  }

  peal::mpi::modelled_objects objects_;
  MPI_Group one_ = handle_of(group{{4, 0, 7}});
  MPI_Group other_ = handle_of(group{{7, 2, 4}});
  MPI_Group made_ = MPI_GROUP_NULL;
};

TEST_F(set_calls, make_groups_of_two) {
  EXPECT_EQ(MPI_Group_union(one_, other_, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{4, 0, 7, 2}));
  EXPECT_EQ(MPI_Group_intersection(one_, other_, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{4, 7}));
  EXPECT_EQ(MPI_Group_difference(one_, other_, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{0}));
  EXPECT_EQ(MPI_Group_difference(one_, one_, &made_), MPI_SUCCESS);
  EXPECT_EQ(made_, MPI_GROUP_EMPTY);
  EXPECT_EQ(MPI_Group_union(MPI_GROUP_EMPTY, other_, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{7, 2, 4}));
}

TEST_F(set_calls, make_groups_of_lists) {
  const int list[] = {2, 0};
  EXPECT_EQ(MPI_Group_incl(one_, 2, list, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{7, 4}));
  EXPECT_EQ(MPI_Group_excl(one_, 2, list, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{0}));
  EXPECT_EQ(MPI_Group_incl(one_, 0, nullptr, &made_), MPI_SUCCESS);
  EXPECT_EQ(made_, MPI_GROUP_EMPTY);
  EXPECT_EQ(MPI_Group_excl(one_, 0, nullptr, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{4, 0, 7}));
}

TEST_F(set_calls, make_groups_of_ranges) {
  int ranges[][3] = {{2, 0, -2}};
  EXPECT_EQ(MPI_Group_range_incl(one_, 1, ranges, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{7, 4}));
  EXPECT_EQ(MPI_Group_range_excl(one_, 1, ranges, &made_), MPI_SUCCESS);
  EXPECT_EQ(taken(made_), (ranks{0}));
  int twice[][3] = {{0, 2, 1}, {1, 1, 1}};
  EXPECT_EQ(MPI_Group_range_incl(one_, 2, twice, &made_), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_range_excl(one_, 2, twice, &made_), MPI_ERR_RANK);
}

TEST_F(set_calls, refuse_wrong_arguments) {
  const int list[] = {0, 1};
  EXPECT_EQ(MPI_Group_union(MPI_GROUP_NULL, other_, &made_), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_union(one_, MPI_GROUP_NULL, &made_), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_union(one_, other_, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_incl(one_, -1, list, &made_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_incl(one_, 2, nullptr, &made_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_incl(one_, 2, list, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_excl(MPI_GROUP_NULL, 2, list, &made_), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_incl(MPI_GROUP_EMPTY, 1, list, &made_), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_range_incl(one_, 1, nullptr, &made_), MPI_ERR_ARG);
  EXPECT_EQ(made_, MPI_GROUP_NULL) << "none was made";
}

}  // namespace
