#include "mpi/datatypes/constructors/predefined.hpp"

#include <cwchar>

namespace peal::mpi {

namespace {

using detail::scalar;

struct basic_row {
  MPI_Datatype handle;
  const char* name;
  basic_type type;
};
struct pair_row {
  MPI_Datatype handle;
  const char* name;
  MPI_Datatype value;
  MPI_Datatype index;
};

#define PEAL_ROW(name, ...) {name, #name, __VA_ARGS__}

const std::vector<basic_row>& basic_rows() {
  constexpr basic_type character = without_operations(integer<char>());
  constexpr basic_type float_complex = complex_of(float_number, scalar::c64);
  constexpr basic_type double_complex = complex_of(double_number, scalar::c128);
  constexpr basic_type long_double_complex = complex_of(long_double_number, scalar::opaque);
  constexpr basic_type boolean = number<bool>(domain::logical, scalar::boolean);
  static const std::vector<basic_row> rows = {
      PEAL_ROW(MPI_AINT, integer<MPI_Aint>()),
      PEAL_ROW(MPI_COUNT, integer<MPI_Count>()),
      PEAL_ROW(MPI_OFFSET, integer<MPI_Offset>()),
      PEAL_ROW(MPI_PACKED, without_operations(integer<unsigned char>())),
      PEAL_ROW(MPI_SHORT, integer<short>()),
      PEAL_ROW(MPI_INT, integer<int>()),
      PEAL_ROW(MPI_LONG, integer_as<long>(4)),
      PEAL_ROW(MPI_LONG_LONG, integer<long long>()),
      PEAL_ROW(MPI_UNSIGNED_SHORT, integer<unsigned short>()),
      PEAL_ROW(MPI_UNSIGNED, integer<unsigned>()),
      PEAL_ROW(MPI_UNSIGNED_LONG, integer_as<unsigned long>(4)),
      PEAL_ROW(MPI_UNSIGNED_LONG_LONG, integer<unsigned long long>()),
      PEAL_ROW(MPI_FLOAT, float_number),
      PEAL_ROW(MPI_C_FLOAT_COMPLEX, float_complex),
      PEAL_ROW(MPI_CXX_FLOAT_COMPLEX, float_complex),
      PEAL_ROW(MPI_DOUBLE, double_number),
      PEAL_ROW(MPI_C_DOUBLE_COMPLEX, double_complex),
      PEAL_ROW(MPI_CXX_DOUBLE_COMPLEX, double_complex),
      PEAL_ROW(MPI_LOGICAL, logical<std::int32_t>()),
      PEAL_ROW(MPI_INTEGER, integer<std::int32_t>()),
      PEAL_ROW(MPI_REAL, float_number),
      PEAL_ROW(MPI_COMPLEX, float_complex),
      PEAL_ROW(MPI_DOUBLE_PRECISION, double_number),
      PEAL_ROW(MPI_DOUBLE_COMPLEX, double_complex),
      PEAL_ROW(MPI_CHARACTER, character),
      PEAL_ROW(MPI_LONG_DOUBLE, long_double_number),
      PEAL_ROW(MPI_C_LONG_DOUBLE_COMPLEX, long_double_complex),
      PEAL_ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, long_double_complex),
      PEAL_ROW(MPI_C_BOOL, boolean),
      PEAL_ROW(MPI_CXX_BOOL, boolean),
      PEAL_ROW(MPI_WCHAR, without_operations(integer_as<wchar_t>(2))),
      PEAL_ROW(MPI_INT8_T, integer<std::int8_t>()),
      PEAL_ROW(MPI_UINT8_T, integer<std::uint8_t>()),
      // The standard has no operations for it, and programs use them all the same.
      PEAL_ROW(MPI_CHAR, integer<char>()),
      PEAL_ROW(MPI_SIGNED_CHAR, integer<signed char>()),
      PEAL_ROW(MPI_UNSIGNED_CHAR, integer<unsigned char>()),
      PEAL_ROW(MPI_BYTE, number<std::uint8_t>(domain::byte, scalar::u8)),
      PEAL_ROW(MPI_INT16_T, integer<std::int16_t>()),
      PEAL_ROW(MPI_UINT16_T, integer<std::uint16_t>()),
      PEAL_ROW(MPI_INT32_T, integer<std::int32_t>()),
      PEAL_ROW(MPI_UINT32_T, integer<std::uint32_t>()),
      PEAL_ROW(MPI_INT64_T, integer<std::int64_t>()),
      PEAL_ROW(MPI_UINT64_T, integer<std::uint64_t>()),
      PEAL_ROW(MPI_LOGICAL1, logical<std::int8_t>()),
      PEAL_ROW(MPI_INTEGER1, integer<std::int8_t>()),
      PEAL_ROW(MPI_LOGICAL2, logical<std::int16_t>()),
      PEAL_ROW(MPI_INTEGER2, integer<std::int16_t>()),
      PEAL_ROW(MPI_LOGICAL4, logical<std::int32_t>()),
      PEAL_ROW(MPI_INTEGER4, integer<std::int32_t>()),
      PEAL_ROW(MPI_REAL4, float_number),
      PEAL_ROW(MPI_LOGICAL8, logical<std::int64_t>()),
      PEAL_ROW(MPI_INTEGER8, integer<std::int64_t>()),
      PEAL_ROW(MPI_REAL8, double_number),
      PEAL_ROW(MPI_COMPLEX8, float_complex),
      PEAL_ROW(MPI_LOGICAL16, logical<wide_integer>()),
      PEAL_ROW(MPI_INTEGER16, integer<wide_integer>()),
      PEAL_ROW(MPI_REAL16, quad_number),
      PEAL_ROW(MPI_COMPLEX16, double_complex),
      PEAL_ROW(MPI_COMPLEX32, complex_of(quad_number, scalar::opaque)),
  };
  return rows;
}

const std::vector<pair_row>& pair_rows() {
  static const std::vector<pair_row> rows = {
      PEAL_ROW(MPI_FLOAT_INT, MPI_FLOAT, MPI_INT),
      PEAL_ROW(MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT),
      PEAL_ROW(MPI_LONG_INT, MPI_LONG, MPI_INT),
      PEAL_ROW(MPI_2INT, MPI_INT, MPI_INT),
      PEAL_ROW(MPI_SHORT_INT, MPI_SHORT, MPI_INT),
      PEAL_ROW(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT),
      PEAL_ROW(MPI_2REAL, MPI_REAL, MPI_REAL),
      PEAL_ROW(MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION),
      PEAL_ROW(MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER),
  };
  return rows;
}

#undef PEAL_ROW

void add(datatype_table& table, MPI_Datatype handle, const char* name,
         std::unique_ptr<definition> made) {
  made->set_predefined(handle);
  // Both stay until the process ends, so that nobody needs to count who uses them.
  auto object =
      std::make_unique<datatype>(definition_pointer{definition_pointer{}, made.release()});
  object->name = name;
  object->committed = true;
  (void)object->type().plan();
  table.set(handle, *object.release());
}

}  // namespace

