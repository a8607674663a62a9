// peal/collectives/allreduce.hpp
// allreduce: what all ranks give, combined in rank order, on every rank.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/reducing.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// Calls of communicator. A contiguous range of fixed elements, or a strided view, is combined
/// element by element, and is as long on every rank; everything else is one value, a string too. A
/// value gives a value, a std::array an array, another range or view a vector. With into() and
/// in_place() nothing is returned.
///
/// `op` combines two elements, or two values, and is taken as associative; peal/data/op.hpp says
/// which ones are fast. Sums of floating-point numbers have the same bits on every rank and in
/// every run, but not in every form.
template <class Communicator>
class allreduce_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// At once, as a request, or as a plan.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto allreduce(
      X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::now, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto allreduce(X&& value, into_buffer<R, Layout> result, Op op = {},
                 const place& where = place::current()) const {
    return detail::reduced_into<detail::when::now, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto iallreduce(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::later, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto iallreduce(X&& value, into_buffer<R, Layout> result, Op op = {},
                  const place& where = place::current()) const {
    return detail::reduced_into<detail::when::later, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto allreduce_plan(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::planned, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto allreduce_plan(X&& value, into_buffer<R, Layout> result, Op op = {},
                      const place& where = place::current()) const {
    return detail::reduced_into<detail::when::planned, detail::collective::allreduce>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
