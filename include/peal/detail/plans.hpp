// peal/detail/plans.hpp
// The plans of communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <peal/communicator.hpp>
#include <peal/detail/collectives.hpp>
#include <peal/detail/partial_reductions.hpp>

namespace peal::detail {

template <class Element, class In, class Out, class Op>
plan<typename Out::type> make_plan(communicator_state& in, const collective_call& call, In given, Out got, Op op, const location& where) {
  return plan<typename Out::type>{
      new collective_plan<Element, In, Out, Op>{in, call, std::move(given), std::move(got), std::move(op), where}};
}

/// What reads and fills memory that stays where it is.
template <class Element, class Out>
plan<typename Out::type> make_plan(communicator_state& in, const collective_call& call, Out got, const location& where) {
  return make_plan<Element>(in, call, read_in_place{}, std::move(got), no_operation{}, where);
}

/// `room` null: in memory of the plan's.
inline collective_call planned_call(collective kind, int root, const void* send, void* room, std::size_t bytes) noexcept {
  collective_call call;
  call.kind = kind;
  call.root = root;
  call.send = send;
  call.receive = room;
  call.bytes = bytes;
  return call;
}

/// In the place of what is given; of no bytes nobody can tell.
inline collective_call planned_in_place(collective kind, std::span<std::byte> room) noexcept {
  collective_call call = planned_call(kind, 0, nullptr, room.data(), room.size());
  call.in_place = !room.empty();
  return call;
}

/// What `make` returns. Where it throws, on this rank alone, it takes no part in the exchange below, nor in the plan.
template <class Make>
auto or_no_exchange(communicator_state& in, const location& where, Make&& make) {
  return or_no_part({in, call_form::plan, where}, [&] { return or_no_part({in, call_form::blocking, where}, make); });
}

/// Tells lengths to each other, while a plan is made. Each a rank's, in bytes; null where a rank has no part in it.
inline void exchange_lengths(communicator_state& in, collective kind, int root, const std::uint64_t* mine, std::uint64_t* others,
                             const location& where) {
  collective_call call = planned_call(kind, root, mine, others, sizeof(std::uint64_t));
  call.element_type = type_of<std::uint64_t>();
  or_no_part({in, call_form::plan, where}, [&] { run_collective(in, call, where); });
}

template <class Out, class B, class Op>
Out room_for_reduced(std::span<const std::byte> bytes) {
  if constexpr (reduced_whole<B, Op>) return Out{};
  else return Out{bytes.size() / sizeof(typename reduced<B, Op>::element)};
}

// ---- barrier and bcast -----------------------------------------------------------------------------------------------------------------
inline plan<> plan_forms::barrier_plan(const place& where) const {
  using made = collective_plan<std::byte, read_in_place, left_in_place, no_operation>;
  return plan<>{new made{state(where), {}, {}, {}, {}, where}};
}

template <planned_block B>
auto plan_forms::bcast_plan(B&& value, int root, const place& where) const -> plan<typename planned_like<B>::type> {
  using out = planned_like<B>;
  const auto bytes = bytes_of(value);
  const bool gives = rank() == root;
  const auto call = planned_call(collective::bcast, root, nullptr, gives ? const_cast<std::byte*>(bytes.data()) : nullptr, bytes.size());
  const auto room = [&]() -> out {
    if constexpr (!contiguous<B>) return out{gives ? std::addressof(value) : nullptr};
    else if (gives) return out{std::span<const given_element<B>>{std::ranges::data(value), std::ranges::size(value)}};
    else return out{static_cast<std::size_t>(std::ranges::size(value))};
  };
  return make_plan<given_element<B>>(state(where), call, room(), where);
}

template <planned_room B>
plan<> plan_forms::bcast_into_plan(B&& buffer, int root, const place& where) const {
  const auto room = room_of(buffer);
  const auto call = planned_call(collective::bcast, root, nullptr, room.data(), room.size());
  return make_plan<given_element<B>>(state(where), call, left_in_place{}, where);
}

// ---- reductions ------------------------------------------------------------------------------------------------------------------------
template <planned_block B, class Op>
requires reducible<B, Op>
auto plan_forms::reduce_plan(B&& value, int root, Op op, const place& where) const -> plan<typename planned_reduced<B, Op>::type> {
  using out = planned_reduced<B, Op>;
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::reduce, root, bytes.data(), nullptr, bytes.size());
  const auto room = [&]() -> out {
    if constexpr (reduced_whole<B, Op>) return out{rank() == root ? nullptr : std::addressof(value)};
    else return out{rank() == root ? bytes.size() / sizeof(element_for<Op, B>) : 0};
  };
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, room(), std::move(op), where);
}

