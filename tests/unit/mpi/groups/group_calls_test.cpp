#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "../support/modelled_objects.hpp"
#include "mpi/groups/group_table.hpp"

namespace {

using peal::mpi::group;
using peal::mpi::handle_of;
using peal::mpi::modelled_rank;
using peal::mpi::modelled_size;
using ranks = std::vector<int>;

class group_calls : public testing::Test {
 protected:
  peal::mpi::modelled_objects objects_;
};

TEST_F(group_calls, tell_size_and_rank) {
  MPI_Group with = handle_of(group{{3, modelled_rank, 1}}), other = handle_of(group{{3, 1}});
  int size = 0, rank = 0;
  EXPECT_EQ(MPI_Group_size(with, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 3);
  EXPECT_EQ(MPI_Group_rank(with, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(MPI_Group_rank(other, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Group_rank(MPI_GROUP_EMPTY, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, MPI_UNDEFINED);
  MPI_Group_free(&with);
  MPI_Group_free(&other);
}

TEST_F(group_calls, translate_ranks_from_group_to_group) {
  MPI_Group from = handle_of(group{{3, 8, 1, 9}}), to = handle_of(group{{9, 1, 4}});
  const ranks asked{0, 3, MPI_PROC_NULL, 2, 3};
  ranks told(asked.size());
  EXPECT_EQ(MPI_Group_translate_ranks(from, 5, asked.data(), to, told.data()), MPI_SUCCESS);
  EXPECT_EQ(told, (ranks{MPI_UNDEFINED, 0, MPI_PROC_NULL, 1, 0}));
  EXPECT_EQ(MPI_Group_translate_ranks(from, 0, nullptr, to, nullptr), MPI_SUCCESS);
  const int wrong = 4;
  EXPECT_EQ(MPI_Group_translate_ranks(from, 1, &wrong, to, told.data()), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_translate_ranks(from, -1, &wrong, to, told.data()), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_translate_ranks(from, 1, nullptr, to, told.data()), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_translate_ranks(from, 1, &wrong, MPI_GROUP_NULL, told.data()), MPI_ERR_GROUP);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
}

TEST_F(group_calls, compare_groups) {
  MPI_Group one = handle_of(group{{3, 8, 1}}), other = handle_of(group{{1, 8, 3}});
  int result = 0;
  EXPECT_EQ(MPI_Group_compare(one, other, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_SIMILAR);
  EXPECT_EQ(MPI_Group_compare(one, one, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_IDENT);
  EXPECT_EQ(MPI_Group_compare(one, MPI_GROUP_EMPTY, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_UNEQUAL);
  MPI_Group_free(&one);
  MPI_Group_free(&other);
}

TEST_F(group_calls, a_freed_group_is_none) {
  MPI_Group made = handle_of(group{{3, 8, 1}});
  MPI_Group copy = made;
  EXPECT_EQ(MPI_Group_free(&made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_GROUP_NULL);
  int size = 0;
  EXPECT_EQ(MPI_Group_size(copy, &size), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_free(&copy), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_free(&made), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Group_free(nullptr), MPI_ERR_ARG);
}

TEST_F(group_calls, the_empty_group_outlives_its_being_freed) {
  MPI_Group empty = MPI_GROUP_EMPTY;
  EXPECT_EQ(MPI_Group_free(&empty), MPI_SUCCESS);
  EXPECT_EQ(empty, MPI_GROUP_NULL);
  int size = -1;
  EXPECT_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 0);
}

TEST_F(group_calls, the_process_sets_of_a_session_are_groups) {
  objects_.session.errhandler = MPI_ERRORS_RETURN;
  MPI_Group made = MPI_GROUP_NULL;
  EXPECT_EQ(MPI_Group_from_session_pset(objects_.session_handle, "mpi://WORLD", &made),
            MPI_SUCCESS);
  EXPECT_EQ(peal::mpi::group_of(made), group::first_ranks(modelled_size));
  MPI_Group_free(&made);
  EXPECT_EQ(MPI_Group_from_session_pset(objects_.session_handle, "mpi://self", &made), MPI_SUCCESS);
  EXPECT_EQ(peal::mpi::group_of(made).world_ranks(), ranks{modelled_rank});
  MPI_Group_free(&made);
  EXPECT_EQ(MPI_Group_from_session_pset(objects_.session_handle, "mpi://ALL", &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_from_session_pset(MPI_SESSION_NULL, "mpi://WORLD", &made), MPI_ERR_SESSION);
}

}  // namespace
