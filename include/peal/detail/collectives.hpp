// peal/detail/collectives.hpp
// The collectives of communicator.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

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

inline constexpr const char* no_room = "the result does not fit into the buffer given for it";

inline void check_room(std::size_t needed, std::span<std::byte> room, const call_site& at) {
  if (room.size() < needed) at.refuse(no_room);
}

/// Where a result goes: into the caller's room, or, where that is too short, into memory that is thrown away. A rank
/// whose room is too short has all that the others need of it. So it takes part, and is refused when that is done:
/// the others have their results, and no later call meets what this rank left out.
class ample_room {
 public:
  ample_room(std::size_t needed, std::span<std::byte> given, const location& where) : needed_{needed}, given_{given}, where_{where} {
    if (too_short()) [[unlikely]]
      instead_.resize((needed + sizeof(line) - 1) / sizeof(line));
  }
  [[nodiscard]] bool too_short() const noexcept { return given_.size() < needed_; }
  [[nodiscard]] std::span<std::byte> room() noexcept { return too_short() ? std::as_writable_bytes(std::span{instead_}) : given_; }
  /// Throws errc::invalid_argument where the caller's room is too short.
  void check() const {
    if (too_short()) fail(errc::invalid_argument, no_room, -1, where_);
  }

 private:
  struct alignas(64) line {  // so that elements of any type may lie in it
    std::byte bytes[64];
  };
  std::size_t needed_;
  std::span<std::byte> given_;
  location where_;
  std::vector<line> instead_;
};

/// A call whose result has nowhere to go: its request ends with the refusal.
class short_of_room_task {
 public:
  using result_type = void;
  short_of_room_task(const collective_call& call, ample_room&& room) : call_{call}, room_{std::move(room)} {}
  collective_call first() { return call_; }
  void result() { room_.check(); }

 private:
  collective_call call_;
  ample_room room_;
};

/// The task that gathers a B, by what kind of value it is.
template <class Holder, class B>
struct gather_of {
  using value = std::remove_cvref_t<B>;
  static auto pick() {
    if constexpr (fixed<value> && !contiguous<B>) return std::type_identity<gather_task<Holder, value>>{};
    else if constexpr (strided_view<B> && !contiguous<B>) return std::type_identity<gather_task<Holder, element_in<B>>>{};
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
  detail::ample_room ample{bytes.size(), detail::room_of(into), where};
  const auto room = ample.room();
  using task = detail::reduce_into_task<detail::element_for<Op, const B&>, Op>;
  detail::run_task(state(where), task{detail::collective::allreduce, 0, bytes.data(), room.data(), bytes.size(), std::move(op)}, where);
  ample.check();
}

template <send_block B, recv_block_for<B> R, class Op>
requires reducible<const B&, Op>
void communicator::reduce_into(const B& value, R&& into, int root, Op op, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  detail::ample_room ample{rank() == root ? bytes.size() : 0, detail::room_of(into), where};
  const auto room = ample.room();
  using task = detail::reduce_into_task<detail::element_for<Op, const B&>, Op>;
  detail::run_task(state(where), task{detail::collective::reduce, root, bytes.data(), room.data(), bytes.size(), std::move(op)}, where);
  ample.check();
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
  detail::ample_room ample{rank() == root ? bytes.size() * team().count() : 0, detail::room_of(into), where};
  const auto room = ample.room();
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::gather, root, bytes, room, bytes.size()), where);
  ample.check();
}

template <send_block B, recv_block_for<B> R>
void communicator::allgather_into(const B& value, R&& into, const place& where) const {
  const auto bytes = detail::bytes_of(value);
  detail::ample_room ample{bytes.size() * team().count(), detail::room_of(into), where};
  const auto room = ample.room();
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::allgather, 0, bytes, room, bytes.size()), where);
  ample.check();
}

template <send_block B, recv_block_for<B> R>
requires(lasting<B>&& lasting<R>) request<> communicator::iallgather_into(B&& value, R&& into, const place& where)
const {
  const auto bytes = detail::bytes_of(value);
  detail::ample_room ample{bytes.size() * team().count(), detail::room_of(into), where};
  const auto room = ample.room();
  const auto call = detail::call_of<B>(detail::collective::allgather, 0, bytes, room, bytes.size());
  if (ample.too_short()) [[unlikely]]
    return detail::begin_task<detail::short_of_room_task>(state(where), where, call, std::move(ample));
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
    blocking_at(where).refuse("scatter_into: the root must give size() times what each rank takes");
  detail::run_collective(state(where), detail::call_of<R>(detail::collective::scatter, root, bytes, room, room.size()), where);
}

// ---- alltoall --------------------------------------------------------------------------------------------------------------------------
namespace detail {
inline void check_parts(std::size_t bytes, std::size_t element, std::size_t ranks, const call_site& at) {
  if (bytes / element % ranks != 0) at.refuse("alltoall: the number of elements is no multiple of the number of ranks; see alltoallv");
}
}  // namespace detail

template <sendable B>
requires detail::contiguous<B>
auto communicator::alltoall(const B& values, const place& where) const -> std::vector<std::ranges::range_value_t<B>> {
  using element = std::ranges::range_value_t<B>;
  detail::check_parts(detail::bytes_of(values).size(), sizeof(element), team().count(), blocking_at(where));
  using task = detail::gather_task<detail::borrowed<const B&>, element>;
  return detail::run_task(state(where), task{team(), detail::collective::alltoall, 0, values}, where);
}

template <sendable B>
requires detail::contiguous<B>
auto communicator::ialltoall(B&& values, const place& where) const -> request<std::vector<std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  detail::check_parts(detail::bytes_of(values).size(), sizeof(element), team().count(), started_at(where));
  using task = detail::gather_task<detail::kept<B>, element>;
  return detail::begin_task<task>(state(where), where, team(), detail::collective::alltoall, 0, std::forward<B>(values));
}

template <send_block B, recv_block_for<B> R>
void communicator::alltoall_into(const B& values, R&& into, const place& where) const {
  const auto bytes = detail::bytes_of(values);
  if (bytes.size() / sizeof(detail::given_element<B>) % team().count() != 0)
    blocking_at(where).refuse("alltoall_into: the buffer does not divide into one part for every rank");
  detail::ample_room ample{bytes.size(), detail::room_of(into), where};
  const auto room = ample.room();
  detail::run_collective(state(where), detail::call_of<B>(detail::collective::alltoall, 0, bytes, room, bytes.size() / team().count()),
                         where);
  ample.check();
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