template <planned_block B, class Op>
requires reducible<B, Op>
auto plan_forms::allreduce_plan(B&& value, Op op, const place& where) const -> plan<typename planned_reduced<B, Op>::type> {
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::allreduce, 0, bytes.data(), nullptr, bytes.size());
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, room_for_reduced<planned_reduced<B, Op>, B, Op>(bytes),
                                       std::move(op), where);
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> plan<> plan_forms::reduce_into_plan(B&& value, R&& into, int root, Op op, const place& where)
const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  if (rank() == root) check_room(bytes.size(), room, planned_at(where));
  const auto call = planned_call(collective::reduce, root, bytes.data(), room.data(), bytes.size());
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_block B, planned_room_for<B> R, class Op>
requires reducible<B, Op> plan<> plan_forms::allreduce_into_plan(B&& value, R&& into, Op op, const place& where)
const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  check_room(bytes.size(), room, planned_at(where));
  const auto call = planned_call(collective::allreduce, 0, bytes.data(), room.data(), bytes.size());
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_room B, class Op>
requires reducible<B, Op> plan<> plan_forms::allreduce_inplace_plan(B&& buffer, Op op, const place& where)
const {
  const auto call = planned_in_place(collective::allreduce, room_of(buffer));
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_block B, class Op>
requires reducible<B, Op>
auto plan_forms::scan_plan(B&& value, Op op, const place& where) const -> plan<typename planned_reduced<B, Op>::type> {
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::scan, 0, bytes.data(), nullptr, bytes.size());
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, room_for_reduced<planned_reduced<B, Op>, B, Op>(bytes),
                                       std::move(op), where);
}

template <planned_block B, class Op>
requires reducible<B, Op>
auto plan_forms::exscan_plan(B&& value, Op op, const place& where) const -> plan<std::optional<typename planned_reduced<B, Op>::type>> {
  using out = planned_reduced<B, Op>;
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::exscan, 0, bytes.data(), nullptr, bytes.size());
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, maybe<out>{rank() != 0, room_for_reduced<out, B, Op>(bytes)},
                                       std::move(op), where);
}

template <planned_room B, class Op>
requires reducible<B, Op> plan<> plan_forms::scan_inplace_plan(B&& buffer, Op op, const place& where)
const {
  const auto call = planned_in_place(collective::scan, room_of(buffer));
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_room B, class Op>
requires reducible<B, Op> plan<> plan_forms::exscan_inplace_plan(B&& buffer, Op op, const place& where)
const {
  const auto call = planned_in_place(collective::exscan, room_of(buffer));
  return make_plan<element_for<Op, B>>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_range B, class Op>
requires reducible_range<B, Op>
auto plan_forms::reduce_scatter_block_plan(B&& values, Op op, const place& where) const
    -> plan<std::span<const std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = bytes_of(values);
  const std::size_t part = part_of(bytes.size(), sizeof(element), team().count(), planned_at(where));
  const auto call = planned_call(collective::reduce_scatter, 0, bytes.data(), nullptr, part);
  return make_plan<element>(state(where), call, read_in_place{}, many_values<element>{part / sizeof(element)}, std::move(op), where);
}

template <planned_range B, planned_room_for<B> R, class Op>
requires reducible_range<B, Op> plan<> plan_forms::reduce_scatter_block_into_plan(B&& values, R&& into, Op op, const place& where)
const {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = bytes_of(values);
  const auto room = room_of(into);
  const std::size_t part = part_of(bytes.size(), sizeof(element), team().count(), planned_at(where));
  check_room(part, room, planned_at(where));
  const auto call = planned_call(collective::reduce_scatter, 0, bytes.data(), room.data(), part);
  return make_plan<element>(state(where), call, read_in_place{}, left_in_place{}, std::move(op), where);
}

template <planned_blocks B, class Op>
requires reducible_blocks<B, Op>
auto plan_forms::reduce_scatter_plan(B&& parts, Op op, const place& where) const -> plan<std::span<const element_of_planned_blocks<B>>> {
  using element = element_of_planned_blocks<B>;
  auto given = or_no_part(planned_at(where), [&] { return copied_blocks<B>{std::forward<B>(parts), team().count(), where}; });
  const std::size_t part = given.bytes()[static_cast<std::size_t>(rank())];
  auto call = planned_call(collective::reduce_scatter, 0, given.data(), nullptr, part);
  call.varying = true;
  call.send_bytes = given.bytes().data();
  return make_plan<element>(state(where), call, std::move(given), many_values<element>{part / sizeof(element)}, std::move(op), where);
}

}  // namespace peal::detail

#include <peal/detail/moving_plans.hpp>  // IWYU pragma: export
