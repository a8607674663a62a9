#include "mpi/datatypes/constructors/predefined.hpp"

#include <gtest/gtest.h>

#include <complex>

namespace {

using namespace peal::mpi;
using peal::detail::scalar;

struct double_int {
  double value;
  int index;
};
struct short_int {
  short value;
  int index;
};
struct long_double_int {
  long double value;
  int index;
};

TEST(predefined, types_have_the_sizes_of_c_and_of_gfortran) {
  const struct {
    MPI_Datatype type;
    std::size_t size, alignment;
  } rows[] = {{MPI_CHAR, 1, 1},
              {MPI_INT, sizeof(int), alignof(int)},
              {MPI_LONG, sizeof(long), alignof(long)},
              {MPI_LONG_DOUBLE, sizeof(long double), alignof(long double)},
              {MPI_WCHAR, sizeof(wchar_t), alignof(wchar_t)},
              {MPI_C_DOUBLE_COMPLEX, sizeof(std::complex<double>), alignof(std::complex<double>)},
              {MPI_C_BOOL, 1, 1},
              {MPI_LOGICAL, 4, 4},
              {MPI_REAL, 4, 4},
              {MPI_DOUBLE_COMPLEX, 16, 8},
              {MPI_INTEGER16, 16, 16},
              {MPI_COMPLEX8, 8, 4},
              {MPI_REAL16, 16, 16},
              {MPI_COMPLEX32, 32, 16}};
  for (const auto& [type, size, alignment] : rows) {
    const definition& made = datatype_of(type).type();
    EXPECT_EQ(made.size(), static_cast<std::int64_t>(size)) << datatype_of(type).name;
    EXPECT_EQ(made.layout().alignment, static_cast<std::int64_t>(alignment))
        << datatype_of(type).name;
    EXPECT_EQ(made.predefined(), type);
    EXPECT_TRUE(datatype_of(type).committed);
  }
}

TEST(predefined, handles_of_the_abi_are_all_there) {
  int found = 0;
  for (std::uintptr_t each = 0x200; each != 0x400; ++each)
    if (datatypes().find(reinterpret_cast<MPI_Datatype>(each)) != nullptr) ++found;
  EXPECT_EQ(found, 68) << "of the 71 handles one is null, and two types do not exist here";
  EXPECT_TRUE(is_missing(MPI_REAL2));
  EXPECT_TRUE(is_missing(MPI_COMPLEX4));
  EXPECT_FALSE(is_missing(MPI_REAL4));
}

TEST(predefined, pairs_have_the_layout_of_a_struct) {
  const auto expect_pair = [](MPI_Datatype type, std::size_t offset, std::size_t extent,
                              scalar value) {
    const definition& made = datatype_of(type).type();
    ASSERT_NE(made.pair(), nullptr);
    EXPECT_EQ(made.pair()->index_offset, static_cast<std::int64_t>(offset));
    EXPECT_EQ(made.pair()->value->scalar, value);
    EXPECT_EQ(made.extent(), static_cast<std::int64_t>(extent));
    EXPECT_EQ(made.basic(), nullptr);
  };
  expect_pair(MPI_DOUBLE_INT, offsetof(double_int, index), sizeof(double_int), scalar::f64);
  expect_pair(MPI_SHORT_INT, offsetof(short_int, index), sizeof(short_int), scalar::i16);
  expect_pair(MPI_LONG_DOUBLE_INT, offsetof(long_double_int, index), sizeof(long_double_int),
              scalar::f80);
  expect_pair(MPI_2REAL, 4, 8, scalar::f32);
  expect_pair(MPI_2INT, 4, 8, scalar::i32);
  EXPECT_EQ(datatype_of(MPI_2REAL).type().pair()->index->scalar, scalar::f32);
  EXPECT_EQ(datatype_of(MPI_INT).type().pair(), nullptr);
}

TEST(predefined, numbers_tell_what_can_be_computed_with_them) {
  const auto basic = [](MPI_Datatype type) { return *datatype_of(type).type().basic(); };
  EXPECT_EQ(basic(MPI_INT).scalar, scalar::i32);
  EXPECT_EQ(basic(MPI_UNSIGNED_LONG).scalar, scalar::u64);
  EXPECT_EQ(basic(MPI_LONG_DOUBLE).scalar, scalar::f80);
  EXPECT_EQ(basic(MPI_C_FLOAT_COMPLEX).scalar, scalar::c64);
  EXPECT_EQ(basic(MPI_C_FLOAT_COMPLEX).known, domain::complex);
  EXPECT_EQ(basic(MPI_LOGICAL).known, domain::logical);
  EXPECT_EQ(basic(MPI_LOGICAL).scalar, scalar::i32);
  EXPECT_EQ(basic(MPI_CXX_BOOL).scalar, scalar::boolean);
  EXPECT_EQ(basic(MPI_BYTE).known, domain::byte);
  EXPECT_EQ(basic(MPI_CHAR).scalar, scalar::i8);
  for (const MPI_Datatype each : {MPI_WCHAR, MPI_CHARACTER, MPI_PACKED})
    EXPECT_EQ(basic(each).known, domain::none);
  EXPECT_EQ(basic(MPI_REAL16).scalar, scalar::opaque);
}

}  // namespace
