#include "mpi/environment/process_set.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "unit/mpi/support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(process_set, case_of_names_does_not_matter) {
  EXPECT_EQ(process_set_of("mpi://WORLD"), process_set::world);
  EXPECT_EQ(process_set_of("MPI://world"), process_set::world);
  EXPECT_EQ(process_set_of("mpi://self"), process_set::self);
}

TEST(process_set, what_is_no_set_is_refused) {
  EXPECT_EQ(class_thrown_by([] { (void)process_set_of("mpi://nobody"); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { (void)process_set_of(nullptr); }), MPI_ERR_ARG);
  EXPECT_FALSE(process_set_named("").has_value());
}

}  // namespace
