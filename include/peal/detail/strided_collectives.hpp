// peal/detail/strided_collectives.hpp
// The forms of strided_forms.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include <peal/communicator.hpp>
#include <peal/detail/into_calls.hpp>

namespace peal::detail {

/// Uninitialized, and given back with the last of its copies.
class shared_memory {
 public:
  shared_memory() noexcept = default;
  explicit shared_memory(std::size_t bytes) : held_{new holder{raw_memory{bytes}}} {}
  shared_memory(const shared_memory& of) noexcept : held_{of.held_} {
    if (held_) held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_memory(shared_memory&& from) noexcept : held_{std::exchange(from.held_, nullptr)} {}
  shared_memory& operator=(shared_memory from) noexcept {
    std::swap(held_, from.held_);
    return *this;
  }
  ~shared_memory() {
    // acq_rel: whoever deletes sees what the other owners have written.
    if (held_ && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held_;
  }

  explicit operator bool() const noexcept { return held_ != nullptr; }
  [[nodiscard]] std::byte* data() const noexcept { return held_->memory.data(); }

 private:
  struct holder {
    raw_memory memory;
    std::atomic<int> owners{1};
  };
  holder* held_ = nullptr;
};

/// Memory of the caller's as a collective works on it: as it is, or a copy side by side. Copies of this share that.
class buffer_side {
 public:
  buffer_side() : buffer_side{recv_view{}} {}
  template <class View>
  explicit buffer_side(const View& of)
      : memory_{of.memory()}, bytes_{of.bytes()}, copy_{memory_.packed() ? shared_memory{} : shared_memory{bytes_}} {}

  [[nodiscard]] std::byte* data() const noexcept { return copy_ ? copy_.data() : memory_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data(), bytes_}; }
  [[nodiscard]] std::span<std::byte> room() const noexcept { return {data(), bytes_}; }
  void pack() const {
    if (copy_) memory_.copy_to(copy_.data());
  }
  void unpack() const {
    if (copy_) memory_.copy_from(copy_.data());
  }

 private:
  strided_memory memory_;
  std::size_t bytes_;
  shared_memory copy_;
};

/// Both are packed before a start: what a collective leaves as it is in memory that it may fill goes back unchanged.
struct packed_sides {
  buffer_side from, to;
  void refresh(const location&) const { pack(); }
  void pack() const {
    from.pack();
    to.pack();
  }
};
struct unpacked_side {
  using type = void;
  buffer_side to;
  [[nodiscard]] void* data() const noexcept { return nullptr; }
  void value() const { to.unpack(); }
};

template <class Element, class Op>
class sides_task {
 public:
  using result_type = void;
  sides_task(packed_sides sides, const call_on_buffers& on, Op op) : sides_{std::move(sides)}, on_{call_on_buffers{on}, std::move(op)} {}
  collective_call first() {
    sides_.pack();
    return on_.first();
  }
  void result() { sides_.to.unpack(); }

 private:
  packed_sides sides_;
  buffers_task<Element, Op> on_;
};

template <class Element, class Op = no_operation>
void run_on_sides(communicator_state& in, buffer_side from, buffer_side to, const call_on_buffers& on, const location& where, Op op = {}) {
  run_task(in, sides_task<Element, Op>{packed_sides{std::move(from), std::move(to)}, on, std::move(op)}, where);
}

template <class Element, class Op = no_operation>
request<> begin_on_sides(communicator_state& in, buffer_side from, buffer_side to, const call_on_buffers& on, const location& where,
                         Op op = {}) {
  return begin_task<sides_task<Element, Op>>(in, where, packed_sides{std::move(from), std::move(to)}, on, std::move(op));
}

template <class Element, class Op = no_operation>
plan<> plan_on_sides(communicator_state& in, buffer_side from, buffer_side to, const call_on_buffers& on, const location& where,
                     Op op = {}) {
  unpacked_side got{to};
  return make_plan<Element>(in, on.call, packed_sides{std::move(from), std::move(to)}, std::move(got), std::move(op), where);
}

template <class B>
requires(strided_room<B>) void strided_forms::bcast_into(B&& buffer, int root, const place& where) const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_call(collective::bcast, root, nullptr, to.data(), to.size())};
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B>
requires(strided_room<B>&& lasting<B>) request<> strided_forms::ibcast_into(B&& buffer, int root, const place& where)
const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_call(collective::bcast, root, nullptr, to.data(), to.size())};
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B>
requires(strided_room<B>&& lasting<B>) plan<> strided_forms::bcast_into_plan(B&& buffer, int root, const place& where)
const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_call(collective::bcast, root, nullptr, to.data(), to.size())};
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>) void strided_forms::reduce_into(B&& value, R&& into, int root, Op op,
                                                                                                      const place& where) const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::reduce, root, from.bytes(), to.room(), rank() == root, blocking_at(where));
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) request<> strided_forms::ireduce_into(
    B&& value, R&& into, int root, Op op, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::reduce, root, from.bytes(), to.room(), rank() == root, started_at(where));
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) plan<> strided_forms::reduce_into_plan(
    B&& value, R&& into, int root, Op op, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::reduce, root, from.bytes(), to.room(), rank() == root, planned_at(where));
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>) void strided_forms::allreduce_into(B&& value, R&& into, Op op,
                                                                                                         const place& where) const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::allreduce, 0, from.bytes(), to.room(), true, blocking_at(where));
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) request<> strided_forms::iallreduce_into(
    B&& value, R&& into, Op op, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::allreduce, 0, from.bytes(), to.room(), true, started_at(where));
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R, class Op>
requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) plan<> strided_forms::allreduce_into_plan(
    B&& value, R&& into, Op op, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = reduce_into_call(collective::allreduce, 0, from.bytes(), to.room(), true, planned_at(where));
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class Op>
requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>) void strided_forms::allreduce_inplace(B&& buffer, Op op,
                                                                                                         const place& where) const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_in_place(collective::allreduce, to.room())};
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class Op>
requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>) request<> strided_forms::iallreduce_inplace(
    B&& buffer, Op op, const place& where)
