// peal/detail/collectives/checks.hpp
// What the arguments of collectives must be, and what the compiler says where they are not: each
// check is true, or ends the compilation with a sentence.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include <peal/data/blocks.hpp>
#include <peal/data/buffer.hpp>
#include <peal/data/into.hpp>
#include <peal/data/op.hpp>
#include <peal/detail/collectives/given.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/detail/unsendable.hpp>

namespace peal::detail {

template <class T>
struct is_std_string : std::false_type {};
template <class Char, class Traits, class Allocator>
struct is_std_string<std::basic_string<Char, Traits, Allocator>> : std::true_type {};

template <class T>
struct is_into : std::false_type {};
template <class R, class Layout>
struct is_into<into_buffer<R, Layout>> : std::true_type {};
template <class T>
struct is_in_place : std::false_type {};
template <class R, class Layout>
struct is_in_place<in_place_buffer<R, Layout>> : std::true_type {};
/// The result of in_place().
template <class T>
concept in_place_argument = is_in_place<std::remove_cvref_t<T>>::value;

/// Where the result is returned.
struct returned {};

/// A range of fixed elements that is its elements to collectives, or a strided view. A string is
/// one value.
template <class X>
concept elementwise =
    (contiguous<std::remove_reference_t<X>> && !is_std_string<std::remove_cvref_t<X>>::value) ||
    lies_apart<X>;
/// Elements, or one fixed value: how long it is does not depend on what it holds.
template <class X>
concept of_known_length = elementwise<X> || fixed<std::remove_cvref_t<X>>;
/// One value for each rank, whatever it is.
template <class X>
concept one_value = !elementwise<X> && serializable<std::remove_cvref_t<X>>;
/// A block for each rank: a range of ranges, of fixed elements side by side, or of elements that
/// are serialized.
template <class X>
concept blocks_of_ranks =
    std::ranges::forward_range<std::remove_reference_t<X>> &&
    std::ranges::sized_range<std::remove_reference_t<X>> &&
    (range_of_blocks<std::remove_reference_t<X>> ||
     (container<std::remove_cvref_t<std::ranges::range_reference_t<std::remove_reference_t<X>>>> &&
      serializable<
          std::remove_cvref_t<std::ranges::range_reference_t<std::remove_reference_t<X>>>> &&
      !fixed<
          std::ranges::range_value_t<std::ranges::range_reference_t<std::remove_reference_t<X>>>> &&
      !is_std_string<
          std::remove_cvref_t<std::ranges::range_reference_t<std::remove_reference_t<X>>>>::value));

template <class...>
inline constexpr bool is_right = false;

// ---- what is given
template <class X>
consteval bool is_given() {
  if constexpr (!sendable<X>) static_cast<void>(&explain_unsendable<X>);  // which says why
  else if constexpr (!serializable<std::remove_cvref_t<X>> && !elementwise<X> &&
                     !of_known_length<X>)
    static_assert(is_right<X>,
                  "peal: other ranks could not make this view anew: copy it into a std::vector");
  else return true;
  return false;
}

template <when When, class X>
consteval bool lives_on() {
  constexpr bool it =
      When != when::planned || lasting<X> || std::ranges::view<std::remove_cvref_t<X>>;
  static_assert(it,
                "peal: a plan reads its arguments at every start: pass an lvalue or a view that "
                "lives as long as the plan");
  return it;
}

template <when When, class X>
consteval bool has_known_length() {
  constexpr bool it = When != when::planned || of_known_length<X>;
  static_assert(it,
                "peal: a plan moves fixed values and ranges of them, since it cannot know how long "
                "others will be");
  return it;
}

template <class X>
consteval bool is_range_of_elements() {
  constexpr bool it = elementwise<X>;
  static_assert(it,
                "peal: parts for every rank are made of a contiguous range of fixed values, or a "
                "strided view");
  return it;
}

template <class X>
consteval bool is_blocks() {
  constexpr bool it = blocks_of_ranks<X>;
  static_assert(it,
                "peal: this needs a block for every rank: a range of ranges, such as "
                "std::vector<std::vector<T>>, peal::blocks<T>, or "
                "peal::blocks_of(range, counts)");
  return it;
}

/// For blocks that are returned, which are spans over one vector.
template <class Element>
consteval bool has_spans() {
  constexpr bool it = !std::same_as<Element, bool>;
  static_assert(
      it,
      "peal: blocks of bool cannot be returned, since a vector of bool has no elements to "
      "point to: send std::uint8_t, or fill memory of your own by into(buffer, counts)");
  return it;
}

// ---- what is filled
template <class R>
consteval bool is_filled() {
  if constexpr (!recv_buffer<std::remove_reference_t<R>>)
    static_assert(is_right<R>,
                  "peal: into() and in_place() need memory that may be written to: a contiguous "
                  "range of fixed values, a strided view or one "
                  "fixed value, and not const");
  else if constexpr (!lasting<R>)
    static_assert(is_right<R>,
                  "peal: into() and in_place() need memory that lives on: pass an lvalue or a view "
                  "of it, not a temporary");
  else return true;
  return false;
}

/// Has what one element, or one value, of X has.
template <class R, class X>
concept same_elements = std::same_as<element_in<R>, element_in<X>> ||
                        std::same_as<element_in<R>, std::remove_cvref_t<X>> ||
                        std::same_as<std::remove_cvref_t<R>, element_in<X>>;

template <class R, class X>
consteval bool is_filled_by() {
  if constexpr (!is_filled<R>()) return false;
  else if constexpr (!of_known_length<X>)
    static_assert(
        is_right<X>,
        "peal: into() needs fixed values, or a range of them, whose length the receiver can know");
  else if constexpr (!same_elements<R, X>)
    static_assert(is_right<R, X>,
                  "peal: into() is given memory of another element type than what is sent; nothing "
                  "is converted on the way: make the types "
                  "the same");
  else return true;
  return false;
}

template <class Layout>
consteval bool has_counts() {
  constexpr bool it = std::same_as<Layout, block_layout>;
  static_assert(it,
                "peal: blocks that differ in length go into(buffer, counts) or into(buffer, "
                "counts, displacements)");
  return it;
}
template <class Layout>
consteval bool has_no_counts() {
  constexpr bool it = std::same_as<Layout, no_layout>;
  static_assert(it,
                "peal: all blocks of this collective are equally long, so into() and in_place() "
                "have no counts: see the one with v");
  return it;
}

// ---- what is combined
/// Combines two T into one.
template <class Op, class T>
concept combines = requires(std::remove_cvref_t<Op>& op, const T& a, const T& b) {
  { detail::invoke(op, a, b) } -> std::convertible_to<T>;
};

/// Element by element. A fixed range whose elements the operation does not combine is one value.
template <class X, class Op>
concept reduced_by_element = elementwise<X> && combines<Op, element_in<X>>;
template <class X, class Op>
concept reduced_whole = !reduced_by_element<X, Op> && serializable<std::remove_cvref_t<X>> &&
                        combines<Op, std::remove_cvref_t<X>>;
/// A value that is no plain bytes: every rank that gets the result has what all have given, and
/// combines it.
template <class X, class Op>
concept reduced_serialized = reduced_whole<X, Op> && !fixed<std::remove_cvref_t<X>>;
template <class X, class Op>
using reduced_element =
    typename std::conditional_t<reduced_by_element<X, Op>, std::type_identity<element_in<X>>,
                                std::remove_cvref<X>>::type;

template <class X, class Op>
consteval bool is_reduced() {
  if constexpr (!is_given<X>()) return false;
  else if constexpr (reduced_by_element<X, Op> || reduced_whole<X, Op>) return true;
  else
    static_assert(is_right<X, Op>,
                  "peal: this operation does not make one value of two of these: pass a function "
                  "object that takes two const T& and returns "
                  "a T, T being the value, or the element of a range");
  return false;
}

template <class Element, class Op>
consteval bool is_combined() {
  constexpr bool it = combines<Op, Element>;
  static_assert(it,
                "peal: this operation does not make one element of two: pass a function object "
                "that takes two const T& and returns a T");
  return it;
}

}  // namespace peal::detail
