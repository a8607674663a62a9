// peal/detail/moving_plans.hpp
// The plans of communicator that only move: gathers, scatters, alltoalls.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <peal/communicator.hpp>
#include <peal/detail/plans.hpp>

namespace peal::detail {

// ---- gather ----------------------------------------------------------------------------------------------------------------------------
template <planned_elements B>
auto plan_forms::gather_plan(B&& value, int root, const place& where) const -> plan<std::span<const given_element<B>>> {
  using element = given_element<B>;
  const auto bytes = bytes_of(value);
  const std::size_t all = rank() == root ? bytes.size() / sizeof(element) * team().count() : 0;
  const auto call = planned_call(collective::gather, root, bytes.data(), nullptr, bytes.size());
  return make_plan<element>(state(where), call, many_values<element>{all}, where);
}

template <planned_elements B>
auto plan_forms::allgather_plan(B&& value, const place& where) const -> plan<std::span<const given_element<B>>> {
  using element = given_element<B>;
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::allgather, 0, bytes.data(), nullptr, bytes.size());
  return make_plan<element>(state(where), call, many_values<element>{bytes.size() / sizeof(element) * team().count()}, where);
}

template <planned_block B, planned_room_for<B> R>
plan<> plan_forms::gather_into_plan(B&& value, R&& into, int root, const place& where) const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  if (rank() == root) check_room(bytes.size() * team().count(), room, planned_at(where));
  const auto call = planned_call(collective::gather, root, bytes.data(), room.data(), bytes.size());
  return make_plan<given_element<B>>(state(where), call, left_in_place{}, where);
}

template <planned_block B, planned_room_for<B> R>
plan<> plan_forms::allgather_into_plan(B&& value, R&& into, const place& where) const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  check_room(bytes.size() * team().count(), room, planned_at(where));
  const auto call = planned_call(collective::allgather, 0, bytes.data(), room.data(), bytes.size());
  return make_plan<given_element<B>>(state(where), call, left_in_place{}, where);
}

/// gatherv and the like: so many blocks arrive on this rank.
template <class Element>
plan<std::span<const std::span<const Element>>> plan_to_gather_blocks(communicator_state& in, collective kind, int root, std::size_t blocks,
                                                                      std::span<const std::byte> mine, const location& where) {
  const std::uint64_t given = mine.size();
  std::vector<std::uint64_t> lengths(blocks);
  exchange_lengths(in, kind, root, &given, lengths.data(), where);
  auto room = or_no_part({in, call_form::plan, where}, [&] { return many_blocks<Element>{std::move(lengths)}; });
  auto call = planned_call(kind, root, mine.data(), nullptr, mine.size());
  call.varying = true;
  if (blocks != 0) call.receive_bytes = room.lengths();
  return make_plan<Element>(in, call, std::move(room), where);
}

template <planned_range B>
auto plan_forms::gatherv_plan(B&& values, int root, const place& where) const
    -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>> {
  return plan_to_gather_blocks<std::ranges::range_value_t<B>>(state(where), collective::gather, root, rank() == root ? team().count() : 0,
                                                              bytes_of(values), where);
}

template <planned_range B>
auto plan_forms::allgatherv_plan(B&& values, const place& where) const
    -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>> {
  return plan_to_gather_blocks<std::ranges::range_value_t<B>>(state(where), collective::allgather, 0, team().count(), bytes_of(values),
                                                              where);
}

inline void check_whole(std::uint64_t bytes, std::size_t element) {
  if (bytes % element != 0) wrong_size(bytes, element);
}

// ---- scatter ---------------------------------------------------------------------------------------------------------------------------
template <planned_range B>
auto plan_forms::scatter_plan(B&& values, int root, const place& where) const -> plan<std::span<const std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = bytes_of(values);
  std::uint64_t part = bytes.size() / team().count();
  if (rank() == root && bytes.size() / sizeof(element) % team().count() != 0) {
    take_no_part(state(where), call_form::blocking, where);  // in the exchange
    planned_at(where).refuse("scatter_plan: the number of elements is no multiple of the number of ranks; see scatterv_plan");
  }
  exchange_lengths(state(where), collective::bcast, root, nullptr, &part, where);
  or_no_part(planned_at(where), [&] { check_whole(part, sizeof(element)); });
  const auto call = planned_call(collective::scatter, root, bytes.data(), nullptr, part);
  return make_plan<element>(state(where), call, many_values<element>{part / sizeof(element)}, where);
}

