// peal/collectives/scan.hpp
// scan and exscan: what the ranks up to this one give, combined in rank order.
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

/// Calls of communicator; as allreduce.
template <class Communicator>
class scan_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// Of the ranks up to this one.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto scan(
      X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::now, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto scan(X&& value, into_buffer<R, Layout> result, Op op = {},
            const place& where = place::current()) const {
    return detail::reduced_into<detail::when::now, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto iscan(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::later, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto iscan(X&& value, into_buffer<R, Layout> result, Op op = {},
             const place& where = place::current()) const {
    return detail::reduced_into<detail::when::later, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto scan_plan(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::planned, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto scan_plan(X&& value, into_buffer<R, Layout> result, Op op = {},
                 const place& where = place::current()) const {
    return detail::reduced_into<detail::when::planned, detail::collective::scan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  /// @}

  /// @{
  /// Of the ranks below this one: an optional, which is empty on rank 0. With into() and
  /// in_place() the memory of rank 0 stays as it is.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto exscan(
      X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::now, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto exscan(X&& value, into_buffer<R, Layout> result, Op op = {},
              const place& where = place::current()) const {
    return detail::reduced_into<detail::when::now, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto iexscan(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::later, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto iexscan(X&& value, into_buffer<R, Layout> result, Op op = {},
               const place& where = place::current()) const {
    return detail::reduced_into<detail::when::later, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto exscan_plan(X&& value, Op op = {}, const place& where = place::current()) const {
    return detail::reduced<detail::when::planned, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto exscan_plan(X&& value, into_buffer<R, Layout> result, Op op = {},
                   const place& where = place::current()) const {
    return detail::reduced_into<detail::when::planned, detail::collective::exscan>(
        self().call_at(where), 0, std::forward<X>(value), result, std::move(op));
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
