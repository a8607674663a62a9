// peal/collectives/gather.hpp
// gather and gatherv: what every rank gives, in rank order, at the root.
//
// Units    elements; ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>
#include <utility>

#include <peal/data/into.hpp>
#include <peal/detail/collectives/gathering.hpp>

namespace peal {

/// Calls of communicator. The root has the result: an optional, which is empty elsewhere.
template <class Communicator>
class gather_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// A vector: of the elements of all ranks, where a rank gives a contiguous range of fixed
  /// values or a strided view, as long on every rank; else of the values. into() fills the
  /// root's memory, which has room for size() times what a rank gives. With in_place() the
  /// root's memory is as long, and its own block is at its place; the others give theirs.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto gather(
      X&& value, int root, const place& where = place::current()) const {
    return detail::gathered<detail::when::now, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto gather(X&& value, into_buffer<R, Layout> result, int root,
              const place& where = place::current()) const {
    return detail::gathered_into<detail::when::now, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value), result);
  }
  template <class X>
  auto igather(X&& value, int root, const place& where = place::current()) const {
    return detail::gathered<detail::when::later, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto igather(X&& value, into_buffer<R, Layout> result, int root,
               const place& where = place::current()) const {
    return detail::gathered_into<detail::when::later, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value), result);
  }
  template <class X>
  auto gather_plan(X&& value, int root, const place& where = place::current()) const {
    return detail::gathered<detail::when::planned, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value));
  }
  template <class X, class R, class Layout>
  auto gather_plan(X&& value, into_buffer<R, Layout> result, int root,
                   const place& where = place::current()) const {
    return detail::gathered_into<detail::when::planned, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(value), result);
  }
  /// @}

  /// @{
  /// Ranges that differ in length: blocks of fixed elements, or for other elements a vector of
  /// vectors. into(buffer, counts) and in_place(buffer, counts): the root says how many elements
  /// come from each rank.
  template <class X>
  [[nodiscard("the result is returned; into() and in_place() fill memory instead")]] auto gatherv(
      X&& values, int root, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::now, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto gatherv(X&& values, into_buffer<R, Layout> result, int root,
               const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::now, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values), result);
  }
  template <class X>
  auto igatherv(X&& values, int root, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::later, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto igatherv(X&& values, into_buffer<R, Layout> result, int root,
                const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::later, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values), result);
  }
  template <class X>
  auto gatherv_plan(X&& values, int root, const place& where = place::current()) const {
    return detail::gathered_blocks<detail::when::planned, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values));
  }
  template <class X, class R, class Layout>
  auto gatherv_plan(X&& values, into_buffer<R, Layout> result, int root,
                    const place& where = place::current()) const {
    return detail::gathered_blocks_into<detail::when::planned, detail::collective::gather>(
        self().call_at(where), root, std::forward<X>(values), result);
  }
  /// @}

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace peal
