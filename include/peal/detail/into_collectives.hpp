// peal/detail/into_collectives.hpp
// The forms of into_forms.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <peal/communicator.hpp>
#include <peal/detail/into_calls.hpp>

namespace peal::detail {

// ---- reductions ------------------------------------------------------------------------------------------------------------------------
template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> request<> into_forms::ireduce_into(B&& value, R&& into, int root, Op op, const place& where)
const {
  return begin_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::reduce, root, bytes_of(value), room_of(into), rank() == root, started_at(where)), where,
      std::move(op));
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> request<> into_forms::iallreduce_into(B&& value, R&& into, Op op, const place& where)
const {
  return begin_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::allreduce, 0, bytes_of(value), room_of(into), true, started_at(where)), where,
      std::move(op));
}

template <recv_block B, class Op>
requires reducible<B, Op>
void into_forms::reduce_inplace(B&& buffer, int root, Op op, const place& where) const {
  run_on_buffers<element_for<Op, B>>(state(where), reduce_in_place_call(root, rank() == root, room_of(buffer)), where, std::move(op));
}

template <planned_room B, class Op>
requires reducible<B, Op> request<> into_forms::ireduce_inplace(B&& buffer, int root, Op op, const place& where)
const {
  return begin_on_buffers<element_for<Op, B>>(state(where), reduce_in_place_call(root, rank() == root, room_of(buffer)), where,
                                              std::move(op));
}

template <planned_room B, class Op>
requires reducible<B, Op> plan<> into_forms::reduce_inplace_plan(B&& buffer, int root, Op op, const place& where)
const {
  return plan_on_buffers<element_for<Op, B>>(state(where), reduce_in_place_call(root, rank() == root, room_of(buffer)), where,
                                             std::move(op));
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible<const B&, Op>
void into_forms::scan_into(const B& value, R&& into, Op op, const place& where) const {
  run_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::scan, 0, bytes_of(value), room_of(into), true, blocking_at(where)), where, std::move(op));
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> request<> into_forms::iscan_into(B&& value, R&& into, Op op, const place& where)
const {
  return begin_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::scan, 0, bytes_of(value), room_of(into), true, started_at(where)), where, std::move(op));
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> plan<> into_forms::scan_into_plan(B&& value, R&& into, Op op, const place& where)
const {
  return plan_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::scan, 0, bytes_of(value), room_of(into), true, planned_at(where)), where, std::move(op));
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible<const B&, Op>
void into_forms::exscan_into(const B& value, R&& into, Op op, const place& where) const {
  run_on_buffers<element_for<Op, B>>(state(where),
                                     reduce_into_call(collective::exscan, 0, bytes_of(value), room_of(into), true, blocking_at(where)),
                                     where, std::move(op));
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> request<> into_forms::iexscan_into(B&& value, R&& into, Op op, const place& where)
const {
  return begin_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::exscan, 0, bytes_of(value), room_of(into), true, started_at(where)), where, std::move(op));
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> plan<> into_forms::exscan_into_plan(B&& value, R&& into, Op op, const place& where)
const {
  return plan_on_buffers<element_for<Op, B>>(
      state(where), reduce_into_call(collective::exscan, 0, bytes_of(value), room_of(into), true, planned_at(where)), where, std::move(op));
}

// ---- parts of reductions ---------------------------------------------------------------------------------------------------------------
template <planned_range B, planned_room_for<B> R, class Op>
requires reducible_range<B, Op> request<> into_forms::ireduce_scatter_block_into(B&& values, R&& into, Op op, const place& where)
const {
  return begin_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      part_call(bytes_of(values).data(), bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), room_of(into), team().count(),
                started_at(where)),
      where, std::move(op));
}

template <recv_block B, class Op>
requires reducible_range<B, Op>
void into_forms::reduce_scatter_block_inplace(B&& buffer, Op op, const place& where) const {
  run_on_buffers<std::ranges::range_value_t<B>>(state(where),
                                                part_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>),
                                                          room_of(buffer), team().count(), blocking_at(where)),
                                                where, std::move(op));
}

template <planned_room B, class Op>
requires reducible_range<B, Op> request<> into_forms::ireduce_scatter_block_inplace(B&& buffer, Op op, const place& where)
const {
  return begin_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      part_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>), room_of(buffer), team().count(), started_at(where)),
      where, std::move(op));
}

template <planned_room B, class Op>
requires reducible_range<B, Op> plan<> into_forms::reduce_scatter_block_inplace_plan(B&& buffer, Op op, const place& where)
const {
  return plan_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      part_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>), room_of(buffer), team().count(), planned_at(where)),
      where, std::move(op));
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible_range<const B&, Op>
void into_forms::reduce_scatter_into(const B& values, std::span<const std::size_t> lengths, R&& into, Op op, const place& where) const {
  run_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      parts_call(bytes_of(values).data(), bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), lengths, room_of(into), team(),
                 blocking_at(where)),
      where, std::move(op));
}

template <planned_range B, planned_room_for<B> R, class Op>
requires reducible_range<B, Op> request<> into_forms::ireduce_scatter_into(B&& values, std::span<const std::size_t> lengths, R&& into,
                                                                           Op op, const place& where)
const {
  return begin_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      parts_call(bytes_of(values).data(), bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), lengths, room_of(into), team(),
                 started_at(where)),
      where, std::move(op));
}

template <planned_range B, planned_room_for<B> R, class Op>
requires reducible_range<B, Op> plan<> into_forms::reduce_scatter_into_plan(B&& values, std::span<const std::size_t> lengths, R&& into,
                                                                            Op op, const place& where)
