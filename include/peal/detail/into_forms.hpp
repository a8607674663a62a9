// peal/detail/into_forms.hpp
// Collectives without memory of peal's: into buffers of the caller's, or in the place of what was given. In all three forms; where
// communicator.hpp has the blocking one, the others.
//
// Units    elements.
// Threads  as the communicator.
// Errors   peal::error with the caller's place: invalid_root; invalid_argument where lengths do not go together.
#pragma once

#include <cstddef>
#include <span>

#include <peal/detail/plan_forms.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

class into_forms : public plan_forms {
 public:
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> request<> ireduce_into(B&& value, R&& into, int root, Op op = {}, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> request<> iallreduce_into(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  /// The result replaces what the root gave; the buffers of the others stay as they are.
  template <recv_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  void reduce_inplace(B&& buffer, int root, Op op = {}, const place& = place::current()) const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible<B, Op> request<> ireduce_inplace(B&& buffer, int root, Op op = {}, const place& = place::current())
  const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible<B, Op> plan<> reduce_inplace_plan(B&& buffer, int root, Op op = {}, const place& = place::current())
  const;

  /// Of exscan, rank 0's memory stays as it is.
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible<const B&, Op>
  void scan_into(const B& value, R&& into, Op op = {}, const place& = place::current()) const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> request<> iscan_into(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> plan<> scan_into_plan(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible<const B&, Op>
  void exscan_into(const B& value, R&& into, Op op = {}, const place& = place::current()) const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> request<> iexscan_into(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible<B, Op> plan<> exscan_into_plan(B&& value, R&& into, Op op = {}, const place& = place::current())
  const;

  template <planned_range B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible_range<B, Op> request<> ireduce_scatter_block_into(B&& values, R&& into, Op op = {}, const place& = place::current())
  const;
  /// This rank's part replaces the beginning of what it gave; what lies behind it is undefined then.
  template <recv_block B, class Op = std::plus<>>
  requires reducible_range<B, Op>
  void reduce_scatter_block_inplace(B&& buffer, Op op = {}, const place& = place::current()) const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible_range<B, Op> request<> ireduce_scatter_block_inplace(B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible_range<B, Op> plan<> reduce_scatter_block_inplace_plan(B&& buffer, Op op = {}, const place& = place::current())
  const;
  /// `lengths`: elements of each rank's part, which lie one after the other; the same on every rank. Copied.
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible_range<const B&, Op>
  void reduce_scatter_into(const B& values, std::span<const std::size_t> lengths, R&& into, Op op = {},
                           const place& = place::current()) const;
  template <planned_range B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible_range<B, Op> request<> ireduce_scatter_into(B&& values, std::span<const std::size_t> lengths, R&& into, Op op = {},
                                                                 const place& = place::current())
  const;
  template <planned_range B, planned_room_for<B> R, class Op = std::plus<>>
  requires reducible_range<B, Op> plan<> reduce_scatter_into_plan(B&& values, std::span<const std::size_t> lengths, R&& into, Op op = {},
                                                                  const place& = place::current())
  const;
  template <recv_block B, class Op = std::plus<>>
  requires reducible_range<B, Op>
  void reduce_scatter_inplace(B&& buffer, std::span<const std::size_t> lengths, Op op = {}, const place& = place::current()) const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible_range<B, Op> request<> ireduce_scatter_inplace(B&& buffer, std::span<const std::size_t> lengths, Op op = {},
                                                                    const place& = place::current())
  const;
  template <planned_room B, class Op = std::plus<>>
  requires reducible_range<B, Op> plan<> reduce_scatter_inplace_plan(B&& buffer, std::span<const std::size_t> lengths, Op op = {},
                                                                     const place& = place::current())
  const;

  template <planned_block B, planned_room_for<B> R>
  request<> igather_into(B&& value, R&& into, int root, const place& = place::current()) const;
  template <planned_block B, planned_room_for<B> R>
  request<> iscatter_into(B&& values, R&& into, int root, const place& = place::current()) const;
  template <planned_block B, planned_room_for<B> R>
  request<> ialltoall_into(B&& values, R&& into, const place& = place::current()) const;
  /// The root's buffer (of allgather: every buffer) is size() blocks long, and its own block is at its place already. The others give their
  /// block (gather), or take it (scatter).
  template <recv_block B>
  void gather_inplace(B&& buffer, int root, const place& = place::current()) const;
  template <planned_room B>
  request<> igather_inplace(B&& buffer, int root, const place& = place::current()) const;
  template <planned_room B>
  plan<> gather_inplace_plan(B&& buffer, int root, const place& = place::current()) const;
  template <recv_block B>
  void scatter_inplace(B&& buffer, int root, const place& = place::current()) const;
  template <planned_room B>
  request<> iscatter_inplace(B&& buffer, int root, const place& = place::current()) const;
  template <planned_room B>
  plan<> scatter_inplace_plan(B&& buffer, int root, const place& = place::current()) const;
  template <recv_block B>
  void allgather_inplace(B&& buffer, const place& = place::current()) const;
  template <planned_room B>
  request<> iallgather_inplace(B&& buffer, const place& = place::current()) const;
  template <planned_room B>
  plan<> allgather_inplace_plan(B&& buffer, const place& = place::current()) const;
  /// What comes from rank i replaces what goes to it.
  template <recv_block B>
  void alltoall_inplace(B&& buffer, const place& = place::current()) const;
  template <planned_room B>
  request<> ialltoall_inplace(B&& buffer, const place& = place::current()) const;
  template <planned_room B>
  plan<> alltoall_inplace_plan(B&& buffer, const place& = place::current()) const;

 protected:
  using plan_forms::plan_forms;
};

}  // namespace peal::detail
