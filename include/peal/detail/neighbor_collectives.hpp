// peal/detail/neighbor_collectives.hpp
// The collectives between neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <peal/detail/moving_plans.hpp>
#include <peal/detail/neighbor_forms.hpp>
#include <peal/detail/pieces.hpp>

namespace peal::detail {

// ---- tasks -----------------------------------------------------------------------------------------------------------------------------
/// neighbor_allgather and neighbor_alltoall: `bytes` in a block, and so many blocks arrive.
template <class Holder, fixed T>
class neighbor_task {
 public:
  using result_type = std::vector<T>;
  template <class B>
  neighbor_task(collective kind, std::size_t bytes, std::size_t blocks, B&& value)
      : kind_{kind}, bytes_{bytes}, in_{std::forward<B>(value)}, out_{bytes / sizeof(T) * blocks} {}
  collective_call first() {
    collective_call call = planned_call(kind_, 0, in_.bytes().data(), out_.data(), bytes_);
    call.element_type = type_of<T>();
    return call;
  }
  result_type result() { return out_.take(); }

 private:
  collective kind_;
  std::size_t bytes_;
  source<Holder> in_;
  results<T> out_;
};

/// neighbor_alltoallv.
template <range_of_blocks Range>
class neighbor_blocks_task {
 public:
  using element = typename joined_blocks<Range>::element;
  using result_type = blocks<element>;
  neighbor_blocks_task(std::size_t destinations, std::size_t sources, const Range& given, const call_site& at)
      : in_{or_no_part(at,
                       [&] {
                         return parts_as_given<Range>{given, destinations, at.where};
                       })},
        outgoing_(in_.bytes().begin(), in_.bytes().end()),
        arriving_(sources) {}
  collective_call first() {
    collective_call call = planned_call(collective::neighbor_alltoall, 0, outgoing_.data(), arriving_.data(), sizeof(std::uint64_t));
    call.element_type = type_of<element>();
    return call;
  }
  bool second(collective_call& call) {
    call = planned_call(collective::neighbor_alltoall, 0, in_.data(), nullptr, 0);
    call.varying = true;
    call.send_bytes = outgoing_.data();
    call.receive_bytes = arriving_.data();
    return true;
  }
  void make_room(collective_call& call) { call.receive = out_.make_room(sum_of(arriving_)); }
  result_type result() { return out_.take(arriving_); }

 private:
  parts_as_given<Range> in_;
  std::vector<std::uint64_t> outgoing_;
  std::vector<std::uint64_t> arriving_;
  into_blocks<element> out_;
};

/// Bytes of one of `parts` equal parts. `room`: for what is received, where the call says how much that is.
inline std::size_t part_among_neighbors(std::size_t bytes, std::size_t element, std::size_t parts, std::size_t sources,
                                        std::optional<std::size_t> room, const call_site& at) {
  if (parts == 0) {
    if (sources != 0 && !room)
      at.refuse("neighbor_alltoall: a rank without destinations does not say how long a part is; see neighbor_alltoallv");
    if (bytes != 0) at.refuse("neighbor_alltoall: there are no destinations to send anything to");
    return sources == 0 ? 0 : *room / sources;
  }
  if (bytes / element % parts != 0)
    at.refuse("neighbor_alltoall: the number of elements is no multiple of the number of destinations; see neighbor_alltoallv");
  return bytes / parts;
}

inline collective_call neighbor_call(collective kind, const void* send, std::span<std::byte> room, std::size_t bytes,
                                     const std::type_info* type) noexcept {
  collective_call call = planned_call(kind, 0, send, room.data(), bytes);
  call.element_type = type;
  return call;
}

// ---- neighbor_allgather ----------------------------------------------------------------------------------------------------------------
template <elements_or_value B>
auto neighbor_forms::neighbor_allgather(const B& value, const place& where) const -> std::vector<given_element<B>> {
  using task = neighbor_task<borrowed<const B&>, given_element<B>>;
  return run_task(state(where), task{collective::neighbor_allgather, bytes_of(value).size(), sources(where).size(), value}, where);
}

template <elements_or_value B>
auto neighbor_forms::ineighbor_allgather(B&& value, const place& where) const -> request<std::vector<given_element<B>>> {
  using task = neighbor_task<kept<B>, given_element<B>>;
  const std::size_t bytes = bytes_of(value).size();
  return begin_task<task>(state(where), where, collective::neighbor_allgather, bytes, sources(where).size(), std::forward<B>(value));
}

template <planned_elements B>
auto neighbor_forms::neighbor_allgather_plan(B&& value, const place& where) const -> plan<std::span<const given_element<B>>> {
  using element = given_element<B>;
  const auto bytes = bytes_of(value);
  const auto call = planned_call(collective::neighbor_allgather, 0, bytes.data(), nullptr, bytes.size());
  return make_plan<element>(state(where), call, many_values<element>{bytes.size() / sizeof(element) * sources(where).size()}, where);
}

template <send_block B, recv_block_for<B> R>
void neighbor_forms::neighbor_allgather_into(const B& value, R&& into, const place& where) const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  check_room(bytes.size() * sources(where).size(), room, started_at(where));
  run_collective(state(where), neighbor_call(collective::neighbor_allgather, bytes.data(), room, bytes.size(), type_of<given_element<B>>()),
                 where);
}

