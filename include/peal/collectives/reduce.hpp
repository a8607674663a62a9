// peal/collectives/reduce.hpp
// reduce: what all ranks give, combined in rank order, at the root.
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

/// Calls of communicator. As allreduce, but only the root has the result: an optional, which is
/// empty elsewhere. into() fills the root's memory, and that of the others may be empty. With
/// in_place() the result replaces what the root gave; what the others gave stays as it is.
template <class Communicator>
class reduce_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// At once, as a request, or as a plan.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto reduce(
      X&& value, int root, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::now, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce(X&& value, into_buffer<R, Layout> result, int root, Op op = {},
              const place& where = place::current()) const {
    return detail::reduced_into<detail::when::now, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto ireduce(X&& value, int root, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::later, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto ireduce(X&& value, into_buffer<R, Layout> result, int root, Op op = {},
               const place& where = place::current()) const {
    return detail::reduced_into<detail::when::later, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto reduce_plan(X&& value, int root, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::planned, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce_plan(X&& value, into_buffer<R, Layout> result, int root, Op op = {},
                   const place& where = place::current()) const {
    return detail::reduced_into<detail::when::planned, detail::collective::reduce>(
        self().call_at(where), root, std::forward<X>(value), result, std::move(op));
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
