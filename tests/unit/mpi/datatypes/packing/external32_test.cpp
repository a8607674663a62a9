#include "mpi/datatypes/packing/external32.hpp"

#include <complex>

#include "../comparison.hpp"
#include "../expect_failure.hpp"

namespace {

using namespace peal::mpi;
using bytes = std::vector<unsigned char>;

template <class Value>
bytes packed(MPI_Datatype type, const std::vector<Value>& values) {
  const layout& of = datatype_of(type).type().layout();
  const auto count = static_cast<std::int64_t>(values.size());
  bytes stream(static_cast<std::size_t>(external_bytes_of(of, count)));
  pack_external(of, values.data(), count, stream.data());
  return stream;
}
template <class Value>
std::vector<Value> unpacked(MPI_Datatype type, const bytes& stream, std::size_t count) {
  std::vector<Value> values(count);
  unpack_external(datatype_of(type).type().layout(), values.data(),
                  static_cast<std::int64_t>(count), stream.data());
  return values;
}

TEST(external32, has_the_most_significant_byte_first) {
  EXPECT_EQ(packed<int>(MPI_INT, {0x01020304, -2}), (bytes{1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe}));
  EXPECT_EQ(packed<short>(MPI_SHORT, {0x0102}), (bytes{1, 2}));
  EXPECT_EQ(packed<double>(MPI_DOUBLE, {1.0}), (bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed<std::complex<float>>(MPI_C_FLOAT_COMPLEX, {{1.0F, -2.0F}}),
            (bytes{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
  EXPECT_EQ(packed<char>(MPI_CHAR, {'a', 'b'}), (bytes{'a', 'b'}));
}

TEST(external32, has_the_lengths_of_the_standard) {
  EXPECT_EQ(packed<long>(MPI_LONG, {-3}), (bytes{0xff, 0xff, 0xff, 0xfd}));
  EXPECT_EQ(packed<unsigned long>(MPI_UNSIGNED_LONG, {0xfffffff0UL}),
            (bytes{0xff, 0xff, 0xff, 0xf0}));
  EXPECT_EQ(packed<long long>(MPI_LONG_LONG, {-1}).size(), 8U);
  EXPECT_EQ(packed<wchar_t>(MPI_WCHAR, {L'\u20ac'}), (bytes{0x20, 0xac}));
  const bytes one = packed<long double>(MPI_LONG_DOUBLE, {1.0L});
  EXPECT_EQ(one, (bytes{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(external32, fails_for_a_number_that_has_no_room_there) {
  const auto class_packed = [](MPI_Datatype type, auto value) {
    return class_thrown([&] { (void)packed<decltype(value)>(type, {value}); });
  };
  EXPECT_EQ(class_packed(MPI_LONG, 0x7fffffffL), MPI_SUCCESS);
  EXPECT_EQ(class_packed(MPI_LONG, 0x80000000L), MPI_ERR_CONVERSION);
  EXPECT_EQ(class_packed(MPI_LONG, -0x80000001L), MPI_ERR_CONVERSION);
  EXPECT_EQ(class_packed(MPI_UNSIGNED_LONG, 0x100000000UL), MPI_ERR_CONVERSION);
  EXPECT_EQ(class_packed(MPI_WCHAR, L'\U0001f600'), MPI_ERR_CONVERSION);
}

TEST(external32, gives_back_what_was_packed) {
  const std::vector<long> longs{0, 1, -1, INT32_MAX, INT32_MIN};
  EXPECT_EQ(unpacked<long>(MPI_LONG, packed(MPI_LONG, longs), 5), longs);
  const std::vector<unsigned long> words{0, UINT32_MAX};
  EXPECT_EQ(unpacked<unsigned long>(MPI_UNSIGNED_LONG, packed(MPI_UNSIGNED_LONG, words), 2), words);
  const std::vector<long double> wide{1.0L / 3, -2e4000L, 0};
  EXPECT_EQ(unpacked<long double>(MPI_LONG_DOUBLE, packed(MPI_LONG_DOUBLE, wide), 3), wide);
}

TEST(external32, gives_back_nested_types) {
  model::random_types types{8};
  for (int round = 0; round != 100; ++round) {
    const model::modelled both = types.make(4);
    const layout& of = datatype_of(both.type).type().layout();
    model::memory from{both.map, 3}, to{both.map, 3}, wanted{both.map, 3};
    from.fill(1);
    to.fill(2);
    wanted.fill(2);
    bytes stream(static_cast<std::size_t>(external_bytes_of(of, 3)));
    pack_external(of, from.buffer(), 3, stream.data());
    unpack_external(of, to.buffer(), 3, stream.data());
    model::unpack(both.map, wanted, 3, model::pack(both.map, from, 3));
    ASSERT_TRUE(to.bytes() == wanted.bytes());
  }
}

}  // namespace