template <send_block B, recv_block_for<B> R>
requires(lasting<B>&& lasting<R>) request<> neighbor_forms::ineighbor_allgather_into(B&& value, R&& into, const place& where)
const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  check_room(bytes.size() * sources(where).size(), room, started_at(where));
  const auto call = neighbor_call(collective::neighbor_allgather, bytes.data(), room, bytes.size(), type_of<given_element<B>>());
  return request<>{start_collective(state(where), call, where)};
}

template <planned_block B, planned_room_for<B> R>
plan<> neighbor_forms::neighbor_allgather_into_plan(B&& value, R&& into, const place& where) const {
  const auto bytes = bytes_of(value);
  const auto room = room_of(into);
  check_room(bytes.size() * sources(where).size(), room, planned_at(where));
  const auto call = planned_call(collective::neighbor_allgather, 0, bytes.data(), room.data(), bytes.size());
  return make_plan<given_element<B>>(state(where), call, left_in_place{}, where);
}

// For the tasks of gatherv a rank that receives from `count` others is the root among so many.
template <sendable B>
requires contiguous<B>
auto neighbor_forms::neighbor_allgatherv(const B& values, const place& where) const -> blocks<std::ranges::range_value_t<B>> {
  using task = varying_gather_task<borrowed<const B&>, into_blocks<std::ranges::range_value_t<B>>>;
  const place_in_team among{0, static_cast<int>(sources(where).size())};
  return run_task(state(where), task{among, collective::neighbor_allgather, 0, values}, where);
}

template <sendable B>
requires contiguous<B>
auto neighbor_forms::ineighbor_allgatherv(B&& values, const place& where) const -> request<blocks<std::ranges::range_value_t<B>>> {
  using task = varying_gather_task<kept<B>, into_blocks<std::ranges::range_value_t<B>>>;
  const place_in_team among{0, static_cast<int>(sources(where).size())};
  return begin_task<task>(state(where), where, among, collective::neighbor_allgather, 0, std::forward<B>(values));
}

template <planned_range B>
auto neighbor_forms::neighbor_allgatherv_plan(B&& values, const place& where) const
    -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>> {
  return plan_to_gather_blocks<std::ranges::range_value_t<B>>(state(where), collective::neighbor_allgather, 0, sources(where).size(),
                                                              bytes_of(values), where);
}

// ---- neighbor_alltoall -----------------------------------------------------------------------------------------------------------------
template <sendable B>
requires contiguous<B>
auto neighbor_forms::neighbor_alltoall(const B& values, const place& where) const -> std::vector<std::ranges::range_value_t<B>> {
  using element = std::ranges::range_value_t<B>;
  const std::size_t incoming = sources(where).size();
  const std::size_t part =
      part_among_neighbors(bytes_of(values).size(), sizeof(element), destinations(where).size(), incoming, {}, started_at(where));
  using task = neighbor_task<borrowed<const B&>, element>;
  return run_task(state(where), task{collective::neighbor_alltoall, part, incoming, values}, where);
}

template <sendable B>
requires contiguous<B>
auto neighbor_forms::ineighbor_alltoall(B&& values, const place& where) const -> request<std::vector<std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  const std::size_t incoming = sources(where).size();
  const std::size_t part =
      part_among_neighbors(bytes_of(values).size(), sizeof(element), destinations(where).size(), incoming, {}, started_at(where));
  using task = neighbor_task<kept<B>, element>;
  return begin_task<task>(state(where), where, collective::neighbor_alltoall, part, incoming, std::forward<B>(values));
}

