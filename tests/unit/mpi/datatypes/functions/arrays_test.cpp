#include "../comparison.hpp"

namespace {

using namespace peal::mpi;

TEST(array_functions, of_both_forms_make_the_same) {
  const int sizes[] = {6, 5}, subsizes[] = {2, 3}, starts[] = {1, 2};
  const MPI_Count long_sizes[] = {6, 5}, long_subsizes[] = {2, 3}, long_starts[] = {1, 2};
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
            arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, processes[] = {2, 2};
  model::typemap box = model::resized(model::hvector(2, 3, 20, model::basic_of<int>()), 0, 120);
  for (model::element& each : box.elements) each.displacement += 28;
  MPI_Datatype small = MPI_DATATYPE_NULL, large = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &small),
            MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_subarray_c(2, long_sizes, long_subsizes, long_starts, MPI_ORDER_C,
                                       MPI_INT, &large),
            MPI_SUCCESS);
  model::expect_same({small, box});
  model::expect_same({large, box});
  MPI_Type_free(&small);
  MPI_Type_free(&large);
  ASSERT_EQ(MPI_Type_create_darray(4, 0, 2, sizes, kinds, arguments, processes, MPI_ORDER_C,
                                   MPI_INT, &small),
            MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_darray_c(4, 0, 2, long_sizes, kinds, arguments, processes, MPI_ORDER_C,
                                     MPI_INT, &large),
            MPI_SUCCESS);
  // Rows 0 to 2, columns 0, 1 and 4.
  model::typemap share;
  for (const int row : {0, 1, 2})
    for (const int column : {0, 1, 4}) share.add(model::basic_of<int>(), (5 * row + column) * 4);
  share = model::resized(share, 0, 120);
  model::expect_same({small, share});
  model::expect_same({large, share});
  MPI_Type_free(&small);
  MPI_Type_free(&large);
}

TEST(array_functions, fail_with_the_class_of_the_wrong_argument) {
  const int sizes[] = {6}, kinds[] = {MPI_DISTRIBUTE_BLOCK}, chosen[] = {MPI_DISTRIBUTE_DFLT_DARG},
            one[] = {1}, zero[] = {0};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const auto subarray = [&](int dimensions, const int* list, MPI_Datatype old) {
    return MPI_Type_create_subarray(dimensions, list, one, zero, MPI_ORDER_C, old, &made);
  };
  EXPECT_EQ(subarray(0, sizes, MPI_INT), MPI_ERR_ARG);
  EXPECT_EQ(subarray(-1, sizes, MPI_INT), MPI_ERR_ARG);
  EXPECT_EQ(subarray(1, nullptr, MPI_INT), MPI_ERR_ARG);
  EXPECT_EQ(subarray(1, sizes, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
  const auto darray = [&](int dimensions, int rank, const int* distributions) {
    return MPI_Type_create_darray(1, rank, dimensions, sizes, distributions, chosen, one,
                                  MPI_ORDER_C, MPI_INT, &made);
  };
  EXPECT_EQ(darray(0, 0, kinds), MPI_ERR_ARG);
  EXPECT_EQ(darray(1, 1, kinds), MPI_ERR_RANK);
  EXPECT_EQ(darray(1, 0, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(made, MPI_DATATYPE_NULL);
}

}  // namespace
