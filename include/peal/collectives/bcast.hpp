// peal/collectives/bcast.hpp
// bcast: what the root gives, on every rank.
//
// Units    ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/collectives/work.hpp>

namespace peal {

namespace detail {

/// A fixed value.
template <fixed T>
class value_bcast {
 public:
  value_bcast(int root, const T& value) : root_{root} {
    std::memcpy(value_.data(), std::addressof(value), sizeof(T));
  }
  static void refresh(const location&) noexcept {}
  collective_call first() {
    collective_call call = call_of(collective::bcast, root_, sizeof(T));
    call.receive = value_.data();
    call.element_type = type_of<T>();
    return call;
  }
  T take(const location& where) { return value_.take(where); }

 private:
  int root_;
  value_result<T> value_;
};

/// Of a plan: the root's memory, seen where it lies; what arrives elsewhere lies in the plan. X: a
/// fixed value, or a range of such.
template <class X>
class planned_bcast {
  using element = element_in<X>;
  static constexpr bool many = contiguous<std::remove_reference_t<X>>;

 public:
  planned_bcast(const caller& by, int root, X&& value)
      : root_{root}, gives_{by.rank() == root}, from_{std::forward<X>(value)} {
    if constexpr (many)
      if (!gives_) to_.make_room(from_.size());
  }
  void refresh(const location& where) const { from_.refresh(where); }
  collective_call first() {
    collective_call call = call_of(collective::bcast, root_, from_.size());
    call.receive = gives_ ? const_cast<void*>(from_.data()) : to_.data();
    call.element_type = type_of<element>();
    return call;
  }
  void take(const location&) {}
  auto view() {
    if constexpr (many)
      return gives_ ? std::span<const element>{std::ranges::data(from_.get()),
                                               std::ranges::size(from_.get())}
                    : to_.view();
    else return gives_ ? from_.get() : to_.view();
  }

 private:
  int root_;
  bool gives_;
  given<when::planned, X> from_;
  std::conditional_t<many, elements_result<element>, value_result<std::remove_cvref_t<element>>>
      to_;
};

template <when When, class R, class Layout>
auto bcast_in_place(const caller& by, int root, const in_place_buffer<R, Layout>& buffer) {
  if constexpr (is_filled<R>() && has_no_counts<Layout>()) {
    return perform<When>(by, [&] {
      in_place_step<element_in<R>, filled<When, R>> made{{}, buffer.buffer, by.where};
      made.set_shape(collective::bcast, root, made.memory().size(), role::receives);
      return made;
    });
  }
}

template <class X>
consteval bool is_value() {
  if constexpr (serializable<std::remove_cvref_t<X>>) return true;
  else static_cast<void>(&explain_unreceivable<std::remove_cvref_t<X>>);  // which says why
  return false;
}

template <when When, class X>
auto bcast(const caller& by, int root, X&& value) {
  using type = std::remove_cvref_t<X>;
  if constexpr (in_place_argument<X>) {
    return bcast_in_place<When>(by, root, value);
  } else if constexpr (When == when::planned) {
    if constexpr (is_given<X>() && lives_on<When, X>() && has_known_length<When, X>()) {
      constexpr bool lies = sent_in_place<std::remove_reference_t<X>>;
      static_assert(
          lies,
          "peal: a plan of a bcast of a strided view fills it: bcast_plan(in_place(view), root)");
      if constexpr (lies)
        return perform<When>(by,
                             [&] { return planned_bcast<X>{by, root, std::forward<X>(value)}; });
    }
  } else if constexpr (is_value<X>()) {
    if constexpr (fixed<type>)
      return perform<When>(by, [&] { return value_bcast<type>{root, value}; });
    else
      return perform<When>(by, [&] { return any_bcast<type>{by, root, std::forward<X>(value)}; });
  }
}

}  // namespace detail

/// Calls of communicator.
///
/// The root's value, on every rank; that of the others does not matter, nor how long it is. With
/// in_place() nothing is returned: the root's memory is sent, and that of the others filled, which
/// is as long on every rank. A plan of a range has one length, the same on every rank, and gives a
/// view: at the root of its own memory.
template <class Communicator>
class bcast_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// At once, as a request, or as a plan.
  template <class X>
  [[nodiscard("bcast returns the root's value; bcast(peal::in_place(x), root) fills x")]] auto
  bcast(X&& value, int root, const place& where = place::current()) const {
    return detail::bcast<detail::when::now>(self().call_at(where), root, std::forward<X>(value));
  }
  template <class X>
  auto ibcast(X&& value, int root, const place& where = place::current()) const {
    return detail::bcast<detail::when::later>(self().call_at(where), root, std::forward<X>(value));
  }
  template <class X>
  auto bcast_plan(X&& value, int root, const place& where = place::current()) const {
    return detail::bcast<detail::when::planned>(self().call_at(where), root,
                                                std::forward<X>(value));
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
