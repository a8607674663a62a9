// peal/message_plan.hpp
// Plans of messages: a send or a receive that is made ready once and started as often as wanted.
//
//     auto out = world.send_plan(edge, right, peal::tag{1});
//     auto in = world.recv_plan(frame, left, peal::tag{1});
//     for (;;) { auto coming = in.start(); out.start().wait(); coming.wait(); }
//
// A message of a plan is a message like any other: a plan may send what recv takes, and receive
// what send sends.
//
// Units    values and elements.
// Errors   peal::error with the caller's place: invalid_rank and invalid_tag when the plan is made;
//          of a start as peal/plan.hpp says, and as of isend and irecv_into.
#pragma once

#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

#include <peal/detail/collectives/checks.hpp>
#include <peal/detail/collectives/filled.hpp>
#include <peal/detail/collectives/given.hpp>
#include <peal/detail/collectives/work.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/plan_body.hpp>
#include <peal/plan.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>

namespace peal {

namespace detail {

template <class X>
class send_plan_body final : public plan_body<void> {
 public:
  explicit send_plan_body(X&& it) : from_{std::forward<X>(it)} {}
  void make_ready(const caller& by, int dest, peal::tag tag) {
    // An empty range may lie nowhere; what is sent lies somewhere.
    const void* const data = from_.size() == 0 ? this : from_.data();
    this->prepare(
        by.in, message_call{.send = data, .bytes = from_.size(), .peer = dest, .tag = tag.value()},
        by.where);
  }

 private:
  void refresh(const location& where) override { from_.refresh(where); }
  void value() override {}

  given<when::planned, X> from_;
};

template <class R>
class recv_plan_body final : public plan_body<status> {
 public:
  recv_plan_body(std::remove_reference_t<R>& it, const location& where) : into_{it, where} {}
  void make_ready(const caller& by, int source, peal::tag tag) {
    this->prepare(
        by.in,
        message_call{
            .receive = into_.data(), .bytes = into_.size(), .peer = source, .tag = tag.value()},
        by.where);
  }
  /// Also after an error the status tells of the message.
  status take(std::error_code* error) override {
    if (!failed(*this->op, error)) into_.view();
    return this->status_now();
  }

 private:
  void refresh(const location& where) override { into_.refresh(where); }
  status value() override { return this->status_now(); }

  filled<when::planned, R> into_;
};

template <class R>
consteval bool is_received() {
  constexpr bool it = recv_buffer<std::remove_reference_t<R>> && lasting<R>;
  static_assert(it,
                "peal: a plan of a receive fills memory that lives as long as the plan and may be "
                "written to: pass an lvalue or a view of fixed values, not const");
  return it;
}

}  // namespace detail

/// Of communicator.
template <class Communicator>
class message_plan_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// Each start sends what `value` holds then: a fixed value, a contiguous range of such or a
  /// strided view, which stays where it is, and as long as it is.
  template <class X>
  plan<> send_plan(X&& value, int dest, tag about = {},
                   const place& where = place::current()) const {
    if constexpr (detail::is_given<X>() && detail::lives_on<detail::when::planned, X>() &&
                  detail::has_known_length<detail::when::planned, X>())
      return make<void>(new detail::send_plan_body<X>{std::forward<X>(value)}, dest, about, where);
    else return {};
  }
  /// Each start receives into `buffer`, as irecv_into, and gives the status.
  template <class R>
  plan<status> recv_plan(R&& buffer, int source = any_source, tag about = any_tag,
                         const place& where = place::current()) const {
    if constexpr (detail::is_received<R>())
      return make<status>(new detail::recv_plan_body<R>{buffer, where}, source, about, where);
    else return {};
  }

 private:
  template <class T, class Body>
  plan<T> make(Body* body, int peer, tag about, const place& where) const {
    plan<T> made{body};  // gives the body back where that cannot be made ready
    body->make_ready(static_cast<const Communicator&>(*this).call_at(where), peer, about);
    return made;
  }
};

}  // namespace peal