template <planned_block B, planned_room_for<B> R>
plan<> plan_forms::scatter_into_plan(B&& values, R&& into, int root, const place& where) const {
  const auto bytes = bytes_of(values);
  const auto room = room_of(into);
  if (rank() == root && bytes.size() != room.size() * team().count())
    planned_at(where).refuse("scatter_into_plan: the root must give size() times what each rank takes");
  const auto call = planned_call(collective::scatter, root, bytes.data(), room.data(), room.size());
  return make_plan<given_element<R>>(state(where), call, left_in_place{}, where);
}

template <planned_blocks B>
auto plan_forms::scatterv_plan(B&& parts, int root, const place& where) const -> plan<std::span<const element_of_planned_blocks<B>>> {
  using element = element_of_planned_blocks<B>;
  const bool gives = rank() == root;
  copied_blocks_of_one<B> given;
  std::vector<std::uint64_t> lengths;
  if (gives) {
    or_no_exchange(state(where), where, [&] { given.emplace(std::forward<B>(parts), team().count(), where); });
    lengths.assign(given.get().bytes().begin(), given.get().bytes().end());
  }
  std::uint64_t mine = 0;
  exchange_lengths(state(where), collective::scatter, root, lengths.data(), &mine, where);
  or_no_part(planned_at(where), [&] { check_whole(mine, sizeof(element)); });
  auto call = planned_call(collective::scatter, root, gives ? given.get().data() : nullptr, nullptr, mine);
  call.varying = true;
  if (gives) call.send_bytes = given.get().bytes().data();
  return make_plan<element>(state(where), call, std::move(given), many_values<element>{mine / sizeof(element)}, no_operation{}, where);
}

// ---- alltoall --------------------------------------------------------------------------------------------------------------------------
template <planned_range B>
auto plan_forms::alltoall_plan(B&& values, const place& where) const -> plan<std::span<const std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = bytes_of(values);
  check_parts(bytes.size(), sizeof(element), team().count(), planned_at(where));
  const auto call = planned_call(collective::alltoall, 0, bytes.data(), nullptr, bytes.size() / team().count());
  return make_plan<element>(state(where), call, many_values<element>{bytes.size() / sizeof(element)}, where);
}

template <planned_block B, planned_room_for<B> R>
plan<> plan_forms::alltoall_into_plan(B&& values, R&& into, const place& where) const {
  const auto bytes = bytes_of(values);
  const auto room = room_of(into);
  check_parts(bytes.size(), sizeof(given_element<B>), team().count(), planned_at(where));
  check_room(bytes.size(), room, planned_at(where));
  const auto call = planned_call(collective::alltoall, 0, bytes.data(), room.data(), bytes.size() / team().count());
  return make_plan<given_element<B>>(state(where), call, left_in_place{}, where);
}

/// alltoallv and the like: a block for each destination, and one of each source.
template <class B>
plan<std::span<const std::span<const element_of_planned_blocks<B>>>> plan_to_exchange_blocks(communicator_state& in, collective kind,
                                                                                             std::size_t destinations, std::size_t sources,
                                                                                             B&& parts, const location& where) {
  using element = element_of_planned_blocks<B>;
  auto given = or_no_exchange(in, where, [&] { return copied_blocks<B>{std::forward<B>(parts), destinations, where}; });
  const std::vector<std::uint64_t> outgoing(given.bytes().begin(), given.bytes().end());
  std::vector<std::uint64_t> arriving(sources);
  exchange_lengths(in, kind, 0, outgoing.data(), arriving.data(), where);
  auto room = or_no_part({in, call_form::plan, where}, [&] { return many_blocks<element>{std::move(arriving)}; });
  auto call = planned_call(kind, 0, given.data(), nullptr, 0);
  call.varying = true;
  call.send_bytes = given.bytes().data();
  call.receive_bytes = room.lengths();
  return make_plan<element>(in, call, std::move(given), std::move(room), no_operation{}, where);
}

template <planned_blocks B>
auto plan_forms::alltoallv_plan(B&& parts, const place& where) const
    -> plan<std::span<const std::span<const element_of_planned_blocks<B>>>> {
  return plan_to_exchange_blocks<B>(state(where), collective::alltoall, team().count(), team().count(), std::forward<B>(parts), where);
}

}  // namespace peal::detail

#include <peal/detail/into_collectives.hpp>  // IWYU pragma: export
#include <peal/detail/pieces.hpp>            // IWYU pragma: export
