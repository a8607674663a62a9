// peal/detail/collectives.hpp
// The collectives of communicator.
#pragma once

#include <type_traits>
#include <utility>

#include <peal/communicator.hpp>

namespace peal {

namespace detail {

/// B: what the elements are of.
template <class B>
collective_call call_of(collective kind, int root, std::span<const std::byte> send, std::span<std::byte> receive, std::size_t bytes) {
  collective_call call;
  call.kind = kind;
  call.root = root;
  call.send = send.data();
  call.receive = receive.data();
  call.bytes = bytes;
  call.element_type = type_of<given_element<B>>();
  return call;
}

inline void check_room(std::size_t needed, std::span<std::byte> room, const location& where) {
  if (room.size() < needed) fail(errc::invalid_argument, "the result does not fit into the buffer given for it", -1, where);
}

/// The task that gathers a B, by what kind of value it is.
template <class Holder, class B>
struct gather_of {
  using value = std::remove_cvref_t<B>;
  static auto pick() {
    if constexpr (fixed<value> && !contiguous<B>) return std::type_identity<gather_task<Holder, value>>{};
    else if constexpr (strided_view<B> && !contiguous<B>) return std::type_identity<gather_task<Holder, typename elements_in<B>::type>>{};
    else if constexpr (gathered_whole<B>) return std::type_identity<varying_gather_task<Holder, into_values<value>>>{};
    else return std::type_identity<gather_task<Holder, std::ranges::range_value_t<B>>>{};
  }
  using task = typename decltype(pick())::type;
};

template <class Op, class B>
using element_for = typename reduced<B, Op>::element;

}  // namespace detail

// ---- barrier and bcast -----------------------------------------------------------------------------------------------------------------
inline void communicator::barrier(const place& where) const { detail::run_collective(state(where), {}, where); }

inline request<> communicator::ibarrier(const place& where) const { return request<>{detail::start_collective(state(where), {}, where)}; }

template <receivable T>
T communicator::bcast(T value, int root, const place& where) const {
  if constexpr (fixed<T>) return detail::run_task(state(where), detail::bcast_value_task<T>{root, value}, where);
  else return detail::run_task(state(where), detail::bcast_task<T>{team(), root, std::move(value)}, where);
}

template <receivable T>
request<T> communicator::ibcast(T value, int root, const place& where) const {
  if constexpr (fixed<T>) return detail::begin_task<detail::bcast_value_task<T>>(state(where), where, root, value);
  else return detail::begin_task<detail::bcast_task<T>>(state(where), where, team(), root, std::move(value));
}

template <recv_block B>
void communicator::bcast_into(B&& buffer, int root, const place& where) const {
  const auto room = detail::room_of(buffer);
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::bcast, root, {}, room, room.size()), where);
}

template <recv_block B>
requires lasting<B> request<> communicator::ibcast_into(B&& buffer, int root, const place& where)
const {
  const auto room = detail::room_of(buffer);
  const auto call = detail::call_of<B>(detail::collective::bcast, root, {}, room, room.size());
  return request<>{detail::start_collective(state(where), call, where)};
}

// ---- reductions ------------------------------------------------------------------------------------------------------------------------
template <class B, class Op>
requires reducible<const B&, Op>
auto communicator::reduce(const B& value, int root, Op op, const place& where) const -> typename detail::reduced<const B&, Op>::type {
  using task = detail::reduce_task<detail::borrowed<const B&>, Op>;
  return detail::run_task(state(where), task{team(), detail::collective::reduce, root, value, std::move(op)}, where);
}

template <class B, class Op>
requires reducible<const B&, Op>
auto communicator::allreduce(const B& value, Op op, const place& where) const -> typename detail::reduced<const B&, Op>::type {
  using task = detail::reduce_task<detail::borrowed<const B&>, Op>;
  return detail::run_task(state(where), task{team(), detail::collective::allreduce, 0, value, std::move(op)}, where);
}

template <class B, class Op>
requires reducible<B, Op>
auto communicator::ireduce(B&& value, int root, Op op, const place& where) const -> request<typename detail::reduced<B&, Op>::type> {
  using task = detail::reduce_task<detail::kept<B>, Op>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::reduce, root, std::forward<B>(value), std::move(op));
}

template <class B, class Op>
requires reducible<B, Op>
auto communicator::iallreduce(B&& value, Op op, const place& where) const -> request<typename detail::reduced<B&, Op>::type> {
  using task = detail::reduce_task<detail::kept<B>, Op>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::allreduce, 0, std::forward<B>(value), std::move(op));
}

template <recv_block B, class Op>
requires reducible<B, Op>
void communicator::allreduce_inplace(B&& buffer, Op op, const place& where) const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  detail::run_task(state(where), task{detail::collective::allreduce, 0, nullptr, room.data(), room.size(), std::move(op)}, where);
}

