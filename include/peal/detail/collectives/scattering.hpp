// peal/detail/collectives/scattering.hpp
// scatter: how its arguments become bytes. Only what the root gives matters.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/exchanging.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal::detail {

template <when When, class R, class Layout>
auto scatter_in_place(const caller& by, int root, const in_place_buffer<R, Layout>& buffer) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>()) {
    return perform<When>(by, [&] {
      in_place_step<element_in<R>, filled<When, R>> made{{}, buffer.buffer, by.where};
      const std::size_t bytes = made.memory().size();
      const bool gives = by.rank() == root;
      if (gives && bytes / sizeof(element_in<R>) % by.count() != 0)
        by.refuse("in place: the number of elements is no multiple of the number of ranks");
      made.set_shape(collective::scatter, root, gives ? bytes / by.count() : bytes,
                     gives ? role::both : role::receives);
      return made;
    });
  }
}

template <when When, class X>
auto scattered(const caller& by, int root, X&& values) {
  if constexpr (in_place_argument<X>) {
    return scatter_in_place<When>(by, root, values);
  } else if constexpr (is_given<X>() && lives_on<When, X>() && has_known_length<When, X>()) {
    constexpr bool serialized = serialized_range<X>;
    if constexpr (is_divided<X>()) {
      using parts = std::conditional_t<serialized, serialized_parts<X>, equal_parts<When, X>>;
      using element = typename parts::element;
      using out = std::conditional_t<serialized, joined_result<element>, vector_result<element>>;
      return perform<When>(by, [&] {
        std::optional<parts> all;
        if (by.rank() == root) {
          all.emplace(std::forward<X>(values), by.count());
          if (all->rest() != 0)
            by.refuse(
                "scatter: the number of elements is no multiple of the number of ranks; see "
                "scatterv");
        }
        return any_scatter<element, parts, out>{root, std::move(all), {}};
      });
    }
  }
}

/// Each rank takes what its memory has room for.
template <when When, class X, class R, class Layout>
auto scattered_into(const caller& by, int root, X&& values, const into_buffer<R, Layout>& into) {
  if constexpr (is_given<X>() && lives_on<When, X>() && is_filled_by<R, X>() &&
                has_no_counts<Layout>()) {
    return perform<When>(by, [&] {
      one_step<element_in<R>, given<When, X>, filled<When, R>> made{
          {}, std::forward<X>(values), into.buffer, by.where};
      const std::size_t part = made.to().size();
      if (by.rank() == root && made.from().size() != part * by.count())
        by.refuse("scatter: the root must give size() times what each rank takes");
      made.set_shape(collective::scatter, root, part);
      return made;
    });
  }
}

// ---- of any length
template <when When, class X>
std::optional<given_blocks<When, X>> blocks_of_root(const caller& by, int root, X&& parts) {
  std::optional<given_blocks<When, X>> all;
  if (by.rank() == root) all.emplace(std::forward<X>(parts), by.count(), by.where);
  return all;
}

template <when When, class X>
auto scattered_blocks(const caller& by, int root, X&& parts) {
  if constexpr (is_blocks<X>() && lives_on<When, X>()) {
    using element = block_element<X>;
    using out = vector_result<element>;
    static_assert(When != when::planned || fixed<element>,
                  "peal: a plan moves blocks of fixed values, since it cannot know how long others "
                  "will be");
    if constexpr (When != when::planned || fixed<element>)
      return perform<When>(by, [&] {
        return any_scatter<element, given_blocks<When, X>, out>{
            root, blocks_of_root<When, X>(by, root, std::forward<X>(parts)), {}};
      });
  }
}

/// Blocks of lengths that every rank knows of its own.
template <when When, class X, class R>
class scatter_blocks_step {
 public:
  scatter_blocks_step(int root, std::optional<given_blocks<When, X>> from, filled<When, R> to)
      : root_{root}, from_{std::move(from)}, to_{std::move(to)} {}
  void refresh(const location& where) {
    if (from_) from_->refresh(where);
    to_.refresh(where);
  }
  collective_call first() {
    collective_call call = call_of(collective::scatter, root_, to_.size());
    call.varying = true;
    if (from_) {
      call.send = from_->data();
      call.send_bytes = from_->bytes().data();
      call.send_offsets = from_->offsets();
    }
    call.receive = to_.data();
    call.element_type = type_of<block_element<X>>();
    return call;
  }
  void take(const location& where) { to_.take(where); }
  void view() { to_.view(); }

 private:
  int root_;
  std::optional<given_blocks<When, X>> from_;
  filled<When, R> to_;
};

template <when When, class X, class R, class Layout>
auto scattered_blocks_into(const caller& by, int root, X&& parts,
                           const into_buffer<R, Layout>& into) {
  if constexpr (is_blocks<X>() && lives_on<When, X>() && has_no_counts<Layout>()) {
    if constexpr (is_filled_by_blocks<R, X>())
      return perform<When>(by, [&] {
        auto from = blocks_of_root<When, X>(by, root, std::forward<X>(parts));
        filled<When, R> to{into.buffer, by.where};
        if (from && from->bytes()[by.index()] != to.size())
          by.refuse("scatterv: the root's own block is not as long as the memory for it");
        return scatter_blocks_step<When, X, R>{root, std::move(from), std::move(to)};
      });
  }
}

}  // namespace peal::detail
