// peal/detail/collectives/exchanging.hpp
// alltoall, also between neighbours: how its arguments become bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal::detail {

/// With how many this rank exchanges.
struct exchange {
  caller by;
  std::size_t destinations;
  std::size_t sources;
};
template <collective Kind>
exchange exchange_of(const caller& by) {
  if constexpr (Kind == collective::alltoall) {
    return {by, by.count(), by.count()};
  } else {
    const neighborhood& near = neighbors_of(by.in);
    return {by, near.destinations.size(), near.sources.size()};
  }
}

/// Bytes of one of the equal parts of what is given. `room`: for what is received, where the call
/// says how much that is.
inline std::size_t part_of(const exchange& of, std::size_t bytes, std::size_t element,
                           std::optional<std::size_t> room = {}) {
  if (of.destinations == 0) {
    if (of.sources != 0 && !room)
      of.by.refuse(
          "alltoall: a rank without destinations does not say how long a part is; see the one with "
          "v, or into()");
    if (bytes != 0) of.by.refuse("alltoall: there are no destinations to send anything to");
    return of.sources == 0 ? 0 : *room / of.sources;
  }
  if (bytes / element % of.destinations != 0)
    of.by.refuse(
        "alltoall: the number of elements is no multiple of the number of ranks, or destinations; "
        "see the one with v");
  return bytes / of.destinations;
}

/// A range whose elements become messages.
template <class X>
concept serialized_range =
    !contiguous<std::remove_reference_t<X>> && !lies_apart<X> &&
    container<std::remove_cvref_t<X>> && std::ranges::sized_range<std::remove_reference_t<X>> &&
    serializable<std::remove_cvref_t<X>>;

template <class X>
consteval bool is_divided() {
  if constexpr (serialized_range<X> || contiguous<std::remove_reference_t<X>>) return true;
  else return is_range_of_elements<X>();
}

template <when When, class R, class Layout>
auto exchange_in_place(const exchange& of, const in_place_buffer<R, Layout>& buffer) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>()) {
    return perform<When>(of.by, [&] {
      in_place_step<element_in<R>, filled<When, R>> made{{}, buffer.buffer, of.by.where};
      made.set_shape(collective::alltoall, 0,
                     part_of(of, made.memory().size(), sizeof(element_in<R>)), role::both);
      return made;
    });
  }
}

template <when When, collective Kind, class X>
auto exchanged(const caller& by, X&& values) {
  if constexpr (in_place_argument<X>) {
    static_assert(
        Kind == collective::alltoall,
        "peal: what comes from a neighbour has no place among what goes to others: see into()");
    return exchange_in_place<When>(exchange_of<Kind>(by), values);
  } else if constexpr (is_given<X>() && lives_on<When, X>() && has_known_length<When, X>()) {
    const exchange of = exchange_of<Kind>(by);
    if constexpr (serialized_range<X>) {
      using element = std::ranges::range_value_t<X>;
      using parts = serialized_parts<X>;
      return perform<When>(of.by, [&] {
        if (of.destinations == 0)
          return any_alltoall<element, parts, joined_result<element>>{
              Kind, of.sources, parts{}, {}};
        parts given{values, of.destinations};
        if (given.rest() != 0)
          of.by.refuse(
              "alltoall: the number of elements is no multiple of the number of ranks, or "
              "destinations; see the one with v");
        return any_alltoall<element, parts, joined_result<element>>{
            Kind, of.sources, std::move(given), {}};
      });
    } else if constexpr (is_divided<X>()) {
      using element = element_in<X>;
      return perform<When>(of.by, [&] {
        one_step<element, given<When, X>, elements_result<element>> made{{},
                                                                         std::forward<X>(values)};
        const std::size_t part = part_of(of, made.from().size(), sizeof(element));
        made.to().make_room(part * of.sources);
        made.set_shape(Kind, 0, part);
        return made;
      });
    }
  }
}

