#include "mpi/datatypes/datatype.hpp"

#include <gtest/gtest.h>

#include "expect_failure.hpp"
#include "mpi/datatypes/constructors/constructors.hpp"

namespace {

using namespace peal::mpi;

int class_of_handle(std::uintptr_t handle) {
  return class_thrown([&] { (void)datatype_of(reinterpret_cast<MPI_Datatype>(handle)); });
}

TEST(datatype, is_found_by_its_handle_until_it_is_freed) {
  const MPI_Datatype made =
      add_datatype(make_contiguous(form::small, 3, datatype_of(MPI_INT).shared));
  EXPECT_EQ(datatype_of(made).type().size(), 12);
  EXPECT_EQ(class_thrown([&] { (void)committed_datatype_of(made); }), MPI_ERR_TYPE);
  datatype_of(made).committed = true;
  EXPECT_EQ(&committed_datatype_of(made), &datatype_of(made));
  datatypes().remove(made);
  EXPECT_EQ(class_thrown([&] { (void)datatype_of(made); }), MPI_ERR_TYPE);
}

TEST(datatype, is_none_of_what_is_no_handle) {
  for (const std::uintptr_t each :
       {0x0UL, 0x200UL, 0x101UL, 0x2caUL, 0x3ffUL, 0x400UL, 0x1234UL, 0xdeadbeefUL, ~0UL})
    EXPECT_EQ(class_of_handle(each), MPI_ERR_TYPE) << each;
  EXPECT_EQ(class_of_handle(0x209), MPI_SUCCESS);
}

TEST(datatype, outlives_those_it_was_made_of) {
  const MPI_Datatype inner =
      add_datatype(make_vector(form::small, 2, 1, 2, datatype_of(MPI_INT).shared));
  const MPI_Datatype outer =
      add_datatype(make_contiguous(form::small, 2, datatype_of(inner).shared));
  datatypes().remove(inner);
  EXPECT_EQ(datatype_of(outer).type().plan().size(), 16);
  EXPECT_EQ(datatype_of(outer).type().made_with().types[0]->size(), 8);
  datatypes().remove(outer);
}

}  // namespace
