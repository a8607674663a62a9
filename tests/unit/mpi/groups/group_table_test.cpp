#include "mpi/groups/group_table.hpp"

#include <gtest/gtest.h>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(group_table, a_group_has_a_handle_until_it_is_removed) {
  const MPI_Group made = handle_of(group{{4, 2, 7}});
  EXPECT_EQ(group_of(made).world_ranks(), (std::vector<int>{4, 2, 7}));
  groups().remove(made);
  EXPECT_EQ(class_thrown_by([made] { (void)group_of(made); }), MPI_ERR_GROUP);
}

TEST(group_table, a_group_without_members_is_the_one_of_the_standard) {
  EXPECT_EQ(handle_of(group{}), MPI_GROUP_EMPTY);
  EXPECT_EQ(group_of(MPI_GROUP_EMPTY).size(), 0);
}

TEST(group_table, what_is_no_group_is_refused) {
  int local = 0;
  for (const MPI_Group wrong :
       {MPI_GROUP_NULL, MPI_Group{}, reinterpret_cast<MPI_Group>(MPI_COMM_WORLD),
        reinterpret_cast<MPI_Group>(MPI_INT), reinterpret_cast<MPI_Group>(&local)})
    EXPECT_EQ(class_thrown_by([wrong] { (void)group_of(wrong); }), MPI_ERR_GROUP);
}

}  // namespace