const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_in_place(collective::allreduce, to.room())};
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class Op>
requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>) plan<> strided_forms::allreduce_inplace_plan(
    B&& buffer, Op op, const place& where)
const {
  buffer_side to{recv_view{buffer}}, from;
  const call_on_buffers on{planned_in_place(collective::allreduce, to.room())};
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where, std::move(op));
}

template <class B, class R>
requires(strided_pair<B, R>) void strided_forms::gather_into(B&& value, R&& into, int root, const place& where) const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = gather_into_call(root, from.bytes(), to.room(), team(), blocking_at(where));
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> strided_forms::igather_into(B&& value, R&& into, int root,
                                                                                             const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = gather_into_call(root, from.bytes(), to.room(), team(), started_at(where));
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> strided_forms::gather_into_plan(B&& value, R&& into, int root,
                                                                                              const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = gather_into_call(root, from.bytes(), to.room(), team(), planned_at(where));
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>) void strided_forms::allgather_into(B&& value, R&& into, const place& where) const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = allgather_into_call(from.bytes(), to.room(), team(), blocking_at(where));
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> strided_forms::iallgather_into(B&& value, R&& into, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = allgather_into_call(from.bytes(), to.room(), team(), started_at(where));
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> strided_forms::allgather_into_plan(B&& value, R&& into, const place& where)
const {
  buffer_side from{send_view{value}}, to{recv_view{into}};
  const auto on = allgather_into_call(from.bytes(), to.room(), team(), planned_at(where));
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>) void strided_forms::scatter_into(B&& values, R&& into, int root, const place& where) const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = scatter_into_call(root, from.bytes(), to.room(), team(), blocking_at(where));
  run_on_sides<element_of_buffer<R>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> strided_forms::iscatter_into(B&& values, R&& into, int root,
                                                                                              const place& where)
const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = scatter_into_call(root, from.bytes(), to.room(), team(), started_at(where));
  return begin_on_sides<element_of_buffer<R>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> strided_forms::scatter_into_plan(B&& values, R&& into, int root,
                                                                                               const place& where)
const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = scatter_into_call(root, from.bytes(), to.room(), team(), planned_at(where));
  return plan_on_sides<element_of_buffer<R>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>) void strided_forms::alltoall_into(B&& values, R&& into, const place& where) const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = alltoall_into_call(from.bytes(), sizeof(element_of_buffer<B>), to.room(), team(), blocking_at(where));
  run_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> strided_forms::ialltoall_into(B&& values, R&& into, const place& where)
const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = alltoall_into_call(from.bytes(), sizeof(element_of_buffer<B>), to.room(), team(), started_at(where));
  return begin_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

template <class B, class R>
requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> strided_forms::alltoall_into_plan(B&& values, R&& into, const place& where)
const {
  buffer_side from{send_view{values}}, to{recv_view{into}};
  const auto on = alltoall_into_call(from.bytes(), sizeof(element_of_buffer<B>), to.room(), team(), planned_at(where));
  return plan_on_sides<element_of_buffer<B>>(state(where), std::move(from), std::move(to), on, where);
}

}  // namespace peal::detail