template <planned_range B>
auto neighbor_forms::neighbor_alltoall_plan(B&& values, const place& where) const -> plan<std::span<const std::ranges::range_value_t<B>>> {
  using element = std::ranges::range_value_t<B>;
  const auto bytes = bytes_of(values);
  const std::size_t incoming = sources(where).size();
  const std::size_t part = part_among_neighbors(bytes.size(), sizeof(element), destinations(where).size(), incoming, {}, planned_at(where));
  const auto call = planned_call(collective::neighbor_alltoall, 0, bytes.data(), nullptr, part);
  return make_plan<element>(state(where), call, many_values<element>{part / sizeof(element) * incoming}, where);
}

/// Of the forms that fill memory of the caller's.
template <class B>
collective_call neighbor_exchange_call(const neighborhood& near, std::span<const std::byte> bytes, std::span<std::byte> room,
                                       const call_site& at) {
  const std::size_t part =
      part_among_neighbors(bytes.size(), sizeof(given_element<B>), near.destinations.size(), near.sources.size(), room.size(), at);
  check_room(part * near.sources.size(), room, at);
  return neighbor_call(collective::neighbor_alltoall, bytes.data(), room, part, type_of<given_element<B>>());
}

template <send_block B, recv_block_for<B> R>
void neighbor_forms::neighbor_alltoall_into(const B& values, R&& into, const place& where) const {
  communicator_state& in = state(where);
  run_collective(in, neighbor_exchange_call<B>(neighbors_of(in), bytes_of(values), room_of(into), started_at(where)), where);
}

template <send_block B, recv_block_for<B> R>
requires(lasting<B>&& lasting<R>) request<> neighbor_forms::ineighbor_alltoall_into(B&& values, R&& into, const place& where)
const {
  communicator_state& in = state(where);
  return request<>{
      start_collective(in, neighbor_exchange_call<B>(neighbors_of(in), bytes_of(values), room_of(into), started_at(where)), where)};
}

template <planned_block B, planned_room_for<B> R>
plan<> neighbor_forms::neighbor_alltoall_into_plan(B&& values, R&& into, const place& where) const {
  communicator_state& in = state(where);
  const auto call = neighbor_exchange_call<B>(neighbors_of(in), bytes_of(values), room_of(into), planned_at(where));
  return make_plan<given_element<B>>(in, call, left_in_place{}, where);
}

template <range_of_blocks B>
auto neighbor_forms::neighbor_alltoallv(const B& parts, const place& where) const -> blocks<typename joined_blocks<B>::element> {
  return run_task(state(where), neighbor_blocks_task<B>{destinations(where).size(), sources(where).size(), parts, stepped_at(where)},
                  where);
}

template <range_of_blocks B>
auto neighbor_forms::ineighbor_alltoallv(const B& parts, const place& where) const -> request<blocks<typename joined_blocks<B>::element>> {
  return begin_task<neighbor_blocks_task<B>>(state(where), where, destinations(where).size(), sources(where).size(), parts,
                                             stepped_at(where));
}

template <planned_blocks B>
auto neighbor_forms::neighbor_alltoallv_plan(B&& parts, const place& where) const
    -> plan<std::span<const std::span<const element_of_planned_blocks<B>>>> {
  return plan_to_exchange_blocks<B>(state(where), collective::neighbor_alltoall, destinations(where).size(), sources(where).size(),
                                    std::forward<B>(parts), where);
}

// ---- neighbor_alltoallw ----------------------------------------------------------------------------------------------------------------
inline void neighbor_forms::neighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in, const place& where) const {
  communicator_state& here = state(where);
  run_task(here, pieces_task{here, collective::neighbor_alltoall, out, in, where}, where);
}

inline request<> neighbor_forms::ineighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in,
                                                     const place& where) const {
  communicator_state& here = state(where);
  return begin_task<pieces_task>(here, where, here, collective::neighbor_alltoall, out, in, where);
}

inline plan<> neighbor_forms::neighbor_alltoallw_plan(std::span<const send_view> out, std::span<const recv_view> in,
                                                      const place& where) const {
  return plan_of_pieces(state(where), collective::neighbor_alltoall, out, in, where);
}

}  // namespace peal::detail
