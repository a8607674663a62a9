#include "mpi/datatypes/constructors/arrays.hpp"

#include <functional>

#include "../comparison.hpp"
#include "../expect_failure.hpp"

namespace {

using namespace peal::mpi;
using list = std::vector<std::int64_t>;
using ints = std::vector<int>;
using model::typemap;

const definition_pointer& type(MPI_Datatype handle) { return datatype_of(handle).shared; }

/// All elements of an array of ints of which `has(indices)` says that they are in.
typemap part_of_array(const list& sizes, int order, const std::function<bool(const list&)>& has) {
  typemap made;
  std::int64_t all = 1;
  for (const std::int64_t each : sizes) all *= each;
  for (std::int64_t element = 0; element != all; ++element) {
    list indices(sizes.size());
    std::int64_t rest = element;
    for (std::size_t each = 0; each != sizes.size(); ++each) {
      const std::size_t dimension = order == MPI_ORDER_C ? sizes.size() - 1 - each : each;
      indices[dimension] = rest % sizes[dimension];
      rest /= sizes[dimension];
    }
    if (has(indices)) made.add(model::basic_of<int>(), element * 4);
  }
  made.lower_marks = {0};
  made.upper_marks = {all * 4};
  return made;
}

TEST(arrays, subarray_is_a_box_of_the_array) {
  const list sizes{4, 6, 5}, subsizes{2, 3, 4}, starts{1, 3, 0};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    const auto made = make_subarray(form::small, sizes, subsizes, starts, order, type(MPI_INT));
    model::expect_same(*made, part_of_array(sizes, order, [&](const list& at) {
      for (std::size_t each = 0; each != 3; ++each)
        if (at[each] < starts[each] || at[each] >= starts[each] + subsizes[each]) return false;
      return true;
    }));
  }
}

TEST(arrays, subarray_fails_for_what_is_no_part_of_the_array) {
  const auto thrown = [](const list& sizes, const list& subsizes, const list& starts, int order) {
    return class_thrown(
        [&] { (void)make_subarray(form::small, sizes, subsizes, starts, order, type(MPI_INT)); });
  };
  EXPECT_EQ(thrown({5}, {3}, {2}, MPI_ORDER_C), MPI_SUCCESS);
  EXPECT_EQ(thrown({5}, {3}, {3}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({5}, {3}, {-1}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({5}, {6}, {0}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({5}, {0}, {0}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({0}, {0}, {0}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({5}, {3}, {2}, 0), MPI_ERR_ARG);
  EXPECT_EQ(thrown({}, {}, {}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(thrown({INT64_MAX / 2, 4}, {1, 1}, {0, 0}, MPI_ORDER_C), MPI_ERR_VALUE_TOO_LARGE);
}

/// Which process of a dimension has an index.
std::int64_t owner(std::int64_t index, std::int64_t size, int kind, int argument, int processes) {
  if (kind == MPI_DISTRIBUTE_NONE) return 0;
  std::int64_t block = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    block = kind == MPI_DISTRIBUTE_CYCLIC ? 1 : (size + processes - 1) / processes;
  return index / block % processes;
}

TEST(arrays, darray_is_what_a_process_has_of_a_distributed_array) {
  const int chosen = MPI_DISTRIBUTE_DFLT_DARG;
  const list sizes{5, 7, 4};
  const ints processes{2, 3, 1};
  const struct {
    ints kinds, arguments;
  } cases[] = {
      {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
       {chosen, chosen, chosen}},
      {{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, {2, 5, chosen}},
      {{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC}, {3, 2, 3}},
      {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC}, {5, 7, 9}},
  };
  for (const auto& [kinds, arguments] : cases)
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN})
      for (int rank = 0; rank != 6; ++rank) {
        const list place{rank / 3, rank % 3, 0};
        const auto made = make_darray(
            form::small, {6, rank, sizes, kinds, arguments, processes, order}, type(MPI_INT));
        model::expect_same(*made, part_of_array(sizes, order, [&](const list& at) {
          for (std::size_t each = 0; each != 3; ++each)
            if (owner(at[each], sizes[each], kinds[each], arguments[each], processes[each]) !=
                place[each])
              return false;
          return true;
        }));
      }
}

TEST(arrays, darray_fails_for_a_grid_that_does_not_fit) {
  const auto thrown = [](int size, int rank, const list& sizes, int kind, int argument,
                         int processes) {
    const ints kinds(sizes.size(), kind), arguments(sizes.size(), argument),
        grid(sizes.size(), processes);
    return class_thrown([&] {
      (void)make_darray(form::small, {size, rank, sizes, kinds, arguments, grid, MPI_ORDER_C},
                        type(MPI_INT));
    });
  };
  const int block = MPI_DISTRIBUTE_BLOCK, chosen = MPI_DISTRIBUTE_DFLT_DARG;
  EXPECT_EQ(thrown(2, 1, {9}, block, chosen, 2), MPI_SUCCESS);
  EXPECT_EQ(thrown(3, 1, {9}, block, chosen, 2), MPI_ERR_ARG);
  EXPECT_EQ(thrown(2, 2, {9}, block, chosen, 2), MPI_ERR_RANK);
  EXPECT_EQ(thrown(2, -1, {9}, block, chosen, 2), MPI_ERR_RANK);
  EXPECT_EQ(thrown(2, 1, {9}, block, 4, 2), MPI_ERR_ARG) << "8 of 9 elements";
  EXPECT_EQ(thrown(2, 1, {9}, MPI_DISTRIBUTE_CYCLIC, 0, 2), MPI_ERR_ARG);
  EXPECT_EQ(thrown(2, 1, {9}, MPI_DISTRIBUTE_NONE, chosen, 2), MPI_ERR_ARG);
  EXPECT_EQ(thrown(2, 1, {9}, 5, chosen, 2), MPI_ERR_ARG);
  EXPECT_EQ(thrown(2, 1, {0}, block, chosen, 2), MPI_ERR_ARG);
  EXPECT_EQ(thrown(0, 0, {9}, block, chosen, 0), MPI_ERR_ARG);
}

TEST(arrays, darray_of_huge_blocks_does_not_overflow) {
  const list sizes{INT64_MAX / 64};
  const ints kinds{MPI_DISTRIBUTE_CYCLIC}, arguments{INT32_MAX}, processes{INT32_MAX};
  const auto made = make_darray(
      form::large, {INT32_MAX, INT32_MAX - 1, sizes, kinds, arguments, processes, MPI_ORDER_C},
      type(MPI_CHAR));
  EXPECT_EQ(made->extent(), sizes[0]);
  EXPECT_LE(made->layout().true_upper, sizes[0]);
}

}  // namespace
