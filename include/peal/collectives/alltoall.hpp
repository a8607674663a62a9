// peal/collectives/alltoall.hpp
// alltoall, alltoallv and alltoallw: every rank has something for every other.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/exchanging.hpp>
#include <peal/detail/pieces.hpp>

namespace peal {

/// Calls of communicator.
template <class Communicator>
class alltoall_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// Part i of the range, which is in size() equal ones, as long on every rank, goes to rank i;
  /// part i of the result, a vector, came from rank i. With in_place() what comes from rank i
  /// replaces what went to it.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto alltoall(
      X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::now, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto alltoall(X&& values, into_buffer<R, Layout> result,
                const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::now, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  template <class X>
  auto ialltoall(X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::later, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto ialltoall(X&& values, into_buffer<R, Layout> result,
                 const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::later, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  template <class X>
  auto alltoall_plan(X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::planned, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto alltoall_plan(X&& values, into_buffer<R, Layout> result,
                     const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::planned, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  /// @}

  /// @{
  /// Block i goes to rank i, whatever its length. The result is blocks of fixed elements, or for
  /// other elements a vector of vectors. into(buffer, counts): so many elements come from each
  /// rank.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto alltoallv(
      X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::now, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto alltoallv(X&& parts, into_buffer<R, Layout> result,
                 const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::now, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  template <class X>
  auto ialltoallv(X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::later, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto ialltoallv(X&& parts, into_buffer<R, Layout> result,
                  const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::later, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  template <class X>
  auto alltoallv_plan(X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::planned, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto alltoallv_plan(X&& parts, into_buffer<R, Layout> result,
                      const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::planned, detail::collective::alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  /// @}

  /// @{
  /// Piece i of `out` goes to rank i, and what comes from rank i fills piece i of `in`, whose
  /// length both know. Pieces may differ in type, length and layout, and overlap nothing that is
  /// filled. A piece of another length than what comes ends with errc::invalid_argument or
  /// truncated. The views are copied; the memory must live until the request has ended, or as
  /// long as the plan.
  void alltoallw(std::span<const send_view> out, std::span<const recv_view> in,
                 const place& where = place::current()) const {
    detail::exchanged_pieces<detail::when::now, detail::collective::alltoall>(self().call_at(where),
                                                                              out, in);
  }
  request<> ialltoallw(std::span<const send_view> out, std::span<const recv_view> in,
                       const place& where = place::current()) const {
    return detail::exchanged_pieces<detail::when::later, detail::collective::alltoall>(
        self().call_at(where), out, in);
  }
  plan<> alltoallw_plan(std::span<const send_view> out, std::span<const recv_view> in,
                        const place& where = place::current()) const {
    return detail::exchanged_pieces<detail::when::planned, detail::collective::alltoall>(
        self().call_at(where), out, in);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
