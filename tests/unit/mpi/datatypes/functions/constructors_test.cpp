// The constructors as a program calls them.
#include "../comparison.hpp"

namespace {

using namespace peal::mpi;
using model::typemap;

const MPI_Datatype no_handle = reinterpret_cast<MPI_Datatype>(0x12345678);

/// Compares what both forms made, and frees it.
void expect_both(MPI_Datatype small, MPI_Datatype large, const typemap& wanted) {
  model::expect_same({small, wanted});
  model::expect_same({large, wanted});
  EXPECT_EQ(MPI_Type_free(&small), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&large), MPI_SUCCESS);
}

TEST(constructor_functions, of_both_forms_make_the_same) {
  const typemap number = model::basic_of<int>();
  MPI_Datatype small = MPI_DATATYPE_NULL, large = MPI_DATATYPE_NULL;
  typemap wanted;
  wanted.add_block(number, 3, 0);
  ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous_c(3, MPI_INT, &large), MPI_SUCCESS);
  expect_both(small, large, wanted);
  ASSERT_EQ(MPI_Type_vector(3, 2, 4, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_vector_c(3, 2, 4, MPI_INT, &large), MPI_SUCCESS);
  expect_both(small, large, model::hvector(3, 2, 16, number));
  ASSERT_EQ(MPI_Type_create_hvector(3, 2, 17, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_hvector_c(3, 2, 17, MPI_INT, &large), MPI_SUCCESS);
  expect_both(small, large, model::hvector(3, 2, 17, number));
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, -4, 20, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_resized_c(MPI_INT, -4, 20, &large), MPI_SUCCESS);
  expect_both(small, large, model::resized(number, -4, 20));
}

TEST(constructor_functions, with_lists_of_both_forms_make_the_same) {
  const typemap number = model::basic_of<int>();
  const int lengths[] = {2, 1}, displacements[] = {3, -5};
  const MPI_Count long_lengths[] = {2, 1}, long_displacements[] = {3, -5};
  const MPI_Aint addresses[] = {3, -5};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  MPI_Datatype small = MPI_DATATYPE_NULL, large = MPI_DATATYPE_NULL;
  typemap by_extents, by_bytes, blocks, blocks_by_bytes;
  for (int each = 0; each != 2; ++each) {
    by_extents.add_block(number, lengths[each], displacements[each] * 4);
    by_bytes.add_block(number, lengths[each], displacements[each]);
    blocks.add_block(number, 2, displacements[each] * 4);
    blocks_by_bytes.add_block(number, 2, displacements[each]);
  }
  ASSERT_EQ(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_indexed_c(2, long_lengths, long_displacements, MPI_INT, &large), MPI_SUCCESS);
  expect_both(small, large, by_extents);
  ASSERT_EQ(MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_hindexed_c(2, long_lengths, long_displacements, MPI_INT, &large),
            MPI_SUCCESS);
  expect_both(small, large, by_bytes);
  ASSERT_EQ(MPI_Type_create_indexed_block(2, 2, displacements, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_indexed_block_c(2, 2, long_displacements, MPI_INT, &large),
            MPI_SUCCESS);
  expect_both(small, large, blocks);
  ASSERT_EQ(MPI_Type_create_hindexed_block(2, 2, addresses, MPI_INT, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_hindexed_block_c(2, 2, long_displacements, MPI_INT, &large),
            MPI_SUCCESS);
  expect_both(small, large, blocks_by_bytes);
  ASSERT_EQ(MPI_Type_create_struct(2, lengths, addresses, types, &small), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_struct_c(2, long_lengths, long_displacements, types, &large),
            MPI_SUCCESS);
  expect_both(small, large, by_bytes);
}

TEST(constructor_functions, fail_with_the_class_of_the_wrong_argument) {
  MPI_Datatype made = MPI_INT;
  const int one[] = {1};
  const MPI_Aint zero[] = {0};
  const MPI_Datatype wrong[] = {no_handle};
  EXPECT_EQ(MPI_Type_contiguous(-1, MPI_INT, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_contiguous(1, no_handle, &made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_contiguous(1, MPI_REAL2, &made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_contiguous(1, MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed(-1, one, one, MPI_INT, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_indexed(1, nullptr, one, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed(1, one, nullptr, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_struct(1, one, zero, wrong, &made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_create_struct(1, one, zero, nullptr, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_struct(-1, one, zero, wrong, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_create_hindexed_block(1, -1, zero, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_vector_c(INT64_MAX, 1, 1, MPI_INT, &made), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(made, MPI_INT) << "what fails tells no handle";
}

TEST(constructor_functions, of_empty_lists_take_null_pointers) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_struct(0, nullptr, nullptr, nullptr, &made), MPI_SUCCESS);
  model::expect_same({made, {}});
  MPI_Type_free(&made);
}

}  // namespace
