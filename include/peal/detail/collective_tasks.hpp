// peal/detail/collective_tasks.hpp
// Each collective of known sizes as an object that makes the call, owns the memory it works on, and gives the result. A blocking call keeps
// it on the stack, a nonblocking one in its request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <peal/basic_communicator.hpp>
#include <peal/detail/collective_source.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/op.hpp>
#include <peal/request.hpp>

namespace peal::detail {

/// The elements of a range of them, else the value itself.
template <class B>
consteval auto given_type() noexcept {
  if constexpr (contiguous<B>) return std::type_identity<std::ranges::range_value_t<B>>{};
  else return std::type_identity<std::remove_cvref_t<B>>{};
}
template <class B>
using given_element = typename decltype(given_type<B>())::type;

// ---- reductions ------------------------------------------------------------------------------------------------------------------------
/// Whether B is reduced as one value, rather than element by element.
template <class B, class Op>
concept reduced_whole = fixed<std::remove_cvref_t<B>> && reduction_on<Op, std::remove_cvref_t<B>>;
/// The elements of a range, or of a strided view; of anything else void. No class template with a specialization for each: where two
/// differ in their constraints alone, g++ 12 now and then (one compilation in a hundred, by where its memory lies) finds neither.
template <class B>
consteval auto element_type_in() noexcept {
  if constexpr (contiguous<B>) return std::type_identity<std::ranges::range_value_t<B>>{};
  else if constexpr (strided_view<B>) return std::type_identity<std::remove_cv_t<typename std::remove_cvref_t<B>::element_type>>{};
  else return std::type_identity<void>{};
}
template <class B>
using element_in = typename decltype(element_type_in<B>())::type;
/// Not a string, which is one value to all collectives.
template <class B, class Op>
concept reduced_by_element = !reduced_whole<B, Op> && !is_std_string<std::remove_cvref_t<B>>::value && reduction_on<Op, element_in<B>>;

template <class B, class Op>
struct reduced {
  static constexpr bool by_element = reduced_by_element<B, Op>;
  using element = typename std::conditional_t<by_element, std::type_identity<element_in<B>>, std::remove_cvref<B>>::type;
  using type = std::conditional_t<by_element, std::vector<element>, element>;
};

/// reduce, allreduce, scan: a value gives a value, a range a vector.
template <class Holder, class Op>
class reduce_task {
  using argument = std::add_lvalue_reference_t<typename Holder::type>;
  using traits = reduced<argument, Op>;
  using element = typename traits::element;

 public:
  using result_type = typename traits::type;

  template <class B>
  reduce_task(place_in_team where, collective kind, int root, B&& value, Op op)
      : kind_{kind},
        root_{root},
        receives_{kind != collective::reduce || where.rank == root},
        in_{std::forward<B>(value)},
        op_{std::move(op)} {
    if constexpr (!whole)
      if (receives_) out_.many = results<element>{in_.bytes().size() / sizeof(element)};
  }
  collective_call first() {
    collective_call call;
    call.kind = kind_;
    call.root = root_;
    call.send = in_.bytes().data();
    call.receive = room();
    call.bytes = in_.bytes().size();
    call.type = scalar_of<element>();
    call.element_size = sizeof(element);
    call.op = reduction_of<element>(op_);
    call.element_type = type_of<element>();
    return call;
  }
  /// Where nothing is received: the value that was given, and for a range an empty vector.
  result_type result() {
    if constexpr (whole) return receives_ ? out_.one.value : in_.get();
    else return out_.many.take();
  }

 private:
  static constexpr bool whole = reduced_whole<argument, Op>;
  struct one_value {
    incoming<result_type> one;
  };
  struct many_values {
    results<element> many;
  };
  void* room() {
    if constexpr (whole) return out_.one.data();
    else return out_.many.data();
  }

  collective kind_;
  int root_;
  bool receives_;
  source<Holder> in_;
  Op op_;
  std::conditional_t<whole, one_value, many_values> out_;
};

/// reduce_into and the like (send given), allreduce_inplace and the like (send null). Buffers are the caller's.
template <class Element, class Op>
class reduce_into_task {
 public:
  using result_type = void;
  reduce_into_task(collective kind, int root, const void* send, void* receive, std::size_t bytes, Op op)
      : kind_{kind}, root_{root}, send_{send}, receive_{receive}, bytes_{bytes}, op_{std::move(op)} {}
  collective_call first() {
    collective_call call;
    call.kind = kind_;
    call.root = root_;
    call.send = send_;
    call.receive = receive_;
    call.bytes = bytes_;
    call.in_place = send_ == nullptr && bytes_ != 0;
    call.type = scalar_of<Element>();
    call.element_size = sizeof(Element);
    call.op = reduction_of<Element>(op_);
    call.element_type = type_of<Element>();
    return call;
  }
  void result() {}

 private:
  collective kind_;
  int root_;
  const void* send_;
  void* receive_;
  std::size_t bytes_;
  Op op_;
};

// ---- what moves blocks of one length ---------------------------------------------------------------------------------------------------
/// A call on buffers of the caller's.
class plain_task {
 public:
  using result_type = void;
  explicit plain_task(const collective_call& call) noexcept : call_{call} {}
  collective_call first() { return call_; }
  void result() {}

