#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace {

struct envelope {
  MPI_Count integers = -1, addresses = -1, large_counts = -1, types = -1;
  int combiner = 0;
  bool operator==(const envelope&) const = default;
};

envelope envelope_of(MPI_Datatype type) {
  envelope told;
  EXPECT_EQ(MPI_Type_get_envelope_c(type, &told.integers, &told.addresses, &told.large_counts,
                                    &told.types, &told.combiner),
            MPI_SUCCESS);
  return told;
}

struct contents {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Datatype> types;
};

contents contents_of(MPI_Datatype type) {
  const envelope sizes = envelope_of(type);
  contents told{std::vector<int>(static_cast<std::size_t>(sizes.integers)),
                std::vector<MPI_Aint>(static_cast<std::size_t>(sizes.addresses)),
                std::vector<MPI_Count>(static_cast<std::size_t>(sizes.large_counts)),
                std::vector<MPI_Datatype>(static_cast<std::size_t>(sizes.types))};
  EXPECT_EQ(MPI_Type_get_contents_c(type, sizes.integers, sizes.addresses, sizes.large_counts,
                                    sizes.types, told.integers.data(), told.addresses.data(),
                                    told.large_counts.data(), told.types.data()),
            MPI_SUCCESS);
  return told;
}

using ints = std::vector<int>;
using addresses = std::vector<MPI_Aint>;
using counts = std::vector<MPI_Count>;
using types = std::vector<MPI_Datatype>;

/// And frees it.
void expect_contents(MPI_Datatype type, int combiner, const ints& i, const addresses& a,
                     const counts& c, const types& t) {
  const contents told = contents_of(type);
  EXPECT_EQ(envelope_of(type).combiner, combiner);
  EXPECT_EQ(told.integers, i);
  EXPECT_EQ(told.addresses, a);
  EXPECT_EQ(told.large_counts, c);
  EXPECT_EQ(told.types, t);
  MPI_Type_free(&type);
}

TEST(datatype_contents, are_the_arguments_of_the_constructor) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int lengths[] = {2, 1}, displacements[] = {3, -5};
  const MPI_Aint places[] = {30, -50};
  const MPI_Datatype members[] = {MPI_INT, MPI_CHAR};
  MPI_Type_contiguous(3, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_CONTIGUOUS, {3}, {}, {}, {MPI_INT});
  MPI_Type_vector(3, 2, 4, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_VECTOR, {3, 2, 4}, {}, {}, {MPI_INT});
  MPI_Type_create_hvector(3, 2, 17, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_HVECTOR, {3, 2}, {17}, {}, {MPI_INT});
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_INDEXED, {2, 2, 1, 3, -5}, {}, {}, {MPI_INT});
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_HINDEXED, {2, 2, 1}, {30, -50}, {}, {MPI_INT});
  MPI_Type_create_indexed_block(2, 7, displacements, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_INDEXED_BLOCK, {2, 7, 3, -5}, {}, {}, {MPI_INT});
  MPI_Type_create_hindexed_block(2, 7, places, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_HINDEXED_BLOCK, {2, 7}, {30, -50}, {}, {MPI_INT});
  MPI_Type_create_struct(2, lengths, places, members, &made);
  expect_contents(made, MPI_COMBINER_STRUCT, {2, 2, 1}, {30, -50}, {}, {MPI_INT, MPI_CHAR});
  MPI_Type_create_resized(MPI_INT, -4, 20, &made);
  expect_contents(made, MPI_COMBINER_RESIZED, {}, {-4, 20}, {}, {MPI_INT});
  MPI_Type_dup(MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_DUP, {}, {}, {}, {MPI_INT});
}

TEST(datatype_contents, of_the_large_forms_are_large_counts) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const MPI_Count lengths[] = {2, 1}, displacements[] = {3, -5};
  const MPI_Datatype members[] = {MPI_INT, MPI_CHAR};
  MPI_Type_contiguous_c(3, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_CONTIGUOUS, {}, {}, {3}, {MPI_INT});
  MPI_Type_create_hvector_c(3, 2, 17, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_HVECTOR, {}, {}, {3, 2, 17}, {MPI_INT});
  MPI_Type_create_struct_c(2, lengths, displacements, members, &made);
  expect_contents(made, MPI_COMBINER_STRUCT, {}, {}, {2, 2, 1, 3, -5}, {MPI_INT, MPI_CHAR});
  MPI_Type_create_hindexed_block_c(2, 7, displacements, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_HINDEXED_BLOCK, {}, {}, {2, 7, 3, -5}, {MPI_INT});
}

