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

}  // namespace
