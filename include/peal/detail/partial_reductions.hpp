// peal/detail/partial_reductions.hpp
// The collectives of communicator that reduce and leave each rank its own part: reduce_scatter, scan, exscan.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <peal/communicator.hpp>
#include <peal/detail/collectives.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

// ---- reduce_scatter --------------------------------------------------------------------------------------------------------------------
namespace detail {
/// Bytes of a rank's part.
inline std::size_t part_of(std::size_t bytes, std::size_t element, std::size_t ranks, const call_site& at) {
  if (bytes / element % ranks != 0)
    at.refuse("reduce_scatter_block: the number of elements is no multiple of the number of ranks; see reduce_scatter");
  return bytes / ranks;
}
}  // namespace detail

template <class B, class Op>
requires reducible_range<const B&, Op>
auto communicator::reduce_scatter_block(const B& values, Op op, const place& where) const -> std::vector<std::ranges::range_value_t<B>> {
  detail::part_of(detail::bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), team().count(), blocking_at(where));
  using task = detail::equal_reduce_scatter_task<detail::borrowed<const B&>, Op>;
  return detail::run_task(state(where), task{team(), values, std::move(op)}, where);
}

template <class B, class Op>
requires reducible_range<B, Op>
auto communicator::ireduce_scatter_block(B&& values, Op op, const place& where) const
    -> request<std::vector<std::ranges::range_value_t<B>>> {
  detail::part_of(detail::bytes_of(values).size(), sizeof(std::ranges::range_value_t<B>), team().count(), started_at(where));
  using task = detail::equal_reduce_scatter_task<detail::kept<B>, Op>;
  return detail::begin_task<task>(state(where), where, team(), std::forward<B>(values), std::move(op));
}

template <class B, class Op>
requires reducible_blocks<const B&, Op>
auto communicator::reduce_scatter(const B& parts, Op op, const place& where) const -> std::vector<detail::element_of_blocks<const B&>> {
  using task = detail::varying_reduce_scatter_task<B, Op>;
  return detail::run_task(state(where), task{team(), parts, std::move(op), started_at(where)}, where);
}

template <class B, class Op>
requires reducible_blocks<const B&, Op>
auto communicator::ireduce_scatter(const B& parts, Op op, const place& where) const
    -> request<std::vector<detail::element_of_blocks<const B&>>> {
  using task = detail::varying_reduce_scatter_task<B, Op>;
  return detail::begin_task<task>(state(where), where, team(), parts, std::move(op), started_at(where));
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible_range<const B&, Op>
void communicator::reduce_scatter_block_into(const B& values, R&& into, Op op, const place& where) const {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = detail::bytes_of(values);
  const std::size_t part = detail::part_of(bytes.size(), sizeof(element), team().count(), blocking_at(where));
  detail::ample_room ample{part, detail::room_of(into), where};
  using task = detail::reduce_scatter_into_task<element, Op>;
  detail::run_task(state(where), task{bytes.data(), ample.room().data(), part, std::move(op)}, where);
  ample.check();
}

// ---- scan and exscan -------------------------------------------------------------------------------------------------------------------
template <class B, class Op>
requires reducible<const B&, Op>
auto communicator::scan(const B& value, Op op, const place& where) const -> typename detail::reduced<const B&, Op>::type {
  using task = detail::reduce_task<detail::borrowed<const B&>, Op>;
  return detail::run_task(state(where), task{team(), detail::collective::scan, 0, value, std::move(op)}, where);
}

template <class B, class Op>
requires reducible<B, Op>
auto communicator::iscan(B&& value, Op op, const place& where) const -> request<typename detail::reduced<B&, Op>::type> {
  using task = detail::reduce_task<detail::kept<B>, Op>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::scan, 0, std::forward<B>(value), std::move(op));
}

template <class B, class Op>
requires reducible<const B&, Op>
auto communicator::exscan(const B& value, Op op, const place& where) const -> std::optional<typename detail::reduced<const B&, Op>::type> {
  using task = detail::exscan_task<detail::borrowed<const B&>, Op>;
  return detail::run_task(state(where), task{team(), value, std::move(op)}, where);
}

template <class B, class Op>
requires reducible<B, Op>
auto communicator::iexscan(B&& value, Op op, const place& where) const -> request<std::optional<typename detail::reduced<B&, Op>::type>> {
  using task = detail::exscan_task<detail::kept<B>, Op>;
  return detail::begin_task<task>(state(where), where, team(), std::forward<B>(value), std::move(op));
}

template <recv_block B, class Op>
requires reducible<B, Op>
void communicator::scan_inplace(B&& buffer, Op op, const place& where) const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  detail::run_task(state(where), task{detail::collective::scan, 0, nullptr, room.data(), room.size(), std::move(op)}, where);
}

template <recv_block B, class Op>
requires(reducible<B, Op>&& lasting<B>) request<> communicator::iscan_inplace(B&& buffer, Op op, const place& where)
const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  return detail::begin_task<task>(state(where), where, detail::collective::scan, 0, nullptr, room.data(), room.size(), std::move(op));
}

template <recv_block B, class Op>
requires reducible<B, Op>
void communicator::exscan_inplace(B&& buffer, Op op, const place& where) const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  detail::run_task(state(where), task{detail::collective::exscan, 0, nullptr, room.data(), room.size(), std::move(op)}, where);
}

template <recv_block B, class Op>
requires(reducible<B, Op>&& lasting<B>) request<> communicator::iexscan_inplace(B&& buffer, Op op, const place& where)
const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  return detail::begin_task<task>(state(where), where, detail::collective::exscan, 0, nullptr, room.data(), room.size(), std::move(op));
}

}  // namespace peal

#include <peal/detail/plans.hpp>  // IWYU pragma: export
