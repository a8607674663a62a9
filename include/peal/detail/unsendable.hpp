// peal/detail/unsendable.hpp
// Why a type cannot be sent, in the compiler's words: which member, for what reason, and what to do
// about it. g++ names the member, other compilers tell its number, from 0.
//
// Errors   explain_unsendable<T>() does not compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include <peal/data/buffer.hpp>
#include <peal/data/serialization.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

template <class T>
inline constexpr bool can_be_sent = false;

/// Somewhere for members to lie, so that there is a pointer to them; declared only.
template <class T>
struct somewhere {
  T value;
  ~somewhere();
};
template <class T>
extern const somewhere<T> some;

template <class T>
concept smart_pointer = std::is_class_v<T> && !std::ranges::range<T> && requires(const T& it) {
  typename T::element_type;
  it.get();
  *it;
};

/// Refers to what lies elsewhere: string_view, span, reference_wrapper.
template <class T>
concept referring = std::ranges::view<T> || requires(const T& it) {
  typename T::type;
  { it.get() } -> std::same_as<typename T::type&>;
};

template <class T, class... Inside>
constexpr void explain();

/// A pointer to a member, which shows its name, or the member's number.
template <class T, std::size_t I>
consteval auto place_of_member() {
#if defined __GNUC__ && !defined __clang__
  return &boost::pfr::get<I>(some<T>.value);
#else
  return I;
#endif
}

template <class Struct, class Member, auto Where, class... Inside>
constexpr void explain_member() {
  if constexpr (!is_serializable<Member, Struct, Inside...>()) explain<Member, Struct, Inside...>();
}

template <class Element, class... Inside>
constexpr void explain_part() {
  using part = std::remove_cv_t<Element>;
  if constexpr (!is_serializable<part, Inside...>()) explain<part, Inside...>();
}

template <class T, class... Inside, std::size_t... I>
constexpr void explain_members(std::index_sequence<I...>) {
  (explain_member<T, std::remove_cv_t<boost::pfr::tuple_element_t<I, T>>, place_of_member<T, I>(),
                  Inside...>(),
   ...);
}
template <class T, class... Inside, std::size_t... I>
constexpr void explain_elements(std::index_sequence<I...>) {
  if constexpr (is_variant<T>::value)
    (explain_part<std::variant_alternative_t<I, T>, Inside...>(), ...);
  else (explain_part<std::tuple_element_t<I, T>, Inside...>(), ...);
}

/// Requires: T is not serializable inside of those.
template <class T, class... Inside>
constexpr void explain() {
  if constexpr ((std::is_same_v<T, Inside> || ...))
    static_assert(
        can_be_sent<T>,
        "peal: a type that contains itself cannot be sent by itself: give it a peal::type_traits");
  else if constexpr (std::is_pointer_v<T> || smart_pointer<T>)
    static_assert(can_be_sent<T>,
                  "peal: a pointer cannot be sent, since what it points to would not be in the "
                  "message: send what it points "
                  "to (a value, std::optional, std::vector), or give the type that holds it a "
                  "peal::type_traits");
  else if constexpr (std::is_reference_v<T> || referring<T>)
    static_assert(can_be_sent<T>,
                  "peal: what only refers to something elsewhere cannot be sent: send a value or a "
                  "container (std::string, "
                  "std::vector) instead");
  else if constexpr (std::is_union_v<T>)
    static_assert(can_be_sent<T>,
                  "peal: nobody can tell which member of a union there is: use std::variant, or "
                  "say that its bytes mean the "
                  "same in every rank, by peal::enable_fixed");
  else if constexpr (std::is_array_v<T>) explain_part<std::remove_all_extents_t<T>, Inside...>();
  else if constexpr (is_optional<T>::value) explain_part<typename T::value_type, Inside...>();
  else if constexpr (is_variant<T>::value)
    explain_elements<T, Inside...>(std::make_index_sequence<std::variant_size_v<T>>{});
  else if constexpr (is_tuple<T>::value)
    explain_elements<T, Inside...>(std::make_index_sequence<std::tuple_size_v<T>>{});
  else if constexpr (is_std_array<T>::value) explain_part<typename T::value_type, Inside...>();
  else if constexpr (container<T>) explain_part<element_of<T>, Inside...>();
  else if constexpr (std::is_class_v<T> && enable_fixed<T>)
    static_assert(can_be_sent<T>,
                  "peal: enable_fixed is for types that are trivially copyable: give this one a "
                  "peal::type_traits");
  else if constexpr (reflectable<T>)
    explain_members<T, Inside...>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
  else if constexpr (std::is_aggregate_v<T> && !std::is_copy_constructible_v<T>)
    static_assert(can_be_sent<T>,
                  "peal: a struct that cannot be copied (because of a std::unique_ptr, say) cannot "
                  "be sent by itself: send what it holds, or "
                  "give it a peal::type_traits");
  else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>)
    static_assert(
        can_be_sent<T>,
        "peal: the members of this struct cannot be told, since it has arrays of C, bases or "
        "references beside what "
        "is more than plain bytes: use std::array and members, or give it a peal::type_traits");
  else if constexpr (std::is_class_v<T>)
    static_assert(can_be_sent<T>,
                  "peal: the members of a class with constructors, private members or virtual "
                  "functions cannot be told: give "
                  "it a peal::type_traits, or say that its bytes mean the same in every rank, by "
                  "peal::enable_fixed");
  else static_assert(can_be_sent<T>, "peal: what has no value cannot be sent");
}

/// In the place of a call with a type that cannot be sent.
template <class T>
[[noreturn]] void explain_unsendable() {
  using value = std::remove_cvref_t<T>;
  if constexpr (literal<T>)
    static_assert(can_be_sent<T>,
                  "peal: a literal would be sent with its zero at the end: send std::string_view "
                  "or \"...\"sv");
  else if constexpr (packed_range<T>)
    static_assert(can_be_sent<T>,
                  "peal: a range that cannot be read while it is const cannot be sent: copy it "
                  "into a std::vector");
  else explain<value>();
  std::abort();
}

template <class T>
[[noreturn]] void explain_unreceivable() {
  if constexpr (serializable<T>)
    static_assert(can_be_sent<T>,
                  "peal: what is received is a value: neither const nor a reference");
  else explain<T>();
  std::abort();
}

}  // namespace peal::detail
