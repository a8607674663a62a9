#include "mpi/datatypes/packing/packing.hpp"

#include "../comparison.hpp"

namespace {

using namespace peal::mpi;
using model::expect_same;
using model::modelled;
using model::random_types;

class nested_types : public testing::TestWithParam<int> {};

TEST_P(nested_types, pack_as_their_typemaps_say) {
  random_types types{static_cast<std::uint32_t>(GetParam())};
  for (int each = 0; each != 40; ++each) {
    modelled both = types.make(static_cast<int>(types.between(1, 5)));
    SCOPED_TRACE(each);
    expect_same(both);
    if (testing::Test::HasFailure()) return;
    if (!datatype_of(both.type).is_predefined()) MPI_Type_free(&both.type);
  }
}
INSTANTIATE_TEST_SUITE_P(seeds, nested_types, testing::Range(0, 8));

TEST(packing, begins_anywhere_and_ends_where_the_room_does) {
  random_types types{77};
  for (int round = 0; round != 200; ++round) {
    modelled both = types.make(4);
    const definition& type = datatype_of(both.type).type();
    const std::int64_t count = types.between(1, 6), bytes = type.size() * count;
    if (bytes == 0) continue;
    model::memory from{both.map, count};
    from.fill(3);
    const std::vector<std::byte> all = model::pack(both.map, from, count);
    for (int each = 0; each != 20; ++each) {
      const std::int64_t position = types.between(0, bytes);
      const auto room = static_cast<std::size_t>(types.between(0, bytes + 3));
      const std::size_t wanted = std::min(room, static_cast<std::size_t>(bytes - position));
      std::vector<std::byte> part(room + 1, std::byte{0x11});
      ASSERT_EQ(pack(type.plan(), from.buffer(), count, position, part.data(), room), wanted);
      ASSERT_TRUE(std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(wanted),
                             all.begin() + position));
      ASSERT_EQ(part[wanted], std::byte{0x11}) << "more was written than was told";
    }
  }
}

TEST(packing, moves_no_byte_of_an_empty_type) {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(0, MPI_INT, &empty), MPI_SUCCESS);
  char byte = 'x';
  EXPECT_EQ(pack(datatype_of(empty).type().plan(), nullptr, 1000, 0, &byte, 1), 0U);
  EXPECT_EQ(unpack(datatype_of(empty).type().plan(), nullptr, 1000, 0, &byte, 1), 0U);
  EXPECT_EQ(byte, 'x');
  MPI_Type_free(&empty);
}

TEST(packing, takes_pieces_of_every_length) {
  for (int length = 1; length != 80; ++length) {
    modelled both;
    both.map = model::hvector(5, length, length + 3, model::basic_of<char>());
    ASSERT_EQ(MPI_Type_create_hvector(5, length, length + 3, MPI_CHAR, &both.type), MPI_SUCCESS);
    expect_same(both);
    MPI_Type_free(&both.type);
  }
}

/// The blocks of `count` of them at `data`, and the type is gone.
peal::detail::strided_blocks blocks_once(MPI_Datatype type, const void* data, int count) {
  const auto made = blocks_of(datatype_of(type).type().plan(), data, count);
  MPI_Type_free(&type);
  return made;
}

TEST(blocks, are_found_where_they_have_one_length_and_distance) {
  std::vector<std::byte> memory(4096);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 3, 10, MPI_DOUBLE, &type);
  auto found = blocks_once(type, memory.data(), 1);
  EXPECT_EQ(found.first, memory.data());
  EXPECT_EQ(found.length, 24U);
  EXPECT_EQ(found.stride, 80U);
  // Rows of a matrix, behind its first two rows and three columns.
  const int outer[] = {9, 20}, inner[] = {4, 7}, start[] = {2, 3};
  MPI_Type_create_subarray(2, outer, inner, start, MPI_ORDER_C, MPI_INT, &type);
  found = blocks_once(type, memory.data(), 1);
  EXPECT_EQ(found.first, memory.data() + (2 * 20 + 3) * 4);
  EXPECT_EQ(found.length, 28U);
  EXPECT_EQ(found.stride, 80U);
  // Several whose own distance is another.
  MPI_Type_create_resized(MPI_DOUBLE, 0, 64, &type);
  found = blocks_once(type, memory.data(), 6);
  EXPECT_EQ(found.length, 8U);
  EXPECT_EQ(found.stride, 64U);
}

TEST(blocks, are_not_found_in_other_layouts) {
  std::vector<std::byte> memory(4096);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 3, 10, MPI_DOUBLE, &type);
  EXPECT_EQ(blocks_once(type, memory.data(), 0).length, 0U) << "none";
  MPI_Type_vector(5, 3, 10, MPI_DOUBLE, &type);
  EXPECT_EQ(blocks_once(type, memory.data(), 2).length, 0U)
      << "the first block of the second lies right behind the last of the first";
  const int lengths[] = {3, 4}, at[] = {0, 9};
  MPI_Type_indexed(2, lengths, at, MPI_DOUBLE, &type);
  EXPECT_EQ(blocks_once(type, memory.data(), 1).length, 0U) << "of two lengths";
  MPI_Type_create_hvector(3, 1, -16, MPI_DOUBLE, &type);
  EXPECT_EQ(blocks_once(type, memory.data() + 64, 1).length, 0U) << "backwards";
  MPI_Type_create_hvector(3, 2, 8, MPI_DOUBLE, &type);
  EXPECT_EQ(blocks_once(type, memory.data(), 1).length, 0U) << "over each other";
  const int outer[] = {4, 9, 20}, inner[] = {2, 4, 7}, start[] = {1, 2, 3};
  MPI_Type_create_subarray(3, outer, inner, start, MPI_ORDER_C, MPI_INT, &type);
  EXPECT_EQ(blocks_once(type, memory.data(), 1).length, 0U) << "rows of planes";
}

}  // namespace