template <recv_block B, class Op>
requires(reducible<B, Op>&& lasting<B>) request<> communicator::iallreduce_inplace(B&& buffer, Op op, const place& where)
const {
  const auto room = detail::room_of(buffer);
  using task = detail::reduce_into_task<detail::element_for<Op, B>, Op>;
  return detail::begin_task<task>(state(where), where, detail::collective::allreduce, 0, nullptr, room.data(), room.size(), std::move(op));
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible<const B&, Op>
void communicator::allreduce_into(const B& value, R&& into, Op op, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  const auto room = detail::room_of(into);
  detail::check_room(bytes.size(), room, where);
  using task = detail::reduce_into_task<detail::element_for<Op, const B&>, Op>;
  detail::run_task(state(where), task{detail::collective::allreduce, 0, bytes.data(), room.data(), bytes.size(), std::move(op)}, where);
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible<const B&, Op>
void communicator::reduce_into(const B& value, R&& into, int root, Op op, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  const auto room = detail::room_of(into);
  if (rank() == root) detail::check_room(bytes.size(), room, where);
  using task = detail::reduce_into_task<detail::element_for<Op, const B&>, Op>;
  detail::run_task(state(where), task{detail::collective::reduce, root, bytes.data(), room.data(), bytes.size(), std::move(op)}, where);
}

// ---- gather ----------------------------------------------------------------------------------------------------------------------------
template <sendable B>
auto communicator::gather(const B& value, int root, const place& where) const {
  using task = typename detail::gather_of<detail::borrowed<const B&>, const B&>::task;
  return detail::run_task(state(where), task{team(), detail::collective::gather, root, value}, where);
}

template <sendable B>
auto communicator::igather(B&& value, int root, const place& where) const {
  using task = typename detail::gather_of<detail::kept<B>, const std::remove_reference_t<B>&>::task;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::gather, root, std::forward<B>(value));
}

template <sendable B>
auto communicator::allgather(const B& value, const place& where) const {
  using task = typename detail::gather_of<detail::borrowed<const B&>, const B&>::task;
  return detail::run_task(state(where), task{team(), detail::collective::allgather, 0, value}, where);
}

template <sendable B>
auto communicator::iallgather(B&& value, const place& where) const {
  using task = typename detail::gather_of<detail::kept<B>, const std::remove_reference_t<B>&>::task;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::allgather, 0, std::forward<B>(value));
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::gatherv(const B& values, int root, const place& where) const -> blocks<std::ranges::range_value_t<B>> {
  using task = detail::varying_gather_task<detail::borrowed<const B&>, detail::into_blocks<std::ranges::range_value_t<B>>>;
  return detail::run_task(state(where), task{team(), detail::collective::gather, root, values}, where);
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::igatherv(B&& values, int root, const place& where) const -> request<blocks<std::ranges::range_value_t<B>>> {
  using task = detail::varying_gather_task<detail::kept<B>, detail::into_blocks<std::ranges::range_value_t<B>>>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::gather, root, std::forward<B>(values));
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::allgatherv(const B& values, const place& where) const -> blocks<std::ranges::range_value_t<B>> {
  using task = detail::varying_gather_task<detail::borrowed<const B&>, detail::into_blocks<std::ranges::range_value_t<B>>>;
  return detail::run_task(state(where), task{team(), detail::collective::allgather, 0, values}, where);
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::iallgatherv(B&& values, const place& where) const -> request<blocks<std::ranges::range_value_t<B>>> {
  using task = detail::varying_gather_task<detail::kept<B>, detail::into_blocks<std::ranges::range_value_t<B>>>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::allgather, 0, std::forward<B>(values));
}

template <send_block B, recv_block_for<B> R>
void communicator::gather_into(const B& value, R&& into, int root, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  const auto room = detail::room_of(into);
  if (rank() == root) detail::check_room(bytes.size() * team().count(), room, where);
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::gather, root, bytes, room, bytes.size()), where);
}

template <send_block B, recv_block_for<B> R>
void communicator::allgather_into(const B& value, R&& into, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  const auto room = detail::room_of(into);
  detail::check_room(bytes.size() * team().count(), room, where);
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::allgather, 0, bytes, room, bytes.size()), where);
}

template <send_block B, recv_block_for<B> R>
requires(lasting<B>&& lasting<R>) request<> communicator::iallgather_into(B&& value, R&& into, const place& where)
const {
  const auto bytes = detail::bytes_of(value);
  const auto room = detail::room_of(into);
  detail::check_room(bytes.size() * team().count(), room, where);
  const auto call = detail::call_of<B>(detail::collective::allgather, 0, bytes, room, bytes.size());
  return request<>{detail::start_collective(state(where), call, where)};
}

