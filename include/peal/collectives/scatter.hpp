// peal/collectives/scatter.hpp
// scatter and scatterv: each rank has its part of what the root gives.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/scattering.hpp>

namespace peal {

/// Calls of communicator. What the others give does not matter. The parts are vectors.
template <class Communicator>
class scatter_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// The root's range in size() equal parts. into(): each rank takes what its memory has room
  /// for. With in_place() the root's memory holds all parts, and its own stays where it is; the
  /// others take theirs.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto scatter(
      X&& values, int root, const place& where = place::current()) const {
    return detail::scattered<detail::when::now>(self().call_at(where), root,
                                                std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto scatter(X&& values, into_buffer<R, Layout> result, int root,
               const place& where = place::current()) const {
    return detail::scattered_into<detail::when::now>(self().call_at(where), root,
                                                     std::forward<X>(values), result);
  }
  template <class X>
  auto iscatter(X&& values, int root, const place& where = place::current()) const {
    return detail::scattered<detail::when::later>(self().call_at(where), root,
                                                  std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto iscatter(X&& values, into_buffer<R, Layout> result, int root,
                const place& where = place::current()) const {
    return detail::scattered_into<detail::when::later>(self().call_at(where), root,
                                                       std::forward<X>(values), result);
  }
  template <class X>
  auto scatter_plan(X&& values, int root, const place& where = place::current()) const {
    return detail::scattered<detail::when::planned>(self().call_at(where), root,
                                                    std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto scatter_plan(X&& values, into_buffer<R, Layout> result, int root,
                    const place& where = place::current()) const {
    return detail::scattered_into<detail::when::planned>(self().call_at(where), root,
                                                         std::forward<X>(values), result);
  }
  /// @}

  /// @{
  /// The root's blocks, one for each rank. into(): each rank takes what its memory has room for.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto scatterv(
      X&& parts, int root, const place& where = place::current()) const {
    return detail::scattered_blocks<detail::when::now>(self().call_at(where), root,
                                                       std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto scatterv(X&& parts, into_buffer<R, Layout> result, int root,
                const place& where = place::current()) const {
    return detail::scattered_blocks_into<detail::when::now>(self().call_at(where), root,
                                                            std::forward<X>(parts), result);
  }
  template <class X>
  auto iscatterv(X&& parts, int root, const place& where = place::current()) const {
    return detail::scattered_blocks<detail::when::later>(self().call_at(where), root,
                                                         std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto iscatterv(X&& parts, into_buffer<R, Layout> result, int root,
                 const place& where = place::current()) const {
    return detail::scattered_blocks_into<detail::when::later>(self().call_at(where), root,
                                                              std::forward<X>(parts), result);
  }
  template <class X>
  auto scatterv_plan(X&& parts, int root, const place& where = place::current()) const {
    return detail::scattered_blocks<detail::when::planned>(self().call_at(where), root,
                                                           std::forward<X>(parts));
  }
  template <class X, class R, class Layout>
  auto scatterv_plan(X&& parts, into_buffer<R, Layout> result, int root,
                     const place& where = place::current()) const {
    return detail::scattered_blocks_into<detail::when::planned>(self().call_at(where), root,
                                                                std::forward<X>(parts), result);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
