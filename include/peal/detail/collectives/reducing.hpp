// peal/detail/collectives/reducing.hpp
// reduce, allreduce, scan and exscan: how their arguments become bytes. They differ in which rank
// gets what.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal::detail {

/// What the ranks that receive get: a value for a value, an array for a std::array, a vector for
/// any other range or view.
template <class X, class Op>
consteval auto reduced_result_type() {
  using type = std::remove_cvref_t<X>;
  if constexpr (reduced_whole<X, Op> || is_std_array<type>::value)
    return std::type_identity<value_result<type>>{};
  else return std::type_identity<elements_result<element_in<X>>>{};
}
template <class X, class Op>
using reduced_result = typename decltype(reduced_result_type<X, Op>())::type;

/// Whether some ranks have no result: reduce gives it to the root only, exscan to all ranks but
/// rank 0.
template <collective Kind>
inline constexpr bool some_have_none = Kind == collective::reduce || Kind == collective::exscan;
template <collective Kind>
bool has_result(const caller& by, int root) {
  if constexpr (Kind == collective::reduce) return by.rank() == root;
  else if constexpr (Kind == collective::exscan) return by.rank() != 0;
  else return true;
}
/// How many ranks, from rank 0 on, the result of this one is made of.
template <collective Kind>
std::size_t ranks_joined(const caller& by) {
  if constexpr (Kind == collective::scan) return by.index() + 1;
  else if constexpr (Kind == collective::exscan) return by.index();
  else return by.count();
}

/// Every rank that has a result gets what all have given, and joins it by itself.
template <when When, collective Kind, class X, class Op>
auto reduce_serialized(const caller& by, int root, X&& value, Op op) {
  using type = std::remove_cvref_t<X>;
  using joined = folded_result<type, Op>;
  using out = std::conditional_t<some_have_none<Kind>, maybe_result<joined>, joined>;
  return perform<When>(by, [&] {
    const auto to = [&] {
      if constexpr (some_have_none<Kind>)
        return out{has_result<Kind>(by, root), ranks_joined<Kind>(by), std::move(op)};
      else return out{ranks_joined<Kind>(by), std::move(op)};
    };
    constexpr collective kind =
        Kind == collective::reduce ? collective::gather : collective::allgather;
    const std::size_t arriving = Kind != collective::reduce || by.rank() == root ? by.count() : 0;
    return any_gather<type, given<When, X>, out>{kind, root, arriving,
                                                 given<When, X>{std::forward<X>(value)}, to()};
  });
}

template <when When, collective Kind, class X, class Op>
auto reduce_fixed(const caller& by, int root, X&& value, Op op) {
  using joined = reduced_result<X, Op>;
  using out = std::conditional_t<some_have_none<Kind>, maybe_result<joined>, joined>;
  using step = one_step<reduced_element<X, Op>, given<When, X>, out, Op>;
  return perform<When>(by, [&] {
    const auto start = [&] {
      if constexpr (some_have_none<Kind>)
        return step{std::move(op), std::forward<X>(value), has_result<Kind>(by, root)};
      else return step{std::move(op), std::forward<X>(value)};
    };
    step made = start();
    // Rank 0 of an exscan has memory, too: there the core leaves what it does not need.
    if constexpr (reduced_by_element<X, Op> && !is_std_array<std::remove_cvref_t<X>>::value)
      made.to().make_room(Kind != collective::reduce || by.rank() == root ? made.from().size() : 0);
    made.set_shape(Kind, root, made.from().size());
    return made;
  });
}

template <when When, collective Kind, class R, class Layout, class Op>
auto reduce_in_place(const caller& by, int root, const in_place_buffer<R, Layout>& buffer, Op op) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>() && is_reduced<R, Op>()) {
    return perform<When>(by, [&] {
      in_place_step<reduced_element<R, Op>, filled<When, R>, Op> made{std::move(op), buffer.buffer,
                                                                      by.where};
      const role is = Kind == collective::reduce && by.rank() != root ? role::gives : role::both;
      made.set_shape(Kind, root, made.memory().size(), is);
      return made;
    });
  }
}

/// The result is returned, or in the place of `value`.
template <when When, collective Kind, class X, class Op>
auto reduced(const caller& by, int root, X&& value, Op op) {
  if constexpr (in_place_argument<X>) {
    return reduce_in_place<When, Kind>(by, root, value, std::move(op));
  } else if constexpr (is_reduced<X, Op>() && lives_on<When, X>() && has_known_length<When, X>()) {
    if constexpr (reduced_serialized<X, Op>)
      return reduce_serialized<When, Kind>(by, root, std::forward<X>(value), std::move(op));
    else return reduce_fixed<When, Kind>(by, root, std::forward<X>(value), std::move(op));
  }
}

template <when When, collective Kind, class X, class R, class Layout, class Op>
auto reduced_into(const caller& by, int root, X&& value, const into_buffer<R, Layout>& into,
                  Op op) {
  if constexpr (is_reduced<X, Op>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_no_counts<Layout>()) {
    return perform<When>(by, [&] {
      one_step<reduced_element<X, Op>, given<When, X>, filled<When, R>, Op> made{
          std::move(op), std::forward<X>(value), into.buffer, by.where};
      made.to().make_room(Kind != collective::reduce || by.rank() == root ? made.from().size() : 0);
      made.set_shape(Kind, root, made.from().size());
      return made;
    });
  }
}

}  // namespace peal::detail
