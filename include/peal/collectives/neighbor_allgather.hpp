// peal/collectives/neighbor_allgather.hpp
// neighbor_allgather and neighbor_allgatherv: what every source gives.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/gathering.hpp>

namespace peal {

/// Of graph and grid. Called by every rank, also by those without neighbours.
template <class Communicator>
class neighbor_allgather_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// A vector: of the elements of all sources, where a rank gives a contiguous range of fixed
  /// values or a strided view, as long on every rank; else of the values. From proc_null: zeros,
  /// or a value without arguments. into() fills sources().size() times what a rank gives; what
  /// is there for proc_null stays as it is.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  neighbor_allgather(X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::now, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto neighbor_allgather(X&& value, into_buffer<R, Layout> result,
                          const place& where = place::current()) const {
    return detail::gathered_into<detail::when::now, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  template <class X>
  auto ineighbor_allgather(X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::later, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto ineighbor_allgather(X&& value, into_buffer<R, Layout> result,
                           const place& where = place::current()) const {
    return detail::gathered_into<detail::when::later, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  template <class X>
  auto neighbor_allgather_plan(X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::planned, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto neighbor_allgather_plan(X&& value, into_buffer<R, Layout> result,
                               const place& where = place::current()) const {
    return detail::gathered_into<detail::when::planned, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  /// @}

  /// @{
  /// Ranges that differ in length: a block a source. into(buffer, counts): so many elements come
  /// from each source.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  neighbor_allgatherv(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::now, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto neighbor_allgatherv(X&& values, into_buffer<R, Layout> result,
                           const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::now, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  template <class X>
  auto ineighbor_allgatherv(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::later, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto ineighbor_allgatherv(X&& values, into_buffer<R, Layout> result,
                            const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::later,
                                        detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  template <class X>
  auto neighbor_allgatherv_plan(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::planned, detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto neighbor_allgatherv_plan(X&& values, into_buffer<R, Layout> result,
                                const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::planned,
                                        detail::collective::neighbor_allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