void add_predefined(datatype_table& table) {
  for (const basic_row& each : basic_rows())
    add(table, each.handle, each.name,
        std::make_unique<definition>(layout_of(each.type), contents{}));
  for (const pair_row& each : pair_rows()) {
    auto made =
        make_pair_type(table.find(each.value)->shared, table.find(each.index)->shared, contents{});
    add(table, each.handle, each.name, std::move(made));
  }
}

// gfortran has no real numbers of two bytes.
bool is_missing(MPI_Datatype type) noexcept { return type == MPI_REAL2 || type == MPI_COMPLEX4; }

const char* name_of_missing(MPI_Datatype type) noexcept {
  return type == MPI_REAL2 ? "MPI_REAL2" : "MPI_COMPLEX4";
}

std::unique_ptr<definition> make_pair_type(const definition_pointer& value,
                                           const definition_pointer& index, contents made_with) {
  const std::int64_t alignment = index->layout().alignment;
  const std::int64_t offset = (value->size() + alignment - 1) / alignment * alignment;
  auto made = std::make_unique<definition>(
      assemble({value->layout(), index->layout()}, {{0, 1, 0, 0}, {offset, 1, 0, 1}}),
      std::move(made_with));
  made->set_pair({value->layout().body->basic, index->layout().body->basic, offset});
  return made;
}

}  // namespace peal::mpi
