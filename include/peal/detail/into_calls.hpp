// peal/detail/into_calls.hpp
// How the calls of into_forms are made: the call itself, which is the same in all forms of a collective, and the three forms.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/detail/collectives.hpp>
#include <peal/detail/moving_plans.hpp>
#include <peal/detail/partial_reductions.hpp>

namespace peal::detail {

/// A call whose buffers are the caller's, and the lengths that it needs.
struct call_on_buffers {
  collective_call call;
  std::vector<std::size_t> bytes{};  // of the ranks' parts, where they differ
};

// ---- the three forms -------------------------------------------------------------------------------------------------------------------
template <class Element, class Op>
class buffers_task {
 public:
  using result_type = void;
  buffers_task(call_on_buffers&& on, Op op) : on_{std::move(on)}, op_{std::move(op)} {}
  collective_call first() {
    collective_call call = on_.call;
    call.element_type = type_of<Element>();
    if constexpr (!std::is_same_v<Op, no_operation>) {
      call.type = scalar_of<Element>();
      call.element_size = sizeof(Element);
      call.op = reduction_of<Element>(op_);
    }
    if (!on_.bytes.empty()) call.send_bytes = on_.bytes.data();
    return call;
  }
  void result() {}

 private:
  call_on_buffers on_;
  Op op_;
};

/// The lengths that a plan's call points to.
struct kept_lengths : read_in_place {
  explicit kept_lengths(std::vector<std::size_t>&& them) noexcept : bytes{std::move(them)} {}
  std::vector<std::size_t> bytes;
};

template <class Element, class Op = no_operation>
void run_on_buffers(communicator_state& in, call_on_buffers on, const location& where, Op op = {}) {
  run_task(in, buffers_task<Element, Op>{std::move(on), std::move(op)}, where);
}

template <class Element, class Op = no_operation>
request<> begin_on_buffers(communicator_state& in, call_on_buffers on, const location& where, Op op = {}) {
  if constexpr (std::is_same_v<Op, no_operation>) {
    on.call.element_type = type_of<Element>();
    return request<>{start_collective(in, on.call, where)};
  } else {
    return begin_task<buffers_task<Element, Op>>(in, where, std::move(on), std::move(op));
  }
}

template <class Element, class Op = no_operation>
plan<> plan_on_buffers(communicator_state& in, call_on_buffers on, const location& where, Op op = {}) {
  kept_lengths lengths{std::move(on.bytes)};
  if (!lengths.bytes.empty()) on.call.send_bytes = lengths.bytes.data();
  return make_plan<Element>(in, on.call, std::move(lengths), left_in_place{}, std::move(op), where);
}

// ---- the calls -------------------------------------------------------------------------------------------------------------------------
/// reduce (the root's room matters), allreduce, scan, exscan.
inline call_on_buffers reduce_into_call(collective kind, int root, std::span<const std::byte> bytes, std::span<std::byte> room,
                                        bool receives, const call_site& at) {
  if (receives) check_room(bytes.size(), room, at);
  return {planned_call(kind, root, bytes.data(), room.data(), bytes.size())};
}

inline call_on_buffers reduce_in_place_call(int root, bool receives, std::span<std::byte> room) {
  collective_call call =
      planned_call(collective::reduce, root, receives ? nullptr : room.data(), receives ? room.data() : nullptr, room.size());
  call.in_place = receives && !room.empty();
  return {call};
}

/// `send` null: in place.
inline call_on_buffers part_call(const void* send, std::size_t bytes, std::size_t element, std::span<std::byte> room, std::size_t ranks,
                                 const call_site& at) {
  const std::size_t part = part_of(bytes, element, ranks, at);
  check_room(part, room, at);
  collective_call call = planned_call(collective::reduce_scatter, 0, send, room.data(), part);
  call.in_place = send == nullptr && bytes != 0;
  return {call};
}

/// The same with parts of so many elements.
inline call_on_buffers parts_call(const void* send, std::size_t bytes, std::size_t element, std::span<const std::size_t> lengths,
                                  std::span<std::byte> room, place_in_team among, const call_site& at) {
  if (lengths.size() != among.count()) at.refuse("reduce_scatter: there must be one length for every rank");
  call_on_buffers made;
  std::size_t left = bytes / element;
  for (const std::size_t each : lengths) {
    // Compared before anything is multiplied or added up, which might be too much for a number.
    if (each > left) at.refuse("reduce_scatter: the lengths add up to more elements than there are");
    left -= each;
    made.bytes.push_back(each * element);
  }
  if (left != 0) at.refuse("reduce_scatter: the lengths add up to fewer elements than there are");
  const std::size_t part = made.bytes[static_cast<std::size_t>(among.rank)];
  check_room(part, room, at);
  made.call = planned_call(collective::reduce_scatter, 0, send, room.data(), part);
  made.call.varying = true;
  made.call.in_place = send == nullptr && bytes != 0;
  return made;
}

/// Bytes of one of the equal blocks of a whole buffer.
inline std::size_t block_of(std::size_t bytes, std::size_t element, std::size_t ranks, const call_site& at) {
  if (bytes / element % ranks != 0) at.refuse("in place: the number of elements is no multiple of the number of ranks");
  return bytes / ranks;
}

inline call_on_buffers gather_in_place_call(int root, std::span<std::byte> room, std::size_t element, place_in_team among,
                                            const call_site& at) {
  const bool whole = among.rank == root;
  const std::size_t block = whole ? block_of(room.size(), element, among.count(), at) : room.size();
  collective_call call = planned_call(collective::gather, root, whole ? nullptr : room.data(), whole ? room.data() : nullptr, block);
  call.in_place = whole && block != 0;
  return {call};
}

inline call_on_buffers scatter_in_place_call(int root, std::span<std::byte> room, std::size_t element, place_in_team among,
                                             const call_site& at) {
  const bool whole = among.rank == root;
  const std::size_t block = whole ? block_of(room.size(), element, among.count(), at) : room.size();
  collective_call call = planned_call(collective::scatter, root, whole ? room.data() : nullptr, whole ? nullptr : room.data(), block);
  call.in_place = whole;
  return {call};
}

/// allgather and alltoall.
inline call_on_buffers all_in_place_call(collective kind, std::span<std::byte> room, std::size_t element, place_in_team among,
                                         const call_site& at) {
  collective_call call = planned_call(kind, 0, nullptr, room.data(), block_of(room.size(), element, among.count(), at));
  call.in_place = !room.empty();
  return {call};
}

inline call_on_buffers scatter_into_call(int root, std::span<const std::byte> bytes, std::span<std::byte> room, place_in_team among,
                                         const call_site& at) {
  if (among.rank == root && bytes.size() != room.size() * among.count())
    at.refuse("scatter_into: the root must give size() times what each rank takes");
  return {planned_call(collective::scatter, root, bytes.data(), room.data(), room.size())};
}

inline call_on_buffers gather_into_call(int root, std::span<const std::byte> bytes, std::span<std::byte> room, place_in_team among,
                                        const call_site& at) {
  if (among.rank == root) check_room(bytes.size() * among.count(), room, at);
  return {planned_call(collective::gather, root, bytes.data(), room.data(), bytes.size())};
}

inline call_on_buffers allgather_into_call(std::span<const std::byte> bytes, std::span<std::byte> room, place_in_team among,
                                           const call_site& at) {
  check_room(bytes.size() * among.count(), room, at);
  return {planned_call(collective::allgather, 0, bytes.data(), room.data(), bytes.size())};
}

inline call_on_buffers alltoall_into_call(std::span<const std::byte> bytes, std::size_t element, std::span<std::byte> room,
                                          place_in_team among, const call_site& at) {
  check_parts(bytes.size(), element, among.count(), at);
  check_room(bytes.size(), room, at);
  return {planned_call(collective::alltoall, 0, bytes.data(), room.data(), bytes.size() / among.count())};
}

}  // namespace peal::detail

#include <peal/detail/strided_collectives.hpp>  // IWYU pragma: export
