#include <gtest/gtest.h>
#include <mpi.h>

#include <climits>
#include <cstring>

namespace {

struct column {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  column() {
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
  ~column() { MPI_Type_free(&type); }
};

TEST(packing_functions, go_on_where_the_position_is) {
  const column every_second;
  const int numbers[] = {1, 2, 3, 4, 5}, more[] = {9};
  char stream[16];
  int position = 0, size = 0;
  ASSERT_EQ(MPI_Pack_size(1, every_second.type, MPI_COMM_SELF, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 12);
  ASSERT_EQ(MPI_Pack(numbers, 1, every_second.type, stream, 16, &position, MPI_COMM_SELF),
            MPI_SUCCESS);
  EXPECT_EQ(position, 12);
  ASSERT_EQ(MPI_Pack(more, 1, MPI_INT, stream, 16, &position, MPI_COMM_SELF), MPI_SUCCESS);
  int plain[4], wanted[] = {1, 3, 5, 9};
  std::memcpy(plain, stream, sizeof plain);
  EXPECT_EQ(std::memcmp(plain, wanted, sizeof plain), 0);
  MPI_Count long_position = 0;
  int back[5] = {};
  ASSERT_EQ(MPI_Unpack_c(stream, 16, &long_position, back, 1, every_second.type, MPI_COMM_SELF),
            MPI_SUCCESS);
  EXPECT_EQ(long_position, 12);
  const int spread[] = {1, 0, 3, 0, 5};
  EXPECT_EQ(std::memcmp(back, spread, sizeof back), 0);
}

TEST(packing_functions, take_addresses_from_the_bottom_of_memory) {
  int number = 77, back = 0, length = 1;
  MPI_Aint address = 0;
  MPI_Datatype absolute = MPI_DATATYPE_NULL;
  MPI_Get_address(&number, &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  int position = 0;
  EXPECT_EQ(MPI_Pack(MPI_BOTTOM, 1, absolute, &back, 4, &position, MPI_COMM_SELF), MPI_SUCCESS);
  EXPECT_EQ(back, 77);
  MPI_Type_free(&absolute);
}

TEST(packing_functions, fail_with_the_class_of_the_wrong_argument) {
  int numbers[4] = {}, position = 0, size = 0;
  char stream[16];
  MPI_Datatype raw = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &raw);
  const auto packed = [&](const void* data, int count, MPI_Datatype type, void* to, int room,
                          int from, MPI_Comm comm) {
    position = from;
    const int result = MPI_Pack(data, count, type, to, room, &position, comm);
    EXPECT_EQ(position, from) << "it fails, and nothing moves on";
    return result;
  };
  const MPI_Comm self = MPI_COMM_SELF;
  EXPECT_EQ(packed(numbers, 0, MPI_INT, stream, 16, 16, self), MPI_SUCCESS);
  EXPECT_EQ(packed(numbers, -1, MPI_INT, stream, 16, 0, self), MPI_ERR_COUNT);
  EXPECT_EQ(packed(numbers, 1, MPI_DATATYPE_NULL, stream, 16, 0, self), MPI_ERR_TYPE);
  EXPECT_EQ(packed(numbers, 1, raw, stream, 16, 0, self), MPI_ERR_TYPE) << "not committed";
  EXPECT_EQ(packed(numbers, 1, MPI_INT, stream, -1, 0, self), MPI_ERR_ARG);
  EXPECT_EQ(packed(numbers, 1, MPI_INT, stream, 16, 17, self), MPI_ERR_ARG);
  EXPECT_EQ(packed(numbers, 1, MPI_INT, stream, 16, -1, self), MPI_ERR_ARG);
  EXPECT_EQ(packed(numbers, 1, MPI_INT, stream, 16, 13, self), MPI_ERR_TRUNCATE);
  EXPECT_EQ(packed(numbers, 1, MPI_INT, nullptr, 16, 0, self), MPI_ERR_BUFFER);
  EXPECT_EQ(packed(nullptr, 1, MPI_INT, stream, 16, 0, self), MPI_ERR_BUFFER);
  EXPECT_EQ(packed(numbers, 1, MPI_INT, stream, 16, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Pack(numbers, 1, MPI_INT, stream, 16, nullptr, self), MPI_ERR_ARG);
  position = 14;
  EXPECT_EQ(MPI_Unpack(stream, 16, &position, numbers, 1, MPI_INT, self), MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Pack_size(-1, MPI_INT, self, &size), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Pack_size(INT_MAX, MPI_INT, self, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_UNDEFINED) << "no int has room for it";
  MPI_Type_free(&raw);
}

TEST(packing_functions, know_external32) {
  const column every_second;
  const int numbers[] = {1, 2, 3, 4, 5};
  unsigned char stream[12];
  MPI_Aint position = 0, size = 0;
  ASSERT_EQ(MPI_Pack_external_size("external32", 1, every_second.type, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 12);
  ASSERT_EQ(MPI_Pack_external("external32", numbers, 1, every_second.type, stream, 12, &position),
            MPI_SUCCESS);
  EXPECT_EQ(position, 12);
  EXPECT_EQ(stream[3], 1);
  EXPECT_EQ(stream[11], 5);
  int back[5] = {};
  MPI_Count long_position = 0;
  ASSERT_EQ(
      MPI_Unpack_external_c("external32", stream, 12, &long_position, back, 1, every_second.type),
      MPI_SUCCESS);
  EXPECT_EQ(back[4], 5);
  EXPECT_EQ(MPI_Pack_external("external32", numbers, 1, MPI_INT, stream, 12, &position),
            MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Pack_external("native", numbers, 1, MPI_INT, stream, 12, &position),
            MPI_ERR_UNSUPPORTED_DATAREP);
  EXPECT_EQ(MPI_Pack_external_size(nullptr, 1, MPI_INT, &size), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pack_external_size("external32", -1, MPI_INT, &size), MPI_ERR_COUNT);
}

}  // namespace
