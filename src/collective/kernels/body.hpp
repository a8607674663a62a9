// collective/kernels/body.hpp
// The body of a kernel file. The file includes the headers, says for which processor to compile,
// defines PEAL_KERNELS as the name of its table function, and includes this; PEAL_COMPLEX_PRODUCTS
// names the table whose complex products it takes instead of its own. Everything here has internal
// linkage: code for one processor must not be taken for another by the linker.
//
// Layer    collective.

namespace peal::kernels {

namespace {

using detail::builtin;
using detail::scalar;

template <class T>
struct complex_of {
  T real;
  T imaginary;
};

struct sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
  template <class T>
  static complex_of<T> of(complex_of<T> a, complex_of<T> b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};
struct prod {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a * b);
  }
  // The textbook formula, without the repair of infinite operands that C's Annex G describes: what
  // MPI libraries do.
  template <class T>
  static complex_of<T> of(complex_of<T> a, complex_of<T> b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};
struct least {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct greatest {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct land {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct lor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct lxor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};
struct band {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct bor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct bxor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// Integers wrap around like unsigned ones: a signed overflow must not be undefined when a program
// sums counters.
template <class T>
struct arithmetic {
  using type = T;
};
template <>
struct arithmetic<std::int8_t> {
  using type = std::uint8_t;
};
template <>
struct arithmetic<std::int16_t> {
  using type = std::uint32_t;
};
template <>
struct arithmetic<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct arithmetic<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct arithmetic<std::int64_t> {
  using type = std::uint64_t;
};

// The result may be one of the operands, at the same index: no dependence between iterations, which
// ivdep says. Without it the compiler checks for overlap at run time and takes the scalar loop for
// exactly this case. Clang would warn of long double, which has no vectors.
#if defined(__clang__)
#define PEAL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define PEAL_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class Operation, class T>
void run(const void* lower, const void* higher, void* into, std::size_t count) {
  const T* a = static_cast<const T*>(lower);
  const T* b = static_cast<const T*>(higher);
  T* out = static_cast<T*>(into);
  PEAL_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = Operation::of(a[i], b[i]);
}

template <class Operation, class T>
void run_wrapping(const void* lower, const void* higher, void* into, std::size_t count) {
  using wide = typename arithmetic<T>::type;
  const T* a = static_cast<const T*>(lower);
  const T* b = static_cast<const T*>(higher);
  T* out = static_cast<T*>(into);
  PEAL_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(Operation::of(static_cast<wide>(a[i]), static_cast<wide>(b[i])));
}

constexpr void put(table& t, scalar type, builtin operation, kernel k) {
  t.of[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)] = k;
}

template <class T>
constexpr void put_integer(table& t, scalar type) {
  put(t, type, builtin::sum, run_wrapping<sum, T>);
  put(t, type, builtin::prod, run_wrapping<prod, T>);
  put(t, type, builtin::min, run<least, T>);
  put(t, type, builtin::max, run<greatest, T>);
  put(t, type, builtin::land, run<land, T>);
  put(t, type, builtin::lor, run<lor, T>);
  put(t, type, builtin::lxor, run<lxor, T>);
  put(t, type, builtin::band, run<band, T>);
  put(t, type, builtin::bor, run<bor, T>);
  put(t, type, builtin::bxor, run<bxor, T>);
}

template <class T>
constexpr void put_floating(table& t, scalar type) {
  put(t, type, builtin::sum, run<sum, T>);
  put(t, type, builtin::prod, run<prod, T>);
  put(t, type, builtin::min, run<least, T>);
  put(t, type, builtin::max, run<greatest, T>);
}

template <class T>
constexpr void put_complex(table& t, scalar type) {
  put(t, type, builtin::sum, run<sum, complex_of<T>>);
#ifndef PEAL_COMPLEX_PRODUCTS
  put(t, type, builtin::prod, run<prod, complex_of<T>>);
#endif
}

// As C++ computes with bool: a sum is true when one operand is, a product when both are.
constexpr void put_boolean(table& t) {
  using byte = std::uint8_t;
  constexpr scalar type = scalar::boolean;
  for (const builtin both : {builtin::prod, builtin::min, builtin::land, builtin::band})
    put(t, type, both, run<land, byte>);
  for (const builtin either : {builtin::sum, builtin::max, builtin::lor, builtin::bor})
    put(t, type, either, run<lor, byte>);
  for (const builtin one : {builtin::lxor, builtin::bxor}) put(t, type, one, run<lxor, byte>);
}

constexpr table make_table() {
  table t;
  put_integer<std::int8_t>(t, scalar::i8);
  put_integer<std::int16_t>(t, scalar::i16);
  put_integer<std::int32_t>(t, scalar::i32);
  put_integer<std::int64_t>(t, scalar::i64);
  put_integer<std::uint8_t>(t, scalar::u8);
  put_integer<std::uint16_t>(t, scalar::u16);
  put_integer<std::uint32_t>(t, scalar::u32);
  put_integer<std::uint64_t>(t, scalar::u64);
  put_floating<float>(t, scalar::f32);
  put_floating<double>(t, scalar::f64);
  put_floating<long double>(t, scalar::f80);
  put_complex<float>(t, scalar::c64);
  put_complex<double>(t, scalar::c128);
  put_boolean(t);
  return t;
}

constexpr table all = make_table();

}  // namespace

#ifdef PEAL_COMPLEX_PRODUCTS
const table& PEAL_KERNELS() noexcept {
  static const table mixed = [] {
    table t = all;
    for (const scalar type : {scalar::c64, scalar::c128})
      put(t, type, builtin::prod, PEAL_COMPLEX_PRODUCTS().at(type, builtin::prod));
    return t;
  }();
  return mixed;
}
#else
const table& PEAL_KERNELS() noexcept { return all; }
#endif

}  // namespace peal::kernels
