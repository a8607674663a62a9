// peal/detail/collectives/gathering.hpp
// gather and allgather, also between neighbours: how their arguments become bytes. They differ in
// which ranks receive.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal::detail {

/// A gather of one call. Only the root of collective::gather receives.
struct gathering {
  caller by;
  int root = 0;
  /// Blocks that this rank receives.
  std::size_t arriving = 0;
};
template <collective Kind>
gathering gathering_of(const caller& by, int root = 0) {
  if constexpr (Kind == collective::gather) return {by, root, by.rank() == root ? by.count() : 0};
  else if constexpr (Kind == collective::allgather) return {by, root, by.count()};
  else return {by, root, neighbors_of(by.in).sources.size()};
}

/// Out, or with a root an optional that is empty elsewhere.
template <collective Kind, class Out>
using gathered_by = std::conditional_t<Kind == collective::gather, maybe_result<Out>, Out>;
template <collective Kind, class Out>
gathered_by<Kind, Out> room_for(const gathering& of) {
  if constexpr (Kind == collective::gather) return maybe_result<Out>{of.by.rank() == of.root};
  else return {};
}

template <when When, collective Kind, class Out, class X>
auto gather_any_length(const gathering& of, X&& value) {
  using out = gathered_by<Kind, Out>;
  return perform<When>(of.by, [&] {
    return any_gather<element_in<X>, given<When, X>, out>{Kind, of.root, of.arriving,
                                                          given<When, X>{std::forward<X>(value)},
                                                          room_for<Kind, Out>(of)};
  });
}

/// Where all blocks are, and this rank's is at its place. Elsewhere `buffer` is what this rank
/// gives.
template <when When, collective Kind, class R, class Layout>
auto gather_in_place(const gathering& of, const in_place_buffer<R, Layout>& buffer) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>()) {
    return perform<When>(of.by, [&] {
      in_place_step<element_in<R>, filled<When, R>> made{{}, buffer.buffer, of.by.where};
      const std::size_t bytes = made.memory().size();
      if (of.arriving != 0 && bytes / sizeof(element_in<R>) % of.arriving != 0)
        of.by.refuse("in place: the number of elements is no multiple of the number of ranks");
      if (of.arriving == 0) made.set_shape(Kind, of.root, bytes, role::gives);
      else made.set_shape(Kind, of.root, bytes / of.arriving, role::both);
      return made;
    });
  }
}

/// Equally long on all ranks, where that is fixed values.
template <when When, collective Kind, class X>
auto gathered(const caller& by, int root, X&& value) {
  if constexpr (in_place_argument<X>) {
    return gather_in_place<When, Kind>(gathering_of<Kind>(by, root), value);
  } else if constexpr (is_given<X>() && lives_on<When, X>() && has_known_length<When, X>()) {
    const gathering of = gathering_of<Kind>(by, root);
    if constexpr (!of_known_length<X>) {
      return gather_any_length<When, Kind, values_result<std::remove_cvref_t<X>>>(
          of, std::forward<X>(value));
    } else {
      using element = element_in<X>;
      using out = gathered_by<Kind, elements_result<element>>;
      using step = one_step<element, given<When, X>, out>;
      return perform<When>(of.by, [&] {
        const auto start = [&] {
          if constexpr (Kind == collective::gather)
            return step{{}, std::forward<X>(value), of.by.rank() == of.root};
          else return step{{}, std::forward<X>(value)};
        };
        step made = start();
        made.to().make_room(made.from().size() * of.arriving);
        made.set_shape(Kind, of.root, made.from().size());
        return made;
      });
    }
  }
}

template <when When, collective Kind, class X, class R, class Layout>
auto gathered_into(const caller& by, int root, X&& value, const into_buffer<R, Layout>& into) {
  if constexpr (is_given<X>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_no_counts<Layout>()) {
    const gathering of = gathering_of<Kind>(by, root);
    return perform<When>(by, [&] {
      one_step<element_in<X>, given<When, X>, filled<When, R>> made{
          {}, std::forward<X>(value), into.buffer, by.where};
      made.to().make_room(made.from().size() * of.arriving);
      made.set_shape(Kind, root, made.from().size());
      return made;
    });
  }
}

// ---- of any length
/// Where the blocks lie; nowhere, where none arrive.
template <class R>
laid_out layout_of(const gathering& of, const block_layout& by, std::size_t room) {
  if (of.arriving == 0) return {};
  return {by, of.arriving, sizeof(element_in<R>), room, of.by.where};
}

template <class X>
consteval bool is_block() {
  constexpr bool it = std::ranges::sized_range<std::remove_reference_t<X>> || strided_view<X>;
  static_assert(it,
                "peal: blocks that differ in length are ranges; one value of each rank is gathered "
                "without the v");
  return it;
}

template <when When, collective Kind, class R, class Layout>
auto gather_blocks_in_place(const gathering& of, const in_place_buffer<R, Layout>& buffer) {
  if constexpr (is_filled<R>() && has_counts<Layout>()) {
    using step = in_place_step<element_in<R>, filled<When, R>>;
    return perform<When>(of.by, [&] {
      step made{{}, buffer.buffer, of.by.where};
      const std::size_t bytes = made.memory().size();
      laid_out blocks = layout_of<R>(of, buffer.layout, bytes);
      if (of.arriving == 0) made.set_shape(Kind, of.root, bytes, role::gives);
      else made.set_shape(Kind, of.root, blocks.bytes()[of.by.index()], role::both);
      return with_blocks<step, no_blocks, laid_out>{std::move(made), {}, std::move(blocks)};
    });
  }
}

template <when When, collective Kind, class X>
auto gathered_blocks(const caller& by, int root, X&& values) {
  if constexpr (in_place_argument<X>) {
    static_assert(Kind != collective::neighbor_allgather,
                  "peal: neighbours have nothing of their own among the blocks: see into()");
    return gather_blocks_in_place<When, Kind>(gathering_of<Kind>(by, root), values);
  } else if constexpr (is_given<X>() && is_block<X>() && lives_on<When, X>()) {
    const gathering of = gathering_of<Kind>(by, root);
    if constexpr (contiguous<std::remove_reference_t<X>> || lies_apart<X>) {
      if constexpr (has_spans<element_in<X>>())
        return gather_any_length<When, Kind, blocks_result<element_in<X>>>(of,
                                                                           std::forward<X>(values));
    } else if constexpr (has_known_length<When, X>())
      return gather_any_length<When, Kind,
                               values_result<std::vector<std::ranges::range_value_t<X>>>>(
          of, std::forward<X>(values));
  }
}

template <when When, collective Kind, class X, class R, class Layout>
auto gathered_blocks_into(const caller& by, int root, X&& values,
                          const into_buffer<R, Layout>& into) {
  if constexpr (is_given<X>() && is_block<X>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_counts<Layout>()) {
    using step = one_step<element_in<X>, given<When, X>, filled<When, R>>;
    const gathering of = gathering_of<Kind>(by, root);
    return perform<When>(by, [&] {
      step made{{}, std::forward<X>(values), into.buffer, by.where};
      const std::size_t bytes = made.from().size();
      laid_out blocks = layout_of<R>(of, into.layout, made.to().size());
      if (Kind != collective::neighbor_allgather && of.arriving != 0 &&
          blocks.bytes()[by.index()] != bytes)
        by.refuse("the count of this rank is not the number of elements that it gives");
      made.set_shape(Kind, root, bytes);
      return with_blocks<step, no_blocks, laid_out>{std::move(made), {}, std::move(blocks)};
    });
  }
}

}  // namespace peal::detail
