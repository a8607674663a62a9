// peal/collectives/reduce_scatter.hpp
// reduce_scatter and reduce_scatter_block: each rank has its own part of what is combined in rank
// order.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/partial_reducing.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// Calls of communicator. Element by element, as allreduce; the parts are vectors.
template <class Communicator>
class reduce_scatter_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// Rank i has part i of size() equal ones. With in_place() a rank's part replaces the
  /// beginning of what it gave, and what lies behind that is undefined.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  reduce_scatter_block(X&& values, Op op = {}, const place& where = place::current()) const {
    return detail::reduced_parts<detail::when::now>(self().call_at(where), std::forward<X>(values),
                                                    std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce_scatter_block(X&& values, into_buffer<R, Layout> result, Op op = {},
                            const place& where = place::current()) const {
    return detail::reduced_parts_into<detail::when::now>(
        self().call_at(where), std::forward<X>(values), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto ireduce_scatter_block(X&& values, Op op = {}, const place& where = place::current()) const {
    return detail::reduced_parts<detail::when::later>(self().call_at(where),
                                                      std::forward<X>(values), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto ireduce_scatter_block(X&& values, into_buffer<R, Layout> result, Op op = {},
                             const place& where = place::current()) const {
    return detail::reduced_parts_into<detail::when::later>(
        self().call_at(where), std::forward<X>(values), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto reduce_scatter_block_plan(X&& values, Op op = {},
                                 const place& where = place::current()) const {
    return detail::reduced_parts<detail::when::planned>(self().call_at(where),
                                                        std::forward<X>(values), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce_scatter_block_plan(X&& values, into_buffer<R, Layout> result, Op op = {},
                                 const place& where = place::current()) const {
    return detail::reduced_parts_into<detail::when::planned>(
        self().call_at(where), std::forward<X>(values), result, std::move(op));
  }
  /// @}

  /// @{
  /// Rank i has block i. There is a block for every rank, and the lengths are the same on every
  /// rank: a range of ranges, or blocks_of(range, counts). in_place(buffer, counts): as above.
  template <class X, class Op = std::plus<>>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto
  reduce_scatter(X&& parts, Op op = {}, const place& where = place::current()) const {
    return detail::reduced_blocks<detail::when::now>(self().call_at(where), std::forward<X>(parts),
                                                     std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce_scatter(X&& parts, into_buffer<R, Layout> result, Op op = {},
                      const place& where = place::current()) const {
    return detail::reduced_blocks_into<detail::when::now>(
        self().call_at(where), std::forward<X>(parts), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto ireduce_scatter(X&& parts, Op op = {}, const place& where = place::current()) const {
    return detail::reduced_blocks<detail::when::later>(self().call_at(where),
                                                       std::forward<X>(parts), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto ireduce_scatter(X&& parts, into_buffer<R, Layout> result, Op op = {},
                       const place& where = place::current()) const {
    return detail::reduced_blocks_into<detail::when::later>(
        self().call_at(where), std::forward<X>(parts), result, std::move(op));
  }
  template <class X, class Op = std::plus<>>
  auto reduce_scatter_plan(X&& parts, Op op = {}, const place& where = place::current()) const {
    return detail::reduced_blocks<detail::when::planned>(self().call_at(where),
                                                         std::forward<X>(parts), std::move(op));
  }
  template <class X, class R, class Layout, class Op = std::plus<>>
  auto reduce_scatter_plan(X&& parts, into_buffer<R, Layout> result, Op op = {},
                           const place& where = place::current()) const {
    return detail::reduced_blocks_into<detail::when::planned>(
        self().call_at(where), std::forward<X>(parts), result, std::move(op));
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
