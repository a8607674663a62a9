// peal/detail/neighbor_forms.hpp
// The collectives between neighbours: what a graph has beyond a communicator.
//
// Units    elements; blocks in the order of the sources or destinations.
// Errors   peal::error with the caller's place: invalid_argument where lengths do not go together.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <peal/blocks.hpp>
#include <peal/communicator.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

/// Called by every rank of the graph, in the same order among its collectives, also by those without neighbours.
class neighbor_forms : public communicator {
 public:
  using place = communicator::place;

  /// Who this rank receives from and sends to, in the order of the blocks; proc_null is nobody.
  [[nodiscard]] const std::vector<int>& sources(const place& where = place::current()) const { return neighbors_of(state(where)).sources; }
  [[nodiscard]] const std::vector<int>& destinations(const place& where = place::current()) const {
    return neighbors_of(state(where)).destinations;
  }

  /// What every source gave: an element each, or its range, as long on every rank. Of proc_null: zeros. Not strings, which are ranges that
  /// differ in length.
  template <elements_or_value B>
  [[nodiscard]] auto neighbor_allgather(const B& value, const place& = place::current()) const -> std::vector<given_element<B>>;
  template <elements_or_value B>
  auto ineighbor_allgather(B&& value, const place& = place::current()) const -> request<std::vector<given_element<B>>>;
  template <planned_elements B>
  auto neighbor_allgather_plan(B&& value, const place& = place::current()) const -> plan<std::span<const given_element<B>>>;
  /// Into memory of the caller's: sources().size() times what a rank gives. What is there for proc_null stays as it is.
  template <send_block B, recv_block_for<B> R>
  void neighbor_allgather_into(const B& value, R&& into, const place& = place::current()) const;
  template <send_block B, recv_block_for<B> R>
  requires(lasting<B>&& lasting<R>) request<> ineighbor_allgather_into(B&& value, R&& into, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R>
  plan<> neighbor_allgather_into_plan(B&& value, R&& into, const place& = place::current()) const;
  /// Ranges that differ in length: a block a source.
  template <sendable B>
  requires contiguous<B>
  [[nodiscard]] auto neighbor_allgatherv(const B& values, const place& = place::current()) const -> blocks<std::ranges::range_value_t<B>>;
  template <sendable B>
  requires contiguous<B>
  auto ineighbor_allgatherv(B&& values, const place& = place::current()) const -> request<blocks<std::ranges::range_value_t<B>>>;
  template <planned_range B>
  auto neighbor_allgatherv_plan(B&& values, const place& = place::current()) const
      -> plan<std::span<const std::span<const std::ranges::range_value_t<B>>>>;

  /// Part i of the range goes to destination i; part i of the result came from source i (zeros from proc_null). The range is in
  /// destinations().size() equal parts, as long on every rank; a rank with sources and no destinations cannot say how long, and takes the
  /// form for blocks, or into.
  template <sendable B>
  requires contiguous<B>
  [[nodiscard]] auto neighbor_alltoall(const B& values, const place& = place::current()) const
      -> std::vector<std::ranges::range_value_t<B>>;
  template <sendable B>
  requires contiguous<B>
  auto ineighbor_alltoall(B&& values, const place& = place::current()) const -> request<std::vector<std::ranges::range_value_t<B>>>;
  template <planned_range B>
  auto neighbor_alltoall_plan(B&& values, const place& = place::current()) const -> plan<std::span<const std::ranges::range_value_t<B>>>;
  /// Into memory of the caller's, which is sources().size() parts long.
  template <send_block B, recv_block_for<B> R>
  void neighbor_alltoall_into(const B& values, R&& into, const place& = place::current()) const;
  template <send_block B, recv_block_for<B> R>
  requires(lasting<B>&& lasting<R>) request<> ineighbor_alltoall_into(B&& values, R&& into, const place& = place::current())
  const;
  template <planned_block B, planned_room_for<B> R>
  plan<> neighbor_alltoall_into_plan(B&& values, R&& into, const place& = place::current()) const;
  /// Block i goes to destination i, whatever its length; block i of the result came from source i.
  template <range_of_blocks B>
  [[nodiscard]] auto neighbor_alltoallv(const B& parts, const place& = place::current()) const
      -> blocks<typename joined_blocks<B>::element>;
  template <range_of_blocks B>
  auto ineighbor_alltoallv(const B& parts, const place& = place::current()) const -> request<blocks<typename joined_blocks<B>::element>>;
  template <planned_blocks B>
  auto neighbor_alltoallv_plan(B&& parts, const place& = place::current()) const
      -> plan<std::span<const std::span<const element_of_planned_blocks<B>>>>;
  /// As communicator::alltoallw: piece i of `out` goes to destination i, what comes from source i fills piece i of `in`.
  void neighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;
  request<> ineighbor_alltoallw(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;
  plan<> neighbor_alltoallw_plan(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;

 protected:
  neighbor_forms(const communicator& of, neighborhood near, const place& where)
      : communicator{with_neighbors(of.state(where), std::move(near), where)} {}
};

}  // namespace peal::detail
