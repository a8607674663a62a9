// peal/detail/arguments.hpp
// What the calls of a communicator take, as concepts that the compiler names.
#pragma once

#include <concepts>
#include <type_traits>

#include <peal/blocks.hpp>
#include <peal/buffer.hpp>
#include <peal/detail/collective_tasks.hpp>
#include <peal/detail/partial_reduction_tasks.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/op.hpp>

namespace peal {

/// Can be combined by Op: a fixed value as a whole, or a contiguous range or a strided view element by element.
template <class B, class Op>
concept reducible = detail::reduced_whole<B, Op> || detail::reduced_by_element<B, Op>;
/// A contiguous range whose elements can be combined by Op, so that ranks can have parts of the result.
template <class B, class Op>
concept reducible_range = detail::contiguous<B> && detail::reduced_by_element<B, Op>;
/// A block a rank, whose elements can be combined by Op.
template <class B, class Op>
concept reducible_blocks = range_of_blocks<B> && reduction_on<Op, detail::element_of_blocks<B>>;

/// A range that a collective fills or reads where it lies, or a single fixed value.
template <class B>
concept send_block = detail::sent_in_place<B>;
template <class B>
concept recv_block = detail::filled_in_place<B>;

namespace detail {
template <class B>
using element_of_buffer = std::conditional_t<std::is_void_v<element_in<B>>, std::remove_cvref_t<B>, element_in<B>>;
/// An Element, or a range or strided view of such.
template <class B, class Element>
concept of_elements = std::same_as<std::remove_cvref_t<B>, Element> || std::same_as<element_of_buffer<B>, Element>;
}  // namespace detail

/// R can be filled with what B holds: values of the very same type, a single one or the elements of a range or strided view.
template <class R, class B>
concept same_elements = detail::of_elements<R, detail::element_of_buffer<B>> || detail::of_elements<R, std::remove_cvref_t<B>>;
/// What is filled with the elements of B.
template <class R, class B>
concept recv_block_for = recv_block<R> && same_elements<R, B>;

/// Gathered as a value of its own: fixed values, strings, and what is serialized. Other ranges of fixed values are gathered element by
/// element.
template <class B>
concept gathered_whole = serializable<std::remove_cvref_t<B>> &&
    (!detail::contiguous<B> || detail::is_std_string<std::remove_cvref_t<B>>::value);
/// A fixed value, or a contiguous range of such that is no string.
template <class B>
concept elements_or_value = send_block<B> &&(!gathered_whole<B> || fixed<std::remove_cvref_t<B>>);

}  // namespace peal