// ---- scatter ---------------------------------------------------------------------------------------------------------------------------
template <std::ranges::sized_range B>
requires serializable<std::ranges::range_value_t<B>>
auto communicator::scatter(const B& values, int root, const place& where) const -> std::vector<std::ranges::range_value_t<B>> {
  using task = detail::scatter_task<detail::equal_parts<B>, detail::into_one<std::vector<std::ranges::range_value_t<B>>>>;
  return detail::run_task(state(where), task{team(), root, values, where}, where);
}

template <std::ranges::sized_range B>
requires(serializable<std::ranges::range_value_t<B>>&& lasting<B>) auto communicator::iscatter(B&& values, int root,
                                                                                               const place& where) const
    -> request<std::vector<std::ranges::range_value_t<B>>> {
  using given = detail::equal_parts<std::remove_reference_t<B>>;
  using task = detail::scatter_task<given, detail::into_one<std::vector<std::ranges::range_value_t<B>>>>;
  return detail::begin_task<task>(state(where), where, team(), root, values, where);
}

template <range_of_blocks B>
auto communicator::scatterv(const B& parts, int root, const place& where) const -> std::vector<typename detail::joined_blocks<B>::element> {
  using task = detail::scatter_task<detail::parts_as_given<B>, detail::into_one<std::vector<typename detail::joined_blocks<B>::element>>>;
  return detail::run_task(state(where), task{team(), root, parts, where}, where);
}

template <range_of_blocks B>
auto communicator::iscatterv(const B& parts, int root, const place& where) const
    -> request<std::vector<typename detail::joined_blocks<B>::element>> {
  using task = detail::scatter_task<detail::parts_as_given<B>, detail::into_one<std::vector<typename detail::joined_blocks<B>::element>>>;
  return detail::begin_task<task>(state(where), where, team(), root, parts, where);
}

template <send_block B, recv_block_for<B> R>
void communicator::scatter_into(const B& values, R&& into, int root, const place& where) const {
  const auto bytes = detail::bytes_of(values);
  const auto room = detail::room_of(into);
  if (rank() == root && bytes.size() != room.size() * team().count())
    detail::fail(errc::invalid_argument, "scatter_into: the root must give size() times what each rank takes", -1, where);
  detail::run_collective(state(where), detail::call_of<R>(detail::collective::scatter, root, bytes, room, room.size()), where);
}

// ---- alltoall --------------------------------------------------------------------------------------------------------------------------
namespace detail {
inline void check_parts(std::size_t bytes, std::size_t element, std::size_t ranks, const location& where) {
  if (bytes / element % ranks != 0)
    fail(errc::invalid_argument, "alltoall: the number of elements is no multiple of the number of ranks; see alltoallv", -1, where);
}
}  // namespace detail

template <sendable B>
requires detail::contiguous<B>
auto communicator::alltoall(const B& values, const place& where) const -> std::vector<std::ranges::range_value_t<B>> {
  using element = std::ranges::range_value_t<B>;
  detail::check_parts(detail::bytes_of(values).size(), sizeof(element), team().count(), where);
  using task = detail::gather_task<detail::borrowed<const B&>, element>;
  return detail::run_task(state(where), task{team(), detail::collective::alltoall, 0, values}, where);
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::ialltoall(B&& values, const place& where) const -> request<std::vector<std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  detail::check_parts(detail::bytes_of(values).size(), sizeof(element), team().count(), where);
  using task = detail::gather_task<detail::kept<B>, element>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::alltoall, 0, std::forward<B>(values));
}

template <send_block B, recv_block_for<B> R>
void communicator::alltoall_into(const B& values, R&& into, const place& where) const {
  const auto bytes = detail::bytes_of(values);
  const auto room = detail::room_of(into);
  if (bytes.size() % team().count() != 0)
    detail::fail(errc::invalid_argument, "alltoall_into: the buffer does not divide into one part for every rank", -1, where);
  detail::check_room(bytes.size(), room, where);
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::alltoall, 0, bytes, room, bytes.size() / team().count()),
                         where);
}

template <range_of_blocks B>
auto communicator::alltoallv(const B& parts, const place& where) const -> blocks<typename detail::joined_blocks<B>::element> {
  return detail::run_task(state(where), detail::varying_alltoall_task<B>{team(), parts, where}, where);
}

template <range_of_blocks B>
auto communicator::ialltoallv(const B& parts, const place& where) const -> request<blocks<typename detail::joined_blocks<B>::element>> {
  return detail::begin_task<detail::varying_alltoall_task<B>>(state(where), where, team(), parts, where);
}

}  // namespace peal

#include <peal/detail/partial_reductions.hpp>  // IWYU pragma: export
