// peal/data/datatype.hpp
// Which types are sent as the bytes they are made of.
//
// Errors   a type that does not qualify fails the concept `fixed`, which the compiler names.
// Source   Boost.PFR for the members of aggregates. It knows neither base classes nor arrays of C:
//          of aggregates with those it is asked whether all their parts can be initialized by fixed
//          values.
//          g++ 12 crashes on aggregates that hold a std::array of a class with a destructor: give
//          those a type_traits.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <boost/pfr/core.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <peal/detail/core.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// Opt in: `template <> inline constexpr bool peal::enable_fixed<my_type> = true;` says that the
/// bytes of my_type mean the same in every rank of the job. The type must be trivially copyable.
template <class T>
inline constexpr bool enable_fixed = false;

/// How a type of yours is sent; specialize it with
///     static void encode(peal::writer&, const T&);
///     static T decode(peal::reader&);
/// It takes precedence over everything that peal knows about the type.
template <class T>
struct type_traits;

class writer;
class reader;

namespace detail {

template <class T>
concept has_type_traits = requires(writer& out, reader& in, const T& value) {
  type_traits<T>::encode(out, value);
  { type_traits<T>::decode(in) } -> std::convertible_to<T>;
};

/// Converts to bases of T only.
template <class T>
struct any_base_of {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  constexpr operator Base() const noexcept;
};

using any_value = boost::pfr::detail::ubiq_lref_constructor;

// With {} in the place of one value: an array of C, whose elements PFR takes for members, swallows
// all its values at once, so that there are too many of them.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool takes_braces_at(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { T{any_value{Before}..., {}, any_value{After}...}; };
}

template <class T, std::size_t Count, std::size_t... I>
consteval bool counted_well(std::index_sequence<I...>) {
  // No fold: compilers nest few of its operands (Clang 256), and an array has as many as elements.
  const bool all[]{true, takes_braces_at<T>(std::make_index_sequence<I>{},
                                            std::make_index_sequence<Count - 1 - I>{})...};
  for (const bool each : all)
    if (!each) return false;
  return true;
}

template <class T>
consteval bool is_reflectable() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T> ||
                !std::is_copy_constructible_v<T>) {
    return false;
  } else if constexpr (requires { T{any_base_of<T>{}}; } && !std::is_empty_v<T>) {
    return false;
  } else {
    constexpr std::size_t count = boost::pfr::tuple_size_v<T>;
    return counted_well<T, count>(std::make_index_sequence<count>{});
  }
}

/// An aggregate whose members can be told one by one.
template <class T>
concept reflectable = is_reflectable<T>();

template <class T>
struct is_tuple : std::false_type {};
template <class... Each>
struct is_tuple<std::tuple<Each...>> : std::true_type {};
template <class First, class Second>
struct is_tuple<std::pair<First, Second>> : std::true_type {};

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::is_arithmetic<T> {};

template <class T>
struct is_std_array : std::false_type {};
template <class T, std::size_t Count>
struct is_std_array<std::array<T, Count>> : std::true_type {};

template <class T>
consteval bool is_fixed();

/// A time on a steady clock means nothing on another machine.
template <class T>
struct is_bits_or_time : std::false_type {};
template <std::size_t Bits>
struct is_bits_or_time<std::bitset<Bits>> : std::true_type {};
template <class Rep, class Period>
struct is_bits_or_time<std::chrono::duration<Rep, Period>> : std::bool_constant<is_fixed<Rep>()> {};
template <class Clock, class Duration>
struct is_bits_or_time<std::chrono::time_point<Clock, Duration>>
    : std::bool_constant<!Clock::is_steady && is_bits_or_time<Duration>::value> {};

template <class T, std::size_t... I>
consteval bool elements_are_fixed(std::index_sequence<I...>) {
  return (is_fixed<std::remove_cv_t<std::tuple_element_t<I, T>>>() && ...);
}

template <class T, std::size_t... I>
consteval bool members_are_fixed(std::index_sequence<I...>) {
  return (is_fixed<std::remove_cv_t<boost::pfr::tuple_element_t<I, T>>>() && ...);
}

/// Converts to anything, and promises not to throw where that is fixed. To convert to fixed types
/// only would not do: compilers then take several of it for the members of a nested aggregate one
/// by one, whatever that says about how it is sent.
struct any_noted {
  template <class T>
  constexpr operator T&() const& noexcept(is_fixed<std::remove_cv_t<T>>());
};

