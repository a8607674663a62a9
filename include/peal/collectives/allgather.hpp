// peal/collectives/allgather.hpp
// allgather and allgatherv: what every rank gives, in rank order, on every rank.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/gathering.hpp>

namespace peal {

/// Calls of communicator.
template <class Communicator>
class allgather_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// A vector: of the elements of all ranks, where a rank gives a contiguous range of fixed
  /// values or a strided view, as long on every rank; else of the values. into() fills size()
  /// times what a rank gives. With in_place() the memory is as long, and a rank's own block is
  /// at its place.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto allgather(
      X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::now, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto allgather(X&& value, into_buffer<R, Layout> result,
                 const place& where = place::current()) const {
    return detail::gathered_into<detail::when::now, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  template <class X>
  auto iallgather(X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::later, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto iallgather(X&& value, into_buffer<R, Layout> result,
                  const place& where = place::current()) const {
    return detail::gathered_into<detail::when::later, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  template <class X>
  auto allgather_plan(X&& value, const place& where = place::current()) const {
    return detail::gathered<detail::when::planned, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto allgather_plan(X&& value, into_buffer<R, Layout> result,
                      const place& where = place::current()) const {
    return detail::gathered_into<detail::when::planned, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(value), result);
  }
  /// @}

  /// @{
  /// Ranges that differ in length: blocks of fixed elements, or for other elements a vector of
  /// vectors. into(buffer, counts) and in_place(buffer, counts): every rank says how many
  /// elements come from each rank.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  allgatherv(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::now, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto allgatherv(X&& values, into_buffer<R, Layout> result,
                  const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::now, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  template <class X>
  auto iallgatherv(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::later, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto iallgatherv(X&& values, into_buffer<R, Layout> result,
                   const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::later, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  template <class X>
  auto allgatherv_plan(X&& values, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::planned, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto allgatherv_plan(X&& values, into_buffer<R, Layout> result,
                       const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::planned, detail::collective::allgather>(
        self().call_at(where), 0, std::forward<X>(values), result);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
