// mpi/datatypes/layouts/basic_type.hpp
// What cannot be taken apart further: a number, a character, a byte.
//
// Layer    mpi/datatypes/layouts: may include peal/detail.
// Units    bytes.
// Errors   none.
// Source   MPI 5.0, 3.2.2 (which types there are), 6.9.2 (which operations know them), 14.5.2
//          (external32).
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peal/detail/core.hpp"

namespace peal::mpi {

/// Which operations know it: the groups of 6.9.2.
enum class domain : std::uint8_t { none, integer, floating, complex, logical, byte };

/// What becomes of a component in external32.
enum class external_form : std::uint8_t {
  same,             // single bytes
  swapped,          // the same length, the most significant byte first
  signed_number,    // shorter there: what does not fit is an error
  unsigned_number,  // the same
  quad              // IEEE binary128
};

struct basic_type {
  int size = 1;
  int alignment = 1;
  int unit = 1;           // of a component; a complex number has two
  int external_unit = 1;  // in external32
  external_form form = external_form::same;
  detail::scalar scalar = detail::scalar::opaque;  // opaque: peal's own kernels do not know it
  domain known = domain::none;

  [[nodiscard]] constexpr int external_size() const noexcept { return size / unit * external_unit; }
};

/// The scalar of an integer of this length.
[[nodiscard]] constexpr detail::scalar integer_scalar(std::size_t size, bool is_signed) noexcept {
  using detail::scalar;
  switch (size) {
    case 1: return is_signed ? scalar::i8 : scalar::u8;
    case 2: return is_signed ? scalar::i16 : scalar::u16;
    case 4: return is_signed ? scalar::i32 : scalar::u32;
    case 8: return is_signed ? scalar::i64 : scalar::u64;
    default: return scalar::opaque;
  }
}
template <class Number>
[[nodiscard]] constexpr basic_type number(domain known, detail::scalar scalar) noexcept {
  constexpr int size = sizeof(Number);
  return {size,
          alignof(Number),
          size,
          size,
          size == 1 ? external_form::same : external_form::swapped,
          scalar,
          known};
}
template <class Integer>
[[nodiscard]] constexpr basic_type integer() noexcept {
  return number<Integer>(domain::integer,
                         integer_scalar(sizeof(Integer), static_cast<Integer>(-1) < Integer{}));
}
/// An integer that has another length in external32.
template <class Integer>
[[nodiscard]] constexpr basic_type integer_as(int external_unit) noexcept {
  basic_type made = integer<Integer>();
  if (made.size == external_unit) return made;
  made.external_unit = external_unit;
  made.form = static_cast<Integer>(-1) < Integer{} ? external_form::signed_number
                                                   : external_form::unsigned_number;
  return made;
}
/// Logical values of Fortran are integers of their length.
template <class Integer>
[[nodiscard]] constexpr basic_type logical() noexcept {
  basic_type made = integer<Integer>();
  made.known = domain::logical;
  return made;
}
/// Nothing is computed with it.
[[nodiscard]] constexpr basic_type without_operations(basic_type made) noexcept {
  made.known = domain::none;
  made.scalar = detail::scalar::opaque;
  return made;
}
/// Two of `part`, one behind the other.
[[nodiscard]] constexpr basic_type complex_of(basic_type part, detail::scalar scalar) noexcept {
  part.size *= 2;
  part.scalar = scalar;
  part.known = domain::complex;
  return part;
}

__extension__ using wide_integer = __int128;
#ifdef __SIZEOF_FLOAT128__
__extension__ using quad = __float128;
#else
using quad = long double;  // which is IEEE binary128 where the compiler has no other
#endif

inline constexpr basic_type float_number = number<float>(domain::floating, detail::scalar::f32);
inline constexpr basic_type double_number = number<double>(domain::floating, detail::scalar::f64);
inline constexpr basic_type long_double_number = [] {
  basic_type made = number<long double>(domain::floating, detail::scalar::f80);
  made.external_unit = 16;
  made.form = external_form::quad;
  return made;
}();
inline constexpr basic_type quad_number = number<quad>(domain::floating, detail::scalar::opaque);

}  // namespace peal::mpi