template <class T, std::size_t... I>
consteval bool made_of_parts(std::index_sequence<I...>) {
  return requires { T{any_value{I}...}; };
}

// The elements of an array of C are given without braces of their own, which Clang warns of.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
template <class T, std::size_t... I>
consteval bool all_parts_are_fixed(std::index_sequence<I...>) {
  if constexpr (requires { T{(static_cast<void>(I), any_noted{})...}; })
    return noexcept(T{(static_cast<void>(I), any_noted{})...});
  else return false;
}
#pragma GCC diagnostic pop

/// How many parts an aggregate has: bases, members, and of an array of C its elements. Requires:
/// T{} is valid, so that any smaller number of initializers is valid too.
template <class T, std::size_t Least = 0, std::size_t Most = sizeof(T) * 8>
consteval std::size_t parts_of() {
  if constexpr (Least == Most) {
    return Least;
  } else {
    constexpr std::size_t middle = Least + (Most - Least + 1) / 2;
    if constexpr (made_of_parts<T>(std::make_index_sequence<middle>{}))
      return parts_of<T, middle, Most>();
    else return parts_of<T, Least, middle - 1>();
  }
}

/// Of aggregates that are not reflectable. Without T{} there may be references.
template <class T>
consteval bool parts_are_fixed() {
  if constexpr (requires { T{}; })
    return all_parts_are_fixed<T>(std::make_index_sequence<parts_of<T>()>{});
  else return false;
}

template <class T>
consteval bool is_fixed() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T>::value) {
    return !has_type_traits<T>;
  } else if constexpr (std::is_array_v<T>) {
    return std::extent_v<T> != 0 && is_fixed<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  } else if constexpr (!std::is_class_v<T> || has_type_traits<T>) {
    return false;
  } else if constexpr (enable_fixed<T>) {
    return std::is_trivially_copyable_v<T>;
  } else if constexpr (is_bits_or_time<T>::value) {
    return true;
  } else if constexpr (is_std_array<T>::value) {
    return std::tuple_size_v<T> != 0 && is_fixed<std::remove_cv_t<typename T::value_type>>();
  } else if constexpr (is_tuple<T>::value) {
    return elements_are_fixed<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (std::is_trivially_copy_constructible_v<T> &&
                       std::is_trivially_destructible_v<T> && std::is_aggregate_v<T>) {
    // Not trivially copyable, since the assignment of pair and tuple is not trivial.
    if constexpr (reflectable<T>)
      return members_are_fixed<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
    else return parts_are_fixed<T>();
  } else {
    return false;
  }
}

/// The kernel's name of a type. Integers of 128 bits, which the compiler's extensions take for
/// integral, have no kernel.
template <class T>
consteval scalar scalar_of() {
  if constexpr (std::is_same_v<T, bool>) return scalar::boolean;
  else if constexpr (std::is_integral_v<T> && sizeof(T) > sizeof(std::uint64_t))
    return scalar::opaque;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? scalar::i8
           : sizeof(T) == 2 ? scalar::i16
           : sizeof(T) == 4 ? scalar::i32
                            : scalar::i64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? scalar::u8
           : sizeof(T) == 2 ? scalar::u16
           : sizeof(T) == 4 ? scalar::u32
                            : scalar::u64;
  else if constexpr (std::is_same_v<T, float>) return scalar::f32;
  else if constexpr (std::is_same_v<T, double>) return scalar::f64;
  else if constexpr (std::is_same_v<T, long double>) return scalar::f80;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return scalar::c64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return scalar::c128;
  else return scalar::opaque;
}

/// What tells a type from others, also in another process: its name. Null in a program without
/// run-time type information.
template <class T>
const std::type_info* type_of() noexcept {
#ifdef __cpp_rtti
  return &typeid(T);
#else
  return nullptr;
#endif
}

}  // namespace detail

/// Sent as bytes: arithmetic types, enumerations, complex, bitset, durations and times; array,
/// pair, tuple and aggregates of such, with their arrays of C and their bases; what opts in.
/// Neither pointers nor what points elsewhere (string_view, span, reference_wrapper).
template <class T>
concept fixed =
    std::is_object_v<T> && !std::is_array_v<T> && detail::is_fixed<std::remove_cv_t<T>>();

}  // namespace peal