template <when When, collective Kind, class X, class R, class Layout>
auto exchanged_into(const caller& by, X&& values, const into_buffer<R, Layout>& into) {
  if constexpr (is_given<X>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_no_counts<Layout>()) {
    const exchange of = exchange_of<Kind>(by);
    return perform<When>(by, [&] {
      one_step<element_in<X>, given<When, X>, filled<When, R>> made{
          {}, std::forward<X>(values), into.buffer, by.where};
      const std::size_t part =
          part_of(of, made.from().size(), sizeof(element_in<X>), made.to().size());
      made.to().make_room(part * of.sources);
      made.set_shape(Kind, 0, part);
      return made;
    });
  }
}

// ---- of any length
template <class X>
using block_element =
    std::ranges::range_value_t<std::ranges::range_reference_t<std::remove_reference_t<X>>>;

template <when When, collective Kind, class X>
auto exchanged_blocks(const caller& by, X&& parts) {
  if constexpr (is_blocks<X>() && lives_on<When, X>()) {
    using element = block_element<X>;
    using blocks = given_blocks<When, X>;
    using out = every_block_result<element>;
    static_assert(When != when::planned || fixed<element>,
                  "peal: a plan moves blocks of fixed values, since it cannot know how long others "
                  "will be");
    const exchange of = exchange_of<Kind>(by);
    if constexpr (fixed<element> ? has_spans<element>() : When != when::planned)
      return perform<When>(by, [&] {
        return any_alltoall<element, blocks, out>{
            Kind, of.sources, blocks{std::forward<X>(parts), of.destinations, of.by.where}, {}};
      });
  }
}

/// Blocks to blocks, all of lengths that this rank knows.
template <when When, class X, class R>
class blocks_step {
 public:
  blocks_step(collective kind, given_blocks<When, X> from, filled<When, R> to, laid_out arriving)
      : kind_{kind}, from_{std::move(from)}, to_{std::move(to)}, arriving_{std::move(arriving)} {}
  void refresh(const location& where) {
    from_.refresh(where);
    to_.refresh(where);
  }
  collective_call first() {
    collective_call call = call_of(kind_, 0, 0);
    call.varying = true;
    call.send = from_.data();
    call.send_bytes = from_.bytes().data();
    call.send_offsets = from_.offsets();
    call.receive = to_.data();
    arriving_.describe(call.receive_bytes, call.receive_offsets);
    call.element_type = type_of<block_element<X>>();
    return call;
  }
  void take(const location& where) { to_.take(where); }
  void view() { to_.view(); }

 private:
  collective kind_;
  given_blocks<When, X> from_;
  filled<When, R> to_;
  laid_out arriving_;
};

template <class R, class X>
consteval bool is_filled_by_blocks() {
  if constexpr (is_filled<R>()) {
    constexpr bool it = fixed<block_element<X>> && std::same_as<element_in<R>, block_element<X>>;
    static_assert(it,
                  "peal: into() is given memory of another element type than that of the blocks; "
                  "nothing is converted on the way");
    return it;
  } else {
    return false;
  }
}

template <when When, collective Kind, class X, class R, class Layout>
auto exchanged_blocks_into(const caller& by, X&& parts, const into_buffer<R, Layout>& into) {
  if constexpr (is_blocks<X>() && lives_on<When, X>() && has_counts<Layout>()) {
    const exchange of = exchange_of<Kind>(by);
    if constexpr (is_filled_by_blocks<R, X>())
      return perform<When>(by, [&] {
        given_blocks<When, X> from{std::forward<X>(parts), of.destinations, of.by.where};
        filled<When, R> to{into.buffer, of.by.where};
        laid_out arriving{into.layout, of.sources, sizeof(element_in<R>), to.size(), of.by.where};
        if (Kind == collective::alltoall &&
            from.bytes()[of.by.index()] != arriving.bytes()[of.by.index()])
          of.by.refuse(
              "alltoallv: what this rank sends to itself is not as long as its count says");
        return blocks_step<When, X, R>{Kind, std::move(from), std::move(to), std::move(arriving)};
      });
  }
}

}  // namespace peal::detail