const {
  return plan_on_buffers<std::ranges::range_value_t<B>>(
      state(where),
      parts_call(bytes_of(values).data(), bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), lengths, room_of(into), team(),
                 planned_at(where)),
      where, std::move(op));
}

template <recv_block B, class Op>
requires reducible_range<B, Op>
void into_forms::reduce_scatter_inplace(B&& buffer, std::span<const std::size_t> lengths, Op op, const place& where) const {
  run_on_buffers<std::ranges::range_value_t<B>>(state(where),
                                                parts_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>), lengths,
                                                           room_of(buffer), team(), blocking_at(where)),
                                                where, std::move(op));
}

template <planned_room B, class Op>
requires reducible_range<B, Op> request<> into_forms::ireduce_scatter_inplace(B&& buffer, std::span<const std::size_t> lengths, Op op,
                                                                              const place& where)
const {
  return begin_on_buffers<std::ranges::range_value_t<B>>(state(where),
                                                         parts_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>),
                                                                    lengths, room_of(buffer), team(), started_at(where)),
                                                         where, std::move(op));
}

template <planned_room B, class Op>
requires reducible_range<B, Op> plan<> into_forms::reduce_scatter_inplace_plan(B&& buffer, std::span<const std::size_t> lengths, Op op,
                                                                               const place& where)
const {
  return plan_on_buffers<std::ranges::range_value_t<B>>(state(where),
                                                        parts_call(nullptr, room_of(buffer).size(), sizeof(std::ranges::range_value_t<B>),
                                                                   lengths, room_of(buffer), team(), planned_at(where)),
                                                        where, std::move(op));
}

// ---- what only moves -------------------------------------------------------------------------------------------------------------------
template <planned_block B, planned_room_for<B> R>
request<> into_forms::igather_into(B&& value, R&& into, int root, const place& where) const {
  return begin_on_buffers<given_element<B>>(state(where), gather_into_call(root, bytes_of(value), room_of(into), team(), started_at(where)),
                                            where);
}

template <planned_block B, planned_room_for<B> R>
request<> into_forms::iscatter_into(B&& values, R&& into, int root, const place& where) const {
  return begin_on_buffers<given_element<R>>(state(where),
                                            scatter_into_call(root, bytes_of(values), room_of(into), team(), started_at(where)), where);
}

template <planned_block B, planned_room_for<B> R>
request<> into_forms::ialltoall_into(B&& values, R&& into, const place& where) const {
  return begin_on_buffers<given_element<B>>(
      state(where), alltoall_into_call(bytes_of(values), sizeof(given_element<B>), room_of(into), team(), started_at(where)), where);
}

template <recv_block B>
void into_forms::gather_inplace(B&& buffer, int root, const place& where) const {
  run_on_buffers<given_element<B>>(
      state(where), gather_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), blocking_at(where)), where);
}

template <planned_room B>
request<> into_forms::igather_inplace(B&& buffer, int root, const place& where) const {
  return begin_on_buffers<given_element<B>>(
      state(where), gather_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), started_at(where)), where);
}

template <planned_room B>
plan<> into_forms::gather_inplace_plan(B&& buffer, int root, const place& where) const {
  return plan_on_buffers<given_element<B>>(
      state(where), gather_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), planned_at(where)), where);
}

template <recv_block B>
void into_forms::scatter_inplace(B&& buffer, int root, const place& where) const {
  run_on_buffers<given_element<B>>(
      state(where), scatter_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), blocking_at(where)), where);
}

template <planned_room B>
request<> into_forms::iscatter_inplace(B&& buffer, int root, const place& where) const {
  return begin_on_buffers<given_element<B>>(
      state(where), scatter_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), started_at(where)), where);
}

template <planned_room B>
plan<> into_forms::scatter_inplace_plan(B&& buffer, int root, const place& where) const {
  return plan_on_buffers<given_element<B>>(
      state(where), scatter_in_place_call(root, room_of(buffer), sizeof(given_element<B>), team(), planned_at(where)), where);
}

template <recv_block B>
void into_forms::allgather_inplace(B&& buffer, const place& where) const {
  run_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::allgather, room_of(buffer), sizeof(given_element<B>), team(), blocking_at(where)), where);
}

template <planned_room B>
request<> into_forms::iallgather_inplace(B&& buffer, const place& where) const {
  return begin_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::allgather, room_of(buffer), sizeof(given_element<B>), team(), started_at(where)), where);
}

template <planned_room B>
plan<> into_forms::allgather_inplace_plan(B&& buffer, const place& where) const {
  return plan_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::allgather, room_of(buffer), sizeof(given_element<B>), team(), planned_at(where)), where);
}

template <recv_block B>
void into_forms::alltoall_inplace(B&& buffer, const place& where) const {
  run_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::alltoall, room_of(buffer), sizeof(given_element<B>), team(), blocking_at(where)), where);
}

template <planned_room B>
request<> into_forms::ialltoall_inplace(B&& buffer, const place& where) const {
  return begin_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::alltoall, room_of(buffer), sizeof(given_element<B>), team(), started_at(where)), where);
}

template <planned_room B>
plan<> into_forms::alltoall_inplace_plan(B&& buffer, const place& where) const {
  return plan_on_buffers<given_element<B>>(
      state(where), all_in_place_call(collective::alltoall, room_of(buffer), sizeof(given_element<B>), team(), planned_at(where)), where);
}

}  // namespace peal::detail