 private:
  collective_call call_;
};

/// bcast of a fixed value.
template <fixed T>
class bcast_value_task {
 public:
  using result_type = T;
  bcast_value_task(int root, const T& value) : root_{root} { std::memcpy(value_.data(), std::addressof(value), sizeof(T)); }
  collective_call first() {
    collective_call call;
    call.kind = collective::bcast;
    call.root = root_;
    call.receive = value_.data();
    call.bytes = sizeof(T);
    call.element_type = type_of<T>();
    return call;
  }
  T result() { return value_.value; }

 private:
  int root_;
  incoming<T> value_;
};

/// gather and allgather of fixed values, or of ranges that are equally long everywhere; alltoall.
template <class Holder, fixed T>
class gather_task {
 public:
  using result_type = std::vector<T>;
  template <class B>
  gather_task(place_in_team where, collective kind, int root, B&& value) : kind_{kind}, root_{root}, in_{std::forward<B>(value)} {
    const std::size_t given = in_.bytes().size() / sizeof(T);
    if (kind == collective::alltoall) {
      block_ = given / where.count() * sizeof(T);
      out_ = results<T>{given};
    } else {
      block_ = given * sizeof(T);
      if (kind == collective::allgather || where.rank == root) out_ = results<T>{given * where.count()};
    }
  }
  collective_call first() {
    collective_call call;
    call.kind = kind_;
    call.root = root_;
    call.send = in_.bytes().data();
    call.receive = out_.data();
    call.bytes = block_;
    call.element_type = type_of<T>();
    return call;
  }
  result_type result() { return out_.take(); }

 private:
  collective kind_;
  int root_;
  source<Holder> in_;
  std::size_t block_;
  results<T> out_;
};

/// What `make` returns. Where it throws, on this rank alone, the others are told first.
template <class Make>
auto or_no_part(const call_site& at, Make&& make) {
  try {
    return make();
  } catch (...) {
    take_no_part(at.in, at.form, at.where);
    throw;
  }
}

// ---- running them ----------------------------------------------------------------------------------------------------------------------
/// `second(call)` describes the second call and says whether there is one; it throws only what it throws on every rank. `make_room(call)`
/// then finds memory for what arrives, which may fail on one rank alone.
template <class Task>
concept two_steps = requires(Task& task, collective_call& call) {
  { task.second(call) } -> std::same_as<bool>;
  task.make_room(call);
};

template <two_steps Task>
second_step second_step_of(Task& task) noexcept {
  return {[](void* context, collective_call& call, std::error_code& error) noexcept {
            Task& of = *static_cast<Task*>(context);
            bool more = false;
            try {
              more = of.second(call);
              of.make_room(call);
            } catch (const peal::error& e) {
              error = e.code();
            } catch (...) {
              error = make_error_code(errc::no_space);
            }
            return more;
          },
          &task};
}

template <class Task>
operation* start_task(communicator_state& in, Task& task, const location& where) {
  if constexpr (two_steps<Task>) return start_collective(in, task.first(), second_step_of(task), where);
  else return start_collective(in, task.first(), where);
}

/// Throws what was wrong on this rank, once it has taken part.
template <class Task>
void rethrow_refusal(const Task& task) {
  if constexpr (requires { task.refusal(); })
    if (task.refusal()) std::rethrow_exception(task.refusal());
}

/// Ends an operation, whatever happens on the way.
class operation_holder {
 public:
  explicit operation_holder(operation* it) noexcept : it_{it} {}
  ~operation_holder() { drop(it_); }
  operation_holder(const operation_holder&) = delete;
  operation_holder& operator=(const operation_holder&) = delete;
  operation& operator*() const noexcept { return *it_; }

 private:
  operation* it_;
};

template <class Task>
typename Task::result_type run_task(communicator_state& in, Task&& task, const location& where) {
  if constexpr (two_steps<Task>) {
    const operation_holder under_way{start_task(in, task, where)};
    wait(*under_way);
    rethrow_refusal(task);
    if (result_of(*under_way).error) raise(*under_way);
  } else {
    run_collective(in, task.first(), where);
  }
  try {
    return task.result();
  } catch (const error& e) {
    rethrow_decode_error(e, -1, where);
  }
}

/// Of a nonblocking collective.
template <class Task>
class collective_body final : public body<typename Task::result_type> {
  using result_type = typename Task::result_type;

 public:
  template <class... Args>
  explicit collective_body(Args&&... args) : task_{std::forward<Args>(args)...} {}
  Task& task() noexcept { return task_; }

  result_type take(std::error_code* error) override {
    if (failed(*this->op, error)) return nothing_of<result_type>();
    try {
      return task_.result();
    } catch (const peal::error& e) {
      if (!error) rethrow_decode_error(e, -1, origin_of(*this->op));
      *error = e.code();
      return nothing_of<result_type>();
    }
  }

 private:
  Task task_;
};

template <class Task, class... Args>
request<typename Task::result_type> begin_task(communicator_state& in, const location& where, Args&&... args) {
  auto made = make_owner<collective_body<Task>>(std::forward<Args>(args)...);
  const Task& task = made->task();
  made->op = start_task(in, made->task(), where);
  request<typename Task::result_type> started{made.release()};
  rethrow_refusal(task);
  return started;
}

}  // namespace peal::detail
