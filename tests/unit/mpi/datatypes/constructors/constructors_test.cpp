#include "mpi/datatypes/constructors/constructors.hpp"

#include "../comparison.hpp"
#include "../expect_failure.hpp"

namespace {

using namespace peal::mpi;
using list = std::vector<std::int64_t>;
using model::expect_same;
using model::typemap;

const definition_pointer& type(MPI_Datatype handle) { return datatype_of(handle).shared; }

/// {double, char} with 16 bytes of extent, and its typemap.
struct padded {
  definition_pointer made =
      make_struct(form::small, list{1, 1}, list{0, 8}, {type(MPI_DOUBLE), type(MPI_CHAR)});
  typemap map = [] {
    typemap of = model::basic_of<double>();
    of.add(model::basic_of<char>(), 8);
    return of;
  }();
};

TEST(constructors, contiguous_puts_one_behind_the_other) {
  const padded old;
  for (const int count : {0, 1, 2, 9}) {
    typemap wanted;
    wanted.add_block(old.map, count, 0);
    expect_same(*make_contiguous(form::small, count, old.made), wanted);
  }
}

TEST(constructors, vector_counts_its_stride_in_extents) {
  const padded old;
  for (const int stride : {-3, -1, 0, 1, 2, 5})
    for (const int length : {0, 1, 3})
      expect_same(*make_vector(form::small, 4, length, stride, old.made),
                  model::hvector(4, length, stride * 16, old.map));
}

TEST(constructors, hvector_counts_its_stride_in_bytes) {
  const padded old;
  for (const int stride : {-50, -8, 0, 9, 48, 100})
    expect_same(*make_hvector(form::small, 4, 3, stride, old.made),
                model::hvector(4, 3, stride, old.map));
}

TEST(constructors, indexed_ones_put_blocks_where_they_are_told) {
  const padded old;
  const list lengths{2, 0, 1, 3}, displacements{5, 100, -4, 0};
  typemap by_extents, by_bytes, blocks, blocks_by_bytes;
  for (std::size_t each = 0; each != 4; ++each) {
    by_extents.add_block(old.map, lengths[each], displacements[each] * 16);
    by_bytes.add_block(old.map, lengths[each], displacements[each]);
    blocks.add_block(old.map, 2, displacements[each] * 16);
    blocks_by_bytes.add_block(old.map, 2, displacements[each]);
  }
  expect_same(*make_indexed(form::small, lengths, displacements, old.made), by_extents);
  expect_same(*make_hindexed(form::small, lengths, displacements, old.made), by_bytes);
  expect_same(*make_indexed_block(form::small, 2, displacements, old.made), blocks);
  expect_same(*make_hindexed_block(form::small, 2, displacements, old.made), blocks_by_bytes);
}

TEST(constructors, struct_has_members_of_several_types) {
  const padded old;
  typemap wanted;
  wanted.add_block(model::basic_of<short>(), 3, 40);
  wanted.add_block(old.map, 2, 0);
  wanted.add_block(model::basic_of<char>(), 1, -7);
  expect_same(*make_struct(form::small, list{3, 2, 0, 1}, list{40, 0, 1000, -7},
                           {type(MPI_SHORT), old.made, type(MPI_INT), type(MPI_CHAR)}),
              wanted);
}

TEST(constructors, resized_has_the_bounds_it_is_given) {
  const padded old;
  expect_same(*make_resized(form::small, -8, 40, old.made), model::resized(old.map, -8, 40));
  expect_same(*make_resized(form::small, 4, -24, old.made), model::resized(old.map, 4, -24));
  expect_same(*make_dup(make_resized(form::small, 0, 32, old.made)),
              model::resized(old.map, 0, 32));
}

TEST(constructors, with_counts_of_zero_make_empty_types) {
  for (const definition_pointer& each :
       {make_contiguous(form::small, 0, type(MPI_INT)),
        make_vector(form::small, 0, 5, 7, type(MPI_INT)),
        make_vector(form::small, 5, 0, 7, type(MPI_INT)),
        make_indexed(form::small, {}, {}, type(MPI_INT)),
        make_indexed(form::small, list{0, 0}, list{3, 4}, type(MPI_INT)),
        make_hindexed_block(form::small, 0, list{3, 4}, type(MPI_INT)),
        make_struct(form::small, {}, {}, {})})
    expect_same(*each, {});
}

TEST(constructors, fail_with_the_class_of_the_wrong_argument) {
  const definition_pointer& old = type(MPI_INT);
  const auto thrown = [](auto make, auto... arguments) {
    return class_thrown([&] { (void)make(form::small, arguments...); });
  };
  EXPECT_EQ(thrown(make_contiguous, -1, old), MPI_ERR_COUNT);
  EXPECT_EQ(thrown(make_vector, -1, 1, 1, old), MPI_ERR_COUNT);
  EXPECT_EQ(thrown(make_hvector, 1, -1, 1, old), MPI_ERR_ARG);
  EXPECT_EQ(thrown(make_indexed, list{1, -1}, list{0, 0}, old), MPI_ERR_ARG);
  EXPECT_EQ(thrown(make_hindexed_block, -2, list{0}, old), MPI_ERR_ARG);
  EXPECT_EQ(thrown(make_contiguous, INT64_MAX / 2, old), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(thrown(make_vector, 2, 1, INT64_MAX / 2, old), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(thrown(make_indexed_block, 1, list{INT64_MIN / 2}, old), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(thrown(make_hindexed, list{1, 1}, list{INT64_MIN, INT64_MAX - 4}, old),
            MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(thrown(make_resized, INT64_MAX, 1, old), MPI_ERR_VALUE_TOO_LARGE);
}

}  // namespace