TEST(datatype_contents, of_arrays_keep_numbers_that_are_no_counts) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int sizes[] = {6, 5}, subsizes[] = {2, 3}, starts[] = {1, 2},
            kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
            arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 2};
  const MPI_Count long_sizes[] = {6, 5}, long_subsizes[] = {2, 3}, long_starts[] = {1, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_SUBARRAY, {2, 6, 5, 2, 3, 1, 2, MPI_ORDER_C}, {}, {},
                  {MPI_INT});
  MPI_Type_create_subarray_c(2, long_sizes, long_subsizes, long_starts, MPI_ORDER_C, MPI_INT,
                             &made);
  expect_contents(made, MPI_COMBINER_SUBARRAY, {2, MPI_ORDER_C}, {}, {6, 5, 2, 3, 1, 2}, {MPI_INT});
  const ints rest{kinds[0], kinds[1], arguments[0], 2, 2, 2, MPI_ORDER_FORTRAN};
  ints all{4, 3, 2, 6, 5}, without_sizes{4, 3, 2};
  all.insert(all.end(), rest.begin(), rest.end());
  without_sizes.insert(without_sizes.end(), rest.begin(), rest.end());
  MPI_Type_create_darray(4, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &made);
  expect_contents(made, MPI_COMBINER_DARRAY, all, {}, {}, {MPI_INT});
  MPI_Type_create_darray_c(4, 3, 2, long_sizes, kinds, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT,
                           &made);
  expect_contents(made, MPI_COMBINER_DARRAY, without_sizes, {}, {6, 5}, {MPI_INT});
}

TEST(datatype_contents, tell_derived_types_by_new_handles) {
  MPI_Datatype inner = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Datatype freed = inner;
  EXPECT_EQ(MPI_Type_free(&freed), MPI_SUCCESS);
  const contents told = contents_of(outer);
  ASSERT_EQ(told.types.size(), 1U);
  EXPECT_NE(told.types[0], inner);
  expect_contents(told.types[0], MPI_COMBINER_VECTOR, {2, 1, 2}, {}, {}, {MPI_INT});
  EXPECT_EQ(contents_of(outer).integers, ints{2}) << "which are freed on their own";
  MPI_Type_free(&outer);
}

TEST(datatype_contents, of_predefined_types_are_not_told) {
  EXPECT_EQ(envelope_of(MPI_DOUBLE_INT), (envelope{0, 0, 0, 0, MPI_COMBINER_NAMED}));
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_get_contents(MPI_INT, 1, 1, 1, &integer, &address, &type), MPI_ERR_TYPE);
  ASSERT_EQ(MPI_Type_create_f90_real(7, 20, &type), MPI_SUCCESS);
  const contents told = contents_of(type);
  EXPECT_EQ(told.integers, (ints{7, 20}));
}

TEST(datatype_contents, that_need_large_counts_are_not_told_without) {
  MPI_Datatype made = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  int integer = 0, combiner = 0;
  MPI_Aint address = 0;
  MPI_Type_contiguous_c(3, MPI_INT, &made);
  EXPECT_EQ(MPI_Type_get_envelope(made, &integer, &integer, &integer, &combiner), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_get_contents(made, 1, 1, 1, &integer, &address, &type), MPI_ERR_TYPE);
  MPI_Type_free(&made);
  MPI_Type_contiguous(3, MPI_INT, &made);
  EXPECT_EQ(MPI_Type_get_envelope(made, &integer, &integer, &integer, &combiner), MPI_SUCCESS);
  EXPECT_EQ(combiner, MPI_COMBINER_CONTIGUOUS);
  EXPECT_EQ(MPI_Type_get_contents(made, 0, 0, 1, &integer, &address, &type), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_contents(made, 1, 0, 0, &integer, &address, &type), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_contents(made, 1, 0, 1, &integer, nullptr, &type), MPI_SUCCESS);
  EXPECT_EQ(integer, 3);
  EXPECT_EQ(type, MPI_INT);
  MPI_Type_free(&made);
}

}  // namespace
