// peal/detail/plan_forms.hpp
// The collectives of a communicator as plans: made ready once, started as often as wanted (peal/plan.hpp).
//
// A plan is made by every rank, in the same order among the collectives of the communicator. Nothing is moved of what it is given; where
// lengths differ between ranks they are told to each other then. What it is given as an lvalue or a view must stay where it is, and as long
// as it is, for as long as the plan lives; each start reads what is there then.
//
// Units    elements.
// Threads  as the communicator.
// Errors   peal::error with the caller's place: invalid_root; invalid_argument where lengths do not go together; not_started.
#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include <peal/basic_communicator.hpp>
#include <peal/detail/arguments.hpp>
#include <peal/detail/plan_body.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/plan.hpp>
#include <peal/view.hpp>

namespace peal {

/// What plans read: memory that lives on and is sent as it lies. A single fixed value too.
template <class B>
concept planned_block = send_block<B> && lasting<B>;
/// The same, which gathers put together element by element. Not a string, which is one value of any length.
template <class B>
concept planned_elements = planned_block<B> && elements_or_value<B>;
/// A range of fixed values.
template <class B>
concept planned_range = planned_block<B> && detail::contiguous<B>;
/// A block a rank; the blocks may lie apart from each other, and are copied at each start.
template <class B>
concept planned_blocks = range_of_blocks<B> && lasting<B>;
/// Memory that plans fill.
template <class B>
concept planned_room = recv_block<B> && lasting<B>;
/// The same, with the elements of B.
template <class R, class B>
concept planned_room_for = planned_room<R> && same_elements<R, B>;

namespace detail {

/// Where the result of a plan goes: a value for a value, a span for a range.
template <class B>
using planned_like = std::conditional_t<contiguous<B>, many_values<given_element<B>>, one_value<given_element<B>>>;
template <class B, class Op>
using planned_reduced =
    std::conditional_t<reduced_whole<B, Op>, one_value<typename reduced<B, Op>::element>, many_values<typename reduced<B, Op>::element>>;
template <class B>
using element_of_planned_blocks = typename copied_blocks<B>::element;

class plan_forms : public basic_communicator {
 public:
  plan<> barrier_plan(const place& = place::current()) const;

  /// The root's value or range, on every rank; a range is as long on every rank. What the others give says only how long it is.
  template <planned_block B>
  auto bcast_plan(B&& value, int root, const place& = place::current()) const -> plan<typename planned_like<B>::type>;
  /// Fills the buffers of the others with the root's.
  template <planned_room B>
  plan<> bcast_into_plan(B&& buffer, int root, const place& = place::current()) const;

  /// Combined over all ranks, in rank order; a range element by element. reduce_plan: at the root alone; the others get their own value
  /// back, or an empty span.
  template <planned_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto reduce_plan(B&& value, int root, Op op = {}, const place& = place::current()) const -> plan<typename planned_reduced<B, Op>::type>;
  template <planned_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto allreduce_plan(B&& value, Op op = {}, const place& = place::current()) const -> plan<typename planned_reduced<B, Op>::type>;
  /// Into memory of the caller's (reduce_into_plan: of the root; the others' may be empty), or in the place of what was given.
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> plan<> reduce_into_plan(B&& value, R&& into, int root, Op op = {}, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> plan<> allreduce_into_plan(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible<B, Op> plan<> allreduce_inplace_plan(B&& buffer, Op op = {}, const place& = place::current())
  const;

  /// Combined over the ranks up to this one; exscan: below this one, so that rank 0 gets none.
  template <planned_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto scan_plan(B&& value, Op op = {}, const place& = place::current()) const -> plan<typename planned_reduced<B, Op>::type>;
  template <planned_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto exscan_plan(B&& value, Op op = {}, const place& = place::current()) const
      -> plan<std::optional<typename planned_reduced<B, Op>::type>>;
  /// Of exscan, rank 0's buffer stays as it is.
  template <planned_room B, class Op = std::plus<>>
  requires reducible<B, Op> plan<> scan_inplace_plan(B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible<B, Op> plan<> exscan_inplace_plan(B&& buffer, Op op = {}, const place& = place::current())
  const;

  /// Element by element, as allreduce_plan, but rank i gets part i of size() equal ones, or block i (the lengths are the same everywhere).
  template <planned_range B, class Op = std::plus<>>
  requires reducible_range<B, Op>
  auto reduce_scatter_block_plan(B&& values, Op op = {}, const place& = place::current()) const
      -> plan<std::span<const std::ranges::range_value_t<B>>>;
  template <planned_range B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible_range<B, Op> plan<> reduce_scatter_block_into_plan(B&& values, R&& into, Op op = {}, const place& = place::current())
  const;
  template <planned_blocks B, class Op = std::plus<>>
  requires reducible_blocks<B, Op>
  auto reduce_scatter_plan(B&& parts, Op op = {}, const place& = place::current()) const
      -> plan<std::span<const element_of_planned_blocks<B>>>;

  /// What every rank gave, in rank order, at the root (elsewhere an empty span) or on all ranks; as much on every rank.
  template <planned_elements B>
  auto gather_plan(B&& value, int root, const place& = place::current()) const -> plan<std::span<const given_element<B>>>;
  template <planned_elements B>
  auto allgather_plan(B&& value, const place& = place::current()) const -> plan<std::span<const given_element<B>>>;
  /// Into memory of the caller's: size() times what a rank gives (gather_into_plan: at the root; the others' may be empty).
  template <planned_block B, planned_room_for<B> R>
  plan<> gather_into_plan(B&& value, R&& into, int root, const place& = place::current()) const;
  template <planned_block B, planned_room_for<B> R>
  plan<> allgather_into_plan(B&& value, R&& into, const place& = place::current()) const;
  /// Ranges that differ in length: a block a rank.
  template <planned_range B>
  auto gatherv_plan(B&& values, int root, const place& = place::current()) const
      -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>>;
  template <planned_range B>
  auto allgatherv_plan(B&& values, const place& = place::current()) const
      -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>>;

  /// The root's range in size() equal parts, or its blocks, one for each rank. What the others give does not matter, and may be empty.
  template <planned_range B>
  auto scatter_plan(B&& values, int root, const place& = place::current()) const -> plan<std::span<const std::ranges::range_value_t<B>>>;
  template <planned_block B, planned_room_for<B> R>
  plan<> scatter_into_plan(B&& values, R&& into, int root, const place& = place::current()) const;
  template <planned_blocks B>
  auto scatterv_plan(B&& parts, int root, const place& = place::current()) const -> plan<std::span<const element_of_planned_blocks<B>>>;

  /// Part i of the range goes to rank i; part i of the result came from rank i. Parts are equally long on all ranks; blocks are not.
  template <planned_range B>
  auto alltoall_plan(B&& values, const place& = place::current()) const -> plan<std::span<const std::ranges::range_value_t<B>>>;
  template <planned_block B, planned_room_for<B> R>
  plan<> alltoall_into_plan(B&& values, R&& into, const place& = place::current()) const;
  template <planned_blocks B>
  auto alltoallv_plan(B&& parts, const place& = place::current()) const
      -> plan<std::span<const std::span<const element_of_planned_blocks<B>>>>;
  /// As alltoallw. The views are copied.
  plan<> alltoallw_plan(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;

 protected:
  using basic_communicator::basic_communicator;
  plan_forms(plan_forms&&) noexcept = default;
  plan_forms& operator=(plan_forms&&) noexcept = default;
  ~plan_forms() = default;
};

}  // namespace detail

}  // namespace peal
