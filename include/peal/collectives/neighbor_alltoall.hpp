// peal/collectives/neighbor_alltoall.hpp
// neighbor_alltoall, neighbor_alltoallv and neighbor_alltoallw: every rank has something for each
// of its destinations.
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

/// Of graph and grid. Called by every rank, also by those without neighbours.
template <class Communicator>
class neighbor_alltoall_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// Part i of the range goes to destination i; part i of the result, a vector, came from source
  /// i (zeros from proc_null). The range is in destinations().size() equal parts, as long on
  /// every rank. A rank with sources and no destinations cannot say how long, and takes the one
  /// with v, or into(), which fills sources().size() parts.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  neighbor_alltoall(X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::now, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto neighbor_alltoall(X&& values, into_buffer<R, Layout> result,
                         const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::now, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  template <class X>
  auto ineighbor_alltoall(X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::later, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto ineighbor_alltoall(X&& values, into_buffer<R, Layout> result,
                          const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::later, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  template <class X>
  auto neighbor_alltoall_plan(X&& values, const place& where = place::current()) const {
    return detail::exchanged<detail::when::planned, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto neighbor_alltoall_plan(X&& values, into_buffer<R, Layout> result,
                              const place& where = place::current()) const {
    return detail::exchanged_into<detail::when::planned, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(values), result);
  }
  /// @}

  /// @{
  /// Block i goes to destination i, whatever its length; block i of the result came from source
  /// i. into(buffer, counts): so many elements come from each source.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  neighbor_alltoallv(X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::now, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto neighbor_alltoallv(X&& parts, into_buffer<R, Layout> result,
                          const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::now, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  template <class X>
  auto ineighbor_alltoallv(X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::later, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto ineighbor_alltoallv(X&& parts, into_buffer<R, Layout> result,
                           const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::later,
                                         detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  template <class X>
  auto neighbor_alltoallv_plan(X&& parts, const place& where = place::current()) const {
    return detail::exchanged_blocks<detail::when::planned, detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto neighbor_alltoallv_plan(X&& parts, into_buffer<R, Layout> result,
                               const place& where = place::current()) const {
    return detail::exchanged_blocks_into<detail::when::planned,
                                         detail::collective::neighbor_alltoall>(
        self().call_at(where), std::forward<X>(parts), result);
  }
  /// @}

  /// @{
  /// As alltoallw: piece i of `out` goes to destination i, what comes from source i fills piece
  /// i of `in`.
  void neighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in,
                          const place& where = place::current()) const {
    detail::exchanged_pieces<detail::when::now, detail::collective::neighbor_alltoall>(
        self().call_at(where), out, in);
  }
  request<> ineighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in,
                                const place& where = place::current()) const {
    return detail::exchanged_pieces<detail::when::later, detail::collective::neighbor_alltoall>(
        self().call_at(where), out, in);
  }
  plan<> neighbor_alltoallw_plan(std::span<const send_view> out, std::span<const recv_view> in,
                                 const place& where = place::current()) const {
    return detail::exchanged_pieces<detail::when::planned, detail::collective::neighbor_alltoall>(
        self().call_at(where), out, in);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
