#include "mpi/attributes/predefined_attributes.hpp"

#include <gtest/gtest.h>

#include "../support/modelled_objects.hpp"
#include "mpi/errors/error_codes.hpp"

namespace {

using namespace peal::mpi;

TEST(predefined_attributes, have_the_values_of_this_library) {
  EXPECT_GE(**predefined_attribute(MPI_TAG_UB), 32767) << "the standard's least";
  EXPECT_EQ(**predefined_attribute(MPI_HOST), MPI_PROC_NULL);
  EXPECT_EQ(**predefined_attribute(MPI_IO), MPI_ANY_SOURCE);
  EXPECT_EQ(**predefined_attribute(MPI_WTIME_IS_GLOBAL), 0);
  EXPECT_EQ(**predefined_attribute(MPI_UNIVERSE_SIZE), modelled_size);
}

TEST(predefined_attributes, the_last_used_code_grows_with_those_added) {
  const int before = **predefined_attribute(MPI_LASTUSEDCODE);
  EXPECT_GE(before, static_cast<int>(MPI_ERR_LASTCODE));
  const int added = add_error_class();
  EXPECT_EQ(**predefined_attribute(MPI_LASTUSEDCODE), added);
  remove_error_class(added);
}

TEST(predefined_attributes, the_number_of_the_application_is_there_once_known) {
  EXPECT_EQ(predefined_attribute(MPI_APPNUM), std::optional<int*>{nullptr});
  set_application_number(3);
  EXPECT_EQ(**predefined_attribute(MPI_APPNUM), 3);
}

TEST(predefined_attributes, others_are_none) {
  EXPECT_FALSE(predefined_attribute(MPI_KEYVAL_INVALID));
  EXPECT_FALSE(predefined_attribute(MPI_WIN_BASE));
  EXPECT_FALSE(predefined_attribute(1024));
}

}  // namespace
