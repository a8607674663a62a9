// peal/detail/strided_forms.hpp
// Collectives into buffers of the caller's whose elements lie at regular distances. They go through memory of the call's, or of the plan's.
//
// Units    elements.
// Threads  as the communicator.
// Errors   as the forms for ranges.
#pragma once

#include <type_traits>

#include <peal/detail/into_forms.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/view.hpp>

namespace peal::detail {

/// A strided view that is filled.
template <class B>
concept strided_room = strided_view<B> && recv_buffer<B> && !recv_block<B>;
/// What is read and what is filled, one of them a strided view.
template <class B, class R>
concept strided_pair = (send_buffer<B> || fixed<std::remove_cvref_t<B>>)&&recv_buffer<R>&& same_elements<R, B> &&
                       !(send_block<B> && recv_block<R>);

class strided_forms : public into_forms {
 public:
  using into_forms::allgather_into_plan;
  using into_forms::allreduce_inplace_plan;
  using into_forms::allreduce_into_plan;
  using into_forms::alltoall_into_plan;
  using into_forms::bcast_into_plan;
  using into_forms::gather_into_plan;
  using into_forms::iallreduce_into;
  using into_forms::ialltoall_into;
  using into_forms::igather_into;
  using into_forms::ireduce_into;
  using into_forms::iscatter_into;
  using into_forms::reduce_into_plan;
  using into_forms::scatter_into_plan;

  /// Buffers of which one at least is a strided view; as the forms for ranges.
  template <class B>
  requires(strided_room<B>) void bcast_into(B&& buffer, int root, const place& = place::current()) const;
  template <class B>
  requires(strided_room<B>&& lasting<B>) request<> ibcast_into(B&& buffer, int root, const place& = place::current())
  const;
  template <class B>
  requires(strided_room<B>&& lasting<B>) plan<> bcast_into_plan(B&& buffer, int root, const place& = place::current())
  const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>) void reduce_into(B&& value, R&& into, int root, Op op = {},
                                                                                         const place& = place::current()) const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) request<> ireduce_into(
      B&& value, R&& into, int root, Op op = {}, const place& = place::current())
  const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) plan<> reduce_into_plan(
      B&& value, R&& into, int root, Op op = {}, const place& = place::current())
  const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>) void allreduce_into(B&& value, R&& into, Op op = {},
                                                                                            const place& = place::current()) const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) request<> iallreduce_into(
      B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <class B, class R, class Op = std::plus<>>
  requires(strided_pair<B, R>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>&& lasting<R>) plan<> allreduce_into_plan(
      B&& value, R&& into, Op op = {}, const place& = place::current())
  const;
  template <class B, class Op = std::plus<>>
  requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>) void allreduce_inplace(B&& buffer, Op op = {},
                                                                                            const place& = place::current()) const;
  template <class B, class Op = std::plus<>>
  requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>) request<> iallreduce_inplace(
      B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <class B, class Op = std::plus<>>
  requires(strided_room<B>&& reduction_on<Op, element_of_buffer<B>>&& lasting<B>) plan<> allreduce_inplace_plan(
      B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>) void gather_into(B&& value, R&& into, int root, const place& = place::current()) const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> igather_into(B&& value, R&& into, int root,
                                                                                const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> gather_into_plan(B&& value, R&& into, int root,
                                                                                 const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>) void allgather_into(B&& value, R&& into, const place& = place::current()) const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> iallgather_into(B&& value, R&& into, const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> allgather_into_plan(B&& value, R&& into, const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>) void scatter_into(B&& values, R&& into, int root, const place& = place::current()) const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> iscatter_into(B&& values, R&& into, int root,
                                                                                 const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> scatter_into_plan(B&& values, R&& into, int root,
                                                                                  const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>) void alltoall_into(B&& values, R&& into, const place& = place::current()) const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) request<> ialltoall_into(B&& values, R&& into, const place& = place::current())
  const;
  template <class B, class R>
  requires(strided_pair<B, R>&& lasting<B>&& lasting<R>) plan<> alltoall_into_plan(B&& values, R&& into, const place& = place::current())
  const;

 protected:
  using into_forms::into_forms;
};

}  // namespace peal::detail
