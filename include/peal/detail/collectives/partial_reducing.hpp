// peal/detail/collectives/partial_reducing.hpp
// reduce_scatter: how its arguments become bytes. Every rank gets its own part of what is combined.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/exchanging.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal::detail {

/// Bytes of a rank's part of a vector.
inline std::size_t part_of_sum(const caller& by, std::size_t bytes, std::size_t element) {
  if (bytes / element % by.count() != 0)
    by.refuse(
        "reduce_scatter_block: the number of elements is no multiple of the number of ranks; see "
        "reduce_scatter");
  return bytes / by.count();
}

template <class X, class Op>
consteval bool has_reduced_parts() {
  if constexpr (!is_given<X>() || !is_range_of_elements<X>()) return false;
  else return is_combined<element_in<X>, Op>();
}

template <when When, class R, class Layout, class Op>
auto reduce_parts_in_place(const caller& by, const in_place_buffer<R, Layout>& buffer, Op op) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>() && has_reduced_parts<R, Op>()) {
    using element = element_in<R>;
    return perform<When>(by, [&] {
      in_place_step<element, filled<When, R>, Op> made{std::move(op), buffer.buffer, by.where};
      made.set_shape(collective::reduce_scatter, 0,
                     part_of_sum(by, made.memory().size(), sizeof(element)), role::both);
      return made;
    });
  }
}

template <when When, class X, class Op>
auto reduced_parts(const caller& by, X&& values, Op op) {
  if constexpr (in_place_argument<X>) {
    return reduce_parts_in_place<When>(by, values, std::move(op));
  } else if constexpr (has_reduced_parts<X, Op>() && lives_on<When, X>()) {
    using element = element_in<X>;
    return perform<When>(by, [&] {
      one_step<element, given<When, X>, elements_result<element>, Op> made{std::move(op),
                                                                           std::forward<X>(values)};
      const std::size_t part = part_of_sum(by, made.from().size(), sizeof(element));
      made.to().make_room(part);
      made.set_shape(collective::reduce_scatter, 0, part);
      return made;
    });
  }
}

template <when When, class X, class R, class Layout, class Op>
auto reduced_parts_into(const caller& by, X&& values, const into_buffer<R, Layout>& into, Op op) {
  if constexpr (has_reduced_parts<X, Op>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_no_counts<Layout>()) {
    using element = element_in<X>;
    return perform<When>(by, [&] {
      one_step<element, given<When, X>, filled<When, R>, Op> made{
          std::move(op), std::forward<X>(values), into.buffer, by.where};
      const std::size_t part = part_of_sum(by, made.from().size(), sizeof(element));
      made.to().make_room(part);
      made.set_shape(collective::reduce_scatter, 0, part);
      return made;
    });
  }
}

// ---- parts that differ in length, which every rank knows
/// From: given_blocks.
template <class Element, class From, class To, class Op>
class blocks_reduction {
 public:
  blocks_reduction(std::size_t part, From from, To to, Op op)
      : part_{part}, from_{std::move(from)}, to_{std::move(to)}, op_{std::move(op)} {}
  void refresh(const location& where) {
    from_.refresh(where);
    to_.refresh(where);
  }
  collective_call first() {
    collective_call call = call_of(collective::reduce_scatter, 0, part_);
    call.varying = true;
    call.send = from_.data();
    call.send_bytes = from_.bytes().data();
    call.receive = to_.data();
    set_operation<Element>(call, op_);
    return call;
  }
  decltype(auto) take(const location& where) { return to_.take(where); }
  decltype(auto) view() { return to_.view(); }

 private:
  std::size_t part_;
  From from_;
  To to_;
  Op op_;
};

template <when When, class R, class Layout, class Op>
auto reduce_blocks_in_place(const caller& by, const in_place_buffer<R, Layout>& buffer, Op op) {
  if constexpr (is_filled<R>() && has_counts<Layout>() && has_reduced_parts<R, Op>()) {
    using element = element_in<R>;
    using step = in_place_step<element, filled<When, R>, Op>;
    return perform<When>(by, [&] {
      if (!buffer.layout.displacements.empty())
        by.refuse("reduce_scatter: the parts lie one behind the other, without displacements");
      step made{std::move(op), buffer.buffer, by.where};
      const std::size_t bytes = made.memory().size();
      laid_out parts{buffer.layout, by.count(), sizeof(element), bytes, by.where};
      std::size_t all = 0;
      for (const std::size_t each : parts.bytes()) all += each;
      if (all != bytes)
        by.refuse("reduce_scatter: the counts add up to fewer elements than there are");
      made.set_shape(collective::reduce_scatter, 0, parts.bytes()[by.index()], role::both);
      return with_blocks<step, block_lengths, no_blocks>{
          std::move(made), block_lengths{parts.bytes()}, {}};
    });
  }
}

template <when When, class X, class Op>
auto reduced_blocks(const caller& by, X&& parts, Op op) {
  if constexpr (in_place_argument<X>) {
    return reduce_blocks_in_place<When>(by, parts, std::move(op));
  } else if constexpr (is_blocks<X>() && lives_on<When, X>()) {
    using element = block_element<X>;
    if constexpr (is_combined<element, Op>())
      return perform<When>(by, [&] {
        given_blocks<When, X, true> from{std::forward<X>(parts), by.count(), by.where};
        const std::size_t part = from.bytes()[by.index()];
        elements_result<element> to;
        to.make_room(part);
        return blocks_reduction<element, given_blocks<When, X, true>, elements_result<element>, Op>{
            part, std::move(from), std::move(to), std::move(op)};
      });
  }
}

template <when When, class X, class R, class Layout, class Op>
auto reduced_blocks_into(const caller& by, X&& parts, const into_buffer<R, Layout>& into, Op op) {
  if constexpr (is_blocks<X>() && lives_on<When, X>() && has_no_counts<Layout>()) {
    using element = block_element<X>;
    if constexpr (is_filled_by_blocks<R, X>() && is_combined<element, Op>())
      return perform<When>(by, [&] {
        given_blocks<When, X, true> from{std::forward<X>(parts), by.count(), by.where};
        filled<When, R> to{into.buffer, by.where};
        const std::size_t part = from.bytes()[by.index()];
        to.make_room(part);
        return blocks_reduction<element, given_blocks<When, X, true>, filled<When, R>, Op>{
            part, std::move(from), std::move(to), std::move(op)};
      });
  }
}

}  // namespace peal::detail
