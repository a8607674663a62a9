// peal/detail/partial_reduction_tasks.hpp
// Reductions of which each rank has its own part, as tasks: reduce_scatter and exscan. scan is a reduce_task.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <peal/detail/collective_tasks.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/detail/varying_tasks.hpp>

namespace peal::detail {

template <range_of_blocks B>
using element_of_blocks = std::ranges::range_value_t<std::ranges::range_reference_t<B>>;

template <class Element, class Op>
collective_call reduce_scatter_call(const void* send, void* receive, std::size_t bytes, Op& op) {
  collective_call call;
  call.kind = collective::reduce_scatter;
  call.send = send;
  call.receive = receive;
  call.bytes = bytes;
  call.type = scalar_of<Element>();
  call.element_size = sizeof(Element);
  call.op = reduction_of<Element>(op);
  call.element_type = type_of<Element>();
  return call;
}

/// reduce_scatter_block. Requires: the range divides into a part for every rank.
template <class Holder, class Op>
class equal_reduce_scatter_task {
  using element = std::ranges::range_value_t<typename Holder::type>;

 public:
  using result_type = std::vector<element>;
  template <class B>
  equal_reduce_scatter_task(place_in_team where, B&& values, Op op)
      : in_{std::forward<B>(values)}, op_{std::move(op)}, count_{in_.bytes().size() / sizeof(element) / where.count()}, out_{count_} {}
  collective_call first() { return reduce_scatter_call<element>(in_.bytes().data(), out_.data(), count_ * sizeof(element), op_); }
  result_type result() { return out_.take(); }

 private:
  source<Holder> in_;
  Op op_;
  std::size_t count_;
  results<element> out_;
};

/// reduce_scatter_block_into. Buffers are the caller's.
template <class Element, class Op>
class reduce_scatter_into_task {
 public:
  using result_type = void;
  reduce_scatter_into_task(const void* send, void* receive, std::size_t bytes, Op op)
      : send_{send}, receive_{receive}, bytes_{bytes}, op_{std::move(op)} {}
  collective_call first() { return reduce_scatter_call<Element>(send_, receive_, bytes_, op_); }
  void result() {}

 private:
  const void* send_;
  void* receive_;
  std::size_t bytes_;
  Op op_;
};

/// reduce_scatter.
template <class Range, class Op>
class varying_reduce_scatter_task {
  using element = element_of_blocks<Range>;

 public:
  using result_type = std::vector<element>;
  varying_reduce_scatter_task(place_in_team where, const Range& given, Op op, const call_site& at)
      : in_{or_no_part(at,
                       [&] {
                         return parts_as_given<Range>{given, where.count(), at.where};
                       })},
        op_{std::move(op)},
        bytes_{in_.bytes()[static_cast<std::size_t>(where.rank)]},
        out_{bytes_ / sizeof(element)} {}
  collective_call first() {
    collective_call call = reduce_scatter_call<element>(in_.data(), out_.data(), bytes_, op_);
    call.varying = true;
    call.send_bytes = in_.bytes().data();
    return call;
  }
  result_type result() { return out_.take(); }

 private:
  parts_as_given<Range> in_;
  Op op_;
  std::size_t bytes_;
  results<element> out_;
};

/// exscan: nothing on rank 0.
template <class Holder, class Op>
class exscan_task : public reduce_task<Holder, Op> {
  using base = reduce_task<Holder, Op>;

 public:
  using result_type = std::optional<typename base::result_type>;
  template <class B>
  exscan_task(place_in_team where, B&& value, Op op)
      : base{where, collective::exscan, 0, std::forward<B>(value), std::move(op)}, lowest_{where.rank == 0} {}
  result_type result() { return lowest_ ? result_type{} : result_type{base::result()}; }

 private:
  bool lowest_;
};

}  // namespace peal::detail
